/** The attacks of [labels] on data that the thesis does not use: medical charges and ACS income. Takes --runs N. */
import { at, options, print } from './figures.mjs'
import { gather, loadRecords, publishedMeans, wordsOf } from './labels-protocol.mjs'
import { besidePublished, finish, medianAt, rowsOf, tables } from './labels-tables.mjs'

const { runs, out } = options({ runs: 30, out: 'runs/labels-external.json' })
const epochs = [0, 1, 2, 5, 10, 20]
const unit = 10_000 // of dollars, as the Salary data count

/** @param {string} name @param {import('./labels-protocol.mjs').Metaclass} metaclass */
async function inUnits(name, metaclass) {
  const data = await loadRecords(name, { metaclass })
  return { ...data, labels: data.labels.map((y) => y / unit) }
}

/** SCHL counts up to 24: no diploma, school, some college, Bachelor, beyond. @param {number} i @param {import('./labels-protocol.mjs').Table} table */
const schooling = (i, table) => {
  const level = Number(wordsOf(table, 'SCHL')(i))
  return level < 16
    ? '0 none'
    : level < 18
      ? '1 school'
      : level < 21
        ? '2 some college'
        : level === 21
          ? '3 Bachelor'
          : '4 beyond'
}

const sources = {
  'medical, region': () => inUnits('medical', 'region'),
  'medical, smoker': () => inUnits('medical', 'smoker'),
  // Eight inputs of the linear encoding would have a log label; the network's codes have dollars.
  'acs-income, schooling': () => inUnits('acs-income', schooling),
}

/** @type {ReturnType<typeof rowsOf>} */
const rows = []
/** @type {Record<string, import('./labels-tables.mjs').Errors>} */
const results = {}
for (const [name, source] of Object.entries(sources)) {
  const data = await source()
  print(`\n${name}: ${data.labels.length} records, ${data.features.cols} inputs, metaclasses ${data.names.join(', ')}`)
  const errors = await gather(async () => data, {
    runs,
    epochs,
    auxiliary: Math.min(500, Math.floor(data.labels.length / 4)),
  })
  results[name] = errors
  rows.push(...rowsOf(name, errors))
  tables(`${name}, ${runs} runs`, errors, { epochs, unit: ' in 10,000' })
}
const claims = ['prior', 'prior, labels'].map((method) => besidePublished(results, method, publishedMeans))
for (const [name, errors] of Object.entries(results)) {
  const first = at(epochs, 0)
  const gain = medianAt(errors, 'counts: auxiliary shares', first) - medianAt(errors, 'counts: blup', first)
  claims.push({
    text: `${name}: blup is nearer than the auxiliary shares before training, by ${gain.toFixed(2)}`,
    holds: gain > 0,
  })
}
finish('labels-external', { out, rows, claims })
