// Attributes by least squares (aia-linear) measured: Medical as in aia Table 1, one exact message, active messages, what is
// trained on the guesses, Income, and what weakens it. Needs dist/ (npm run build:ts) and the files of Medical and Income.
// `node studies/aia-linear.mjs [--parts medical,exact,active,model,income,curves] [--seeds 1,2,3] [--clients 0,1]
//  [--curves rounds,batch,...] [--heterogeneity 0,0.2,0.4] [--income SEED:CLIENT,...] [--ledger FILE] [--json]`
// Rows that stand in the ledger (one JSON object a line) are not measured again.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { curveTasks } from './aia-linear-curves.mjs'
import { partTasks } from './aia-linear-parts.mjs'
import { claimsOf, tablesOf } from './aia-linear-tables.mjs'
import { numbers, options } from './figures.mjs'
import { show } from './messages.mjs'

const values = options({
  parts: 'medical,exact,active,model,income,curves',
  seeds: '1,2,3',
  clients: '0,1',
  curves: 'rounds,heard,batch,epochs,rate,privacy,known,dropout,attribute',
  heterogeneity: '0,0.2,0.4',
  income: '1:0,1:9,2:0',
  ledger: '',
  json: false,
})
const choice = {
  seeds: numbers(values.seeds),
  clients: numbers(values.clients),
  heterogeneity: numbers(values.heterogeneity),
  income: values.income.split(',').map((pair) => {
    const [seed = Number.NaN, client = Number.NaN] = pair.split(':').map(Number)
    return { seed, client }
  }),
  curves: values.curves.split(','),
}

/** @typedef {import('./aia-linear-parts.mjs').Row} Row */
/** @type {Map<string, Row>} */
const done = new Map()
if (values.ledger !== '' && existsSync(values.ledger)) {
  for (const line of readFileSync(values.ledger, 'utf8').split('\n').filter(Boolean)) {
    const row = /** @type {Row} */ (JSON.parse(line))
    done.set(`${row.part}: ${row.name}`, row)
  }
}

/** @type {Row[]} */
const rows = []
for (const part of values.parts.split(',')) {
  for (const { name, measure } of part === 'curves' ? curveTasks(choice) : partTasks(part, choice)) {
    const key = `${part}: ${name}`
    let row = done.get(key)
    if (row === undefined) {
      const start = performance.now()
      row = { part, name, ...(await measure()), seconds: Math.round((performance.now() - start) / 100) / 10 }
      if (values.ledger !== '') appendFileSync(values.ledger, `${JSON.stringify(row)}\n`)
    }
    rows.push(row)
    process.stderr.write(`${key}: ${JSON.stringify(row)}\n`)
  }
}

show({ json: values.json, result: { rows, claims: claimsOf(rows) }, lines: tablesOf(rows) })
