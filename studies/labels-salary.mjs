/**
 * [labels] 6.3 to 6.6, Figs. 6.1, 6.4 and 6.6 to 6.10: the Salary data. `--runs N` experiments for the main settings,
 * `--robust N` for batch sizes, last layers, auxiliary noise and label shift (0: none); `--part main|robust|all`.
 */
import { at, deviation, mean, options } from './figures.mjs'
import { experiment, gather, loadRecords, maeOf, publishedMeans, viewOf } from './labels-protocol.mjs'
import { besidePublished, errorsOf, finish, medianAt, medianOf, put, rowsOf, table, tables } from './labels-tables.mjs'
import { claimIn, runAttack } from './run-attack.mjs'

/** @typedef {import('./labels-protocol.mjs').Data} Data */
/** @typedef {import('./labels-protocol.mjs').Visit} Visit */
/** @typedef {import('./labels-tables.mjs').Errors} Errors */
/** @typedef {Readonly<Record<string, string>>} Params */
/** @typedef {import('./labels-protocol.mjs').Experiment & { params: Params, change?: (visit: Visit) => Visit }} Setting */

const given = options({ runs: 100, robust: 30, part: 'all', out: 'runs/labels-salary.json' })
const epochs = [0, 1, 2, 5, 10, 20]
const raw = { duplicates: 'keep', scale: 'none' }
/** @type {Map<string, Promise<Data>>} */
const cache = new Map()
/** @param {Params} params */
function salary(params) {
  const key = JSON.stringify(params)
  const data = cache.get(key) ?? loadRecords('salary', { params })
  cache.set(key, data)
  return data
}

const main = {
  'raw, duplicates': { params: raw },
  standardised: { params: { ...raw, scale: 'standardise' } },
  'raw, no duplicates': { params: { ...raw, duplicates: 'drop' } },
  'standardised, no duplicates': { params: { scale: 'standardise', duplicates: 'drop' } },
}

const standardised = main.standardised.params
/** @param {number} std @returns {(visit: Visit) => Visit} */
const noise = (std) => (visit) => {
  const { features } = visit.aux
  const drawn = visit.root.fork('auxiliary noise').normals(features.data.length)
  const data = features.data.map((x, i) => x + std * at(drawn, i))
  return { ...visit, aux: { ...visit.aux, features: { ...features, data } } }
}
/** @param {number} gamma @returns {(visit: Visit) => Visit} */
const shifted = (gamma) => (visit) => ({
  ...visit,
  aux: { ...visit.aux, labels: visit.aux.labels.map((y) => y * gamma) },
})
/** @type {Record<string, Setting>} */
const robust = {
  ...Object.fromEntries([10, 20, 80, 160].map((K) => [`K = ${K}`, { params: standardised, K }])),
  ...Object.fromEntries([8, 12, 48].map((M) => [`last layer ${M}`, { params: standardised, hidden: [48, M] }])),
  ...Object.fromEntries([0.1, 0.5, 1].map((s) => [`auxiliary noise ${s}`, { params: standardised, change: noise(s) }])),
  ...Object.fromEntries([0.7, 0.9, 1.1].map((g) => [`labels x ${g}`, { params: standardised, change: shifted(g) }])),
}

/** @type {ReturnType<typeof rowsOf>} */
const rows = []
/** @type {import('./figures.mjs').Claim[]} */
const claims = []
/** @type {Record<string, Errors>} */
const results = {}
/** @type {[part: string, settings: Record<string, Setting>, runs: number][]} */
const parts = [
  ['main', main, given.runs],
  ['robust', robust, given.robust],
]
for (const [part, settings, runs] of parts) {
  if ((given.part !== 'all' && given.part !== part) || runs === 0) continue
  for (const [name, { params, ...setting }] of Object.entries(settings)) {
    const errors = await gather(() => salary(params), { runs, epochs, ...setting })
    results[name] = errors
    rows.push(...rowsOf(name, errors))
    tables(`${name}, ${runs} runs`, errors, { epochs, unit: ' in 10,000' })
  }
}

/** Fig. 6.1: the five estimates of the mean prediction, MLP [48, 48, 24]. @param {number} runs */
async function basic(runs) {
  /** @type {Errors} */
  const errors = {}
  const data = await salary(raw)
  for (let seed = 0; seed < runs; seed++) {
    await experiment(data, { seed, epochs, hidden: [48, 48, 24] }, async (visit) => {
      const view = viewOf(visit)
      const truth = mean(visit.batch.labels)
      for (const estimate of ['zero', 'zeros', 'ones', 'normal', 'auxiliary']) {
        const outcome = await runAttack('label-mean', view, { params: { estimate } })
        put(errors, `basic: ${estimate}`, visit.epoch, maeOf([claimIn(outcome, 'label-mean').value], [truth]))
      }
    })
  }
  table(`Mean label, raw, ${runs} runs, MAE`, errors, { epochs, pick: 'basic: ', digits: 3 })
  rows.push(...rowsOf('mean label', errors))
}
if (given.part !== 'robust') {
  await basic(given.robust > 0 ? given.robust : given.runs)
  /** @param {string} name */
  const of = (name) => results[name] ?? {}
  for (const name of Object.keys(main)) {
    const blup = medianAt(of(name), 'counts: blup', 0)
    claims.push({
      text: `${name}: counts by blup, median MAE at the first round ${blup.toFixed(2)} <= 1.5`,
      holds: blup <= 1.5,
    })
    const excess = [0, 1, 2, 5, 10].map(
      (e) => medianAt(of(name), 'counts: blup', e) - medianAt(of(name), 'counts: auxiliary shares', e),
    )
    claims.push({
      text: `${name}: blup is above the auxiliary shares by at most 0.1 at epochs 0 to 10 (${excess.map((x) => x.toFixed(2))})`,
      holds: Math.max(...excess) <= 0.1,
    })
  }
  const published = errorsOf(of('standardised'), 'counts: slope -n/m', 0)
  const text = `thesis: counts MAE 2.5 +- 0.6 at the first round, standardised; ours ${medianOf(published).toFixed(2)} +- ${deviation(published).toFixed(2)}`
  claims.push({ text, holds: Math.abs(medianOf(published) - 2.5) <= 0.6 })
  const late = [10, 20].map((e) => medianAt(of('raw, duplicates'), 'means: slope -1', e))
  claims.push({
    text: `thesis: Tikhonov MAE 1.5 at epochs 10 to 20; ours, slope -1, ${late.map((x) => x.toFixed(2))}`,
    holds: Math.min(...late) <= 1.6,
  })
}

for (const method of ['prior', 'prior, labels']) {
  // Without labels their shift changes nothing: those cells would count the same experiments again.
  const told = Object.entries(results).filter(([name]) => method !== 'prior' || !name.startsWith('labels x'))
  claims.push(besidePublished(Object.fromEntries(told), method, publishedMeans))
}
finish('labels-salary', { out: given.out, rows, claims })
