/**
 * [labels] 6.3 to 6.6, Figs. 6.1, 6.4 and 6.6 to 6.10: the Salary data. `--runs N` experiments for the main settings,
 * `--robust N` for batch sizes, last layers, auxiliary noise and label shift (0: none); `--part main|robust|all`.
 */
import { claimOf, experiment, gather, loadRecords, maeOf, publishedMeans, viewOf } from './labels-protocol.mjs'
import { against, finish, meanOf, medianOf, options, rowsOf, say, stdOf, table } from './labels-tables.mjs'

const given = options({ runs: 100, robust: 30, part: 'all', out: 'runs/labels-salary.json' })
const epochs = [0, 1, 2, 5, 10, 20]
const raw = { duplicates: 'keep', scale: 'none' }
const cache = new Map()
async function salary(params) {
  const key = JSON.stringify(params)
  if (!cache.has(key)) cache.set(key, await loadRecords('salary', { params }))
  return cache.get(key)
}

const main = {
  'raw, duplicates': { params: raw },
  standardised: { params: { ...raw, scale: 'standardise' } },
  'raw, no duplicates': { params: { ...raw, duplicates: 'drop' } },
  'standardised, no duplicates': { params: { scale: 'standardise', duplicates: 'drop' } },
}

const standardised = main.standardised.params
const noise = (std) => (visit) => {
  const { features } = visit.aux
  const drawn = visit.root.fork('auxiliary noise').normals(features.data.length)
  const data = features.data.map((x, i) => x + std * drawn[i])
  return { ...visit, aux: { ...visit.aux, features: { ...features, data } } }
}
const shifted = (gamma) => (visit) => ({
  ...visit,
  aux: { ...visit.aux, labels: visit.aux.labels.map((y) => y * gamma) },
})
const robust = {
  ...Object.fromEntries([10, 20, 80, 160].map((K) => [`K = ${K}`, { params: standardised, K }])),
  ...Object.fromEntries([8, 12, 48].map((M) => [`last layer ${M}`, { params: standardised, hidden: [48, M] }])),
  ...Object.fromEntries([0.1, 0.5, 1].map((s) => [`auxiliary noise ${s}`, { params: standardised, change: noise(s) }])),
  ...Object.fromEntries([0.7, 0.9, 1.1].map((g) => [`labels x ${g}`, { params: standardised, change: shifted(g) }])),
}

const rows = []
const claims = []
const results = {}
const parts = { main: [main, given.runs], robust: [robust, given.robust] }
for (const [part, [settings, runs]] of Object.entries(parts)) {
  if ((given.part !== 'all' && given.part !== part) || runs === 0) continue
  for (const [name, { params, ...setting }] of Object.entries(settings)) {
    const errors = await gather(() => salary(params), { runs, epochs, ...setting })
    results[name] = errors
    rows.push(...rowsOf(name, errors))
    table(`Means, ${name}, ${runs} runs, MAE in 10,000`, errors, { epochs, pick: 'means: ' })
    table(`Counts, ${name}, ${runs} runs, MAE`, errors, { epochs, pick: 'counts: ' })
    table(`Counts, ${name}, ${runs} runs, attack success rate`, errors, { epochs, pick: 'asr: ' })
  }
}

/** Fig. 6.1: the five estimates of the mean prediction, MLP [48, 48, 24]. */
async function basic(runs) {
  const errors = {}
  const data = await salary(raw)
  for (let seed = 0; seed < runs; seed++) {
    await experiment(data, { seed, epochs, hidden: [48, 48, 24] }, async (visit) => {
      const view = viewOf(visit)
      const truth = meanOf(visit.batch.labels)
      for (const estimate of ['zero', 'zeros', 'ones', 'normal', 'auxiliary']) {
        const { claim } = await claimOf('label-mean', view, { estimate })
        errors[`basic: ${estimate}`] ??= {}
        errors[`basic: ${estimate}`][visit.epoch] ??= []
        errors[`basic: ${estimate}`][visit.epoch].push(maeOf([claim.value], [truth]))
      }
    })
  }
  table(`Mean label, raw, ${runs} runs, MAE`, errors, { epochs, pick: 'basic: ', digits: 3 })
  rows.push(...rowsOf('mean label', errors))
}
if (given.part !== 'robust') {
  await basic(given.robust > 0 ? given.robust : given.runs)
  const first = (name, method) => results[name][`counts: ${method}`]
  for (const name of Object.keys(main)) {
    const blup = medianOf(first(name, 'blup')[0])
    claims.push({
      text: `${name}: counts by blup, median MAE at the first round ${blup.toFixed(2)} <= 1.5`,
      holds: blup <= 1.5,
    })
    const excess = [0, 1, 2, 5, 10].map(
      (e) => medianOf(first(name, 'blup')[e]) - medianOf(first(name, 'auxiliary shares')[e]),
    )
    claims.push({
      text: `${name}: blup is above the auxiliary shares by at most 0.1 at epochs 0 to 10 (${excess.map((x) => x.toFixed(2))})`,
      holds: Math.max(...excess) <= 0.1,
    })
  }
  const published = results.standardised['counts: slope -n/m'][0]
  const text = `thesis: counts MAE 2.5 +- 0.6 at the first round, standardised; ours ${medianOf(published).toFixed(2)} +- ${stdOf(published).toFixed(2)}`
  claims.push({ text, holds: Math.abs(medianOf(published) - 2.5) <= 0.6 })
  const late = [10, 20].map((e) => medianOf(results['raw, duplicates']['means: slope -1'][e]))
  claims.push({
    text: `thesis: Tikhonov MAE 1.5 at epochs 10 to 20; ours, slope -1, ${late.map((x) => x.toFixed(2))}`,
    holds: Math.min(...late) <= 1.6,
  })
}

for (const method of ['prior', 'prior, labels']) {
  // Without labels their shift changes nothing: those cells would count the same experiments again.
  const told = Object.entries(results).filter(([name]) => method !== 'prior' || !name.startsWith('labels x'))
  const cells = told.flatMap(([setting, errors]) =>
    against(
      errors,
      `means: ${method}`,
      publishedMeans.map((m) => `means: ${m}`),
    ).map((cell) => ({ setting, ...cell })),
  )
  const held = cells.filter((cell) => cell.holds)
  for (const { setting, epoch, best, ratio } of cells.filter((cell) => !cell.holds)) {
    say(`${method} loses: ${setting}, epoch ${epoch}: ${ratio.toFixed(2)} times the mean error of ${best}`)
  }
  const ratios = cells.map((cell) => Math.log(cell.ratio))
  claims.push({
    text: `${method}: no worse than the best published rule within one standard error in ${held.length} of ${cells.length} cells, clearly better in ${cells.filter((cell) => cell.better).length}; its error is ${Math.exp(meanOf(ratios)).toFixed(2)} of that rule's (geometric mean)`,
    holds: held.length >= 0.9 * cells.length,
  })
}
finish('labels-salary', { out: given.out, rows, claims })
