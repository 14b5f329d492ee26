// The tables of the study of aia-linear, and what it claims.
import { mean, tableOf } from './figures.mjs'

/** @typedef {import('./aia-linear-parts.mjs').Row} Row */

/** @param {number | undefined} x */
const percent = (x) => (x === undefined ? '' : (100 * x).toFixed(1))
/** @param {Row} row */
const sureOf = ({ sure = 0, records, sureWrong, refused }) =>
  refused === undefined ? `${sureWrong} of ${sure} (${((100 * sure) / records).toFixed(0)} %)` : ''
/** @param {import('./aia-linear-parts.mjs').Detail | undefined} x */
const power = (x) => Number(x).toExponential(1)

/** @param {string} title @param {readonly Row[]} rows */
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
    ...tableOf(
      heads,
      rows.map((row) => [
        ...[row.name, row.records, percent(row.majority), percent(row.lastReturned)],
        ...(row.refused === undefined
          ? [percent(row.accuracy), (row.confidence ?? Number.NaN).toFixed(2)]
          : ['refused', '']),
        ...[sureOf(row), row.seconds.toFixed(0)],
      ]),
    ),
  ]
}

/** @param {readonly Row[]} rows */
export function tablesOf(rows) {
  /** @param {string} part */
  const of = (part) => rows.filter((row) => row.part === part)
  const lines = [...comparison('Medical, aia Table 1; accuracy in %', of('medical'))]
  if (of('exact').length > 0) {
    const heads = ['one message, full batch', 'records', 'wrong', 'condition', 'unexplained', 'verified']
    const cells = of('exact').map(
      ({ name, records, wrong = Number.NaN, details: { condition, misfit, verified } = {} }) => {
        return [name, records, wrong, power(condition), power(misfit), verified ? 'yes' : 'no']
      },
    )
    lines.push(...tableOf(heads, cells))
  }
  if (of('active').length > 0) {
    const heads = ['ten active messages', 'records', 'aia-linear-active', 'wrong among the sure']
    const cells = of('active').map((row) => {
      return [row.name, row.records, percent(row.accuracy), sureOf(row)]
    })
    lines.push(...tableOf(heads, cells))
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
    const cells = of('model').map((row) => {
      const { before, after, oracle } = lossesOf(row)
      const losses = [before, after, oracle].map((x) => (x / 1e6).toFixed(2))
      return [row.name, ...losses, (after / oracle).toFixed(2), percent(row.accuracy), percent(row.oracleAccuracy)]
    })
    lines.push(...tableOf(heads, cells))
  }
  lines.push(...comparison('Income, Louisiana 2024, full encoding; accuracy in %', of('income')))
  lines.push(...comparison('Medical, seed 1, client 0, one setting changed; accuracy in %', of('curves')))
  return lines
}

/** NaN where a loss was not measured. @param {Row} row */
const lossesOf = ({ lossBefore = Number.NaN, lossAfter = Number.NaN, lossOracle = Number.NaN }) => ({
  before: lossBefore,
  after: lossAfter,
  oracle: lossOracle,
})

/** @param {Row} row */
const accuracyOf = ({ accuracy = Number.NaN }) => accuracy

/** What must hold, of the parts that were measured. @param {readonly Row[]} rows */
export function claimsOf(rows) {
  /** @type {readonly [part: string, text: string, holds: (row: Row) => boolean][]} */
  const claims = [
    ['medical', 'aia-linear has 99 % or more on every client', (row) => accuracyOf(row) >= 0.99],
    ['exact', 'one full-batch message: every record right', ({ wrong }) => wrong === 0],
    ['active', 'ten active messages: 98 % or more', (row) => accuracyOf(row) >= 0.98],
    [
      'model',
      "lmra-data's loss is within twice the oracle's",
      (row) => lossesOf(row).after <= 2 * lossesOf(row).oracle,
    ],
    [
      'income',
      'aia-linear is no worse than last-returned',
      (row) => accuracyOf(row) >= (row.lastReturned ?? Number.NaN),
    ],
  ]
  return claims.flatMap(([part, text, holds]) => {
    const own = rows.filter((row) => row.part === part)
    if (own.length === 0) return []
    const average = own[0]?.accuracy === undefined ? '' : ` (mean ${percent(mean(own.map(accuracyOf)))})`
    return [{ text: `${text}${average}`, holds: own.every(holds) }]
  })
}
