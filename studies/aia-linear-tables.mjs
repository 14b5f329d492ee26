// The tables of the study of aia-linear, and what it claims.
import { mean } from './messages.mjs'

const percent = (x) => (x === undefined ? '' : (100 * x).toFixed(1))
const table = (heads, rows) => [
  `| ${heads.join(' | ')} |`,
  `|${heads.map(() => '---').join('|')}|`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  '',
]
const sureOf = ({ sure, records, sureWrong, refused }) =>
  refused === undefined ? `${sureWrong} of ${sure} (${((100 * sure) / records).toFixed(0)} %)` : ''

function comparison(title, rows) {
  if (rows.length === 0) return []
  const heads = [
    '',
    'records',
    'majority',
    'last-returned',
    'aia-linear',
    'mean confidence',
    'wrong among the sure',
    's',
  ]
  return [
    title,
    ...table(
      heads,
      rows.map((row) => [
        ...[row.name, row.records, percent(row.majority), percent(row.lastReturned)],
        ...(row.refused === undefined ? [percent(row.accuracy), row.confidence.toFixed(2)] : ['refused', '']),
        ...[sureOf(row), row.seconds.toFixed(0)],
      ]),
    ),
  ]
}

export function tablesOf(rows) {
  const of = (part) => rows.filter((row) => row.part === part)
  const lines = [...comparison('Medical, aia Table 1; accuracy in %', of('medical'))]
  if (of('exact').length > 0) {
    const heads = ['one message, full batch', 'records', 'wrong', 'condition', 'unexplained', 'verified']
    const cells = of('exact').map(({ name, records, wrong, details: { condition, misfit, verified } }) => {
      return [name, records, wrong, condition.toExponential(1), misfit.toExponential(1), verified ? 'yes' : 'no']
    })
    lines.push(...table(heads, cells))
  }
  if (of('active').length > 0) {
    const heads = ['ten active messages', 'records', 'aia-linear-active', 'wrong among the sure']
    const cells = of('active').map((row) => {
      return [row.name, row.records, percent(row.accuracy), sureOf(row)]
    })
    lines.push(...table(heads, cells))
  }
  if (of('model').length > 0) {
    const heads = [
      'loss in 1e6',
      'last-returned',
      'lmra-data',
      'oracle',
      'ratio',
      'aia-model over lmra-data',
      'over the oracle',
    ]
    const cells = of('model').map(({ name, lossBefore, lossAfter, lossOracle, accuracy, oracleAccuracy }) => {
      const losses = [lossBefore, lossAfter, lossOracle].map((x) => (x / 1e6).toFixed(2))
      return [name, ...losses, (lossAfter / lossOracle).toFixed(2), percent(accuracy), percent(oracleAccuracy)]
    })
    lines.push(...table(heads, cells))
  }
  lines.push(...comparison('Income, Louisiana 2024, full encoding; accuracy in %', of('income')))
  lines.push(...comparison('Medical, seed 1, client 0, one setting changed; accuracy in %', of('curves')))
  return lines
}

/** What must hold, of the parts that were measured. */
export function claimsOf(rows) {
  const claims = [
    ['medical', 'aia-linear has 99 % or more on every client', ({ accuracy }) => accuracy >= 0.99],
    ['exact', 'one full-batch message: every record right', ({ wrong }) => wrong === 0],
    ['active', 'ten active messages: 98 % or more', ({ accuracy }) => accuracy >= 0.98],
    ['model', "lmra-data's loss is within twice the oracle's", (row) => row.lossAfter <= 2 * row.lossOracle],
    ['income', 'aia-linear is no worse than last-returned', (row) => row.accuracy >= row.lastReturned],
  ]
  return claims.flatMap(([part, text, holds]) => {
    const own = rows.filter((row) => row.part === part)
    if (own.length === 0) return []
    const average = own[0].accuracy === undefined ? '' : ` (mean ${percent(mean(own.map((row) => row.accuracy)))})`
    return [{ text: `${text}${average}`, holds: own.every(holds) }]
  })
}
