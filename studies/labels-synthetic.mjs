/** [labels] 6.4.1, 6.5, Figs. 6.2, 6.3 and 6.5: metaclass means and counts on the synthetic data. Takes --runs N. */
import { at, mean, options, print } from './figures.mjs'
import { gather, loadRecords, publishedMeans } from './labels-protocol.mjs'
import { against, errorsOf, finish, medianAt, medianOf, rowsOf, tables } from './labels-tables.mjs'

/** @typedef {import('./labels-tables.mjs').Errors} Errors */

const { runs, out } = options({ runs: 30, out: 'runs/labels-synthetic.json' })
const epochs = [0, 1, 2, 5, 10, 20]
/** @param {Record<string, number>} params @returns {(seed: number) => Promise<import('./labels-protocol.mjs').Data>} */
const load = (params) => (seed) => loadRecords('metaclass-synthetic', { params, seed })

const settings = {
  'deviation 0.3': { load: load({}), hidden: [48, 24] },
  'deviation 1': { load: load({ withinStd: 1 }), hidden: [48, 24] },
  // The thesis does not say how small its ill-conditioned model is.
  'ill-conditioned': { load: load({ inputs: 10 }), hidden: [12, 4] },
}

/** @type {ReturnType<typeof rowsOf>} */
const rows = []
/** @type {import('./figures.mjs').Claim[]} */
const claims = []
/** @type {Record<string, Errors>} */
const all = {}
for (const [name, { load, ...setting }] of Object.entries(settings)) {
  const errors = await gather(load, { runs, epochs, ...setting })
  all[name] = errors
  rows.push(...rowsOf(name, errors))
  tables(`${name}, ${runs} runs`, errors, { epochs })
}

/** @param {keyof typeof settings} name */
const of = (name) => all[name] ?? {}
const near = of('deviation 0.3')
/** @param {string} method */
const ratios = (method) => epochs.map((e) => medianAt(near, 'means: naive', e) / medianAt(near, `means: ${method}`, e))
for (const method of ['pinv', 'slope -n/m', 'prior', 'prior, labels']) {
  print(`naive over ${method}: ${ratios(method).map((r) => r.toFixed(1))} at epochs ${epochs}`)
}
for (const method of ['pinv', 'prior']) {
  const ratio = ratios(method)
  claims.push({
    text: `${method}: at least 10 times below the naive attack at epochs 0 to 2`,
    holds: Math.min(...ratio.slice(0, 3)) >= 10,
  })
  claims.push({
    text: `${method}: at least 2 times below it at epochs 5 and 10`,
    holds: Math.min(...ratio.slice(3, 5)) >= 2,
  })
}
/** @param {'pinv' | 'slope -n/m'} method @param {(values: readonly number[]) => number} how */
const averages = (method, how) => epochs.map((e) => how(errorsOf(of('ill-conditioned'), `means: ${method}`, e)))
const [pinvMean, tikhonovMean] = [averages('pinv', mean), averages('slope -n/m', mean)]
const [pinvMedian, tikhonovMedian] = [averages('pinv', medianOf), averages('slope -n/m', medianOf)]
claims.push({
  text: 'ill-conditioned: the mean error of Tikhonov is below that of the pseudo-inverse at every epoch',
  holds: tikhonovMean.every((error, i) => error <= at(pinvMean, i)),
})
claims.push({
  text: 'ill-conditioned: their medians are equal within a tenth, or Tikhonov has the smaller',
  holds: tikhonovMedian.every((error, i) => error <= 1.1 * at(pinvMedian, i)),
})
claims.push({
  text: 'counts: published solvers are best untrained and collapse with training; blup does not collapse',
  holds:
    medianAt(near, 'counts: pinv', 10) > 4 * medianAt(near, 'counts: pinv', 0) &&
    medianAt(near, 'counts: blup', 10) < 1.2 * medianAt(near, 'counts: auxiliary shares', 10),
})
const cells = Object.values(all).flatMap((errors) =>
  against(
    errors,
    'means: prior',
    publishedMeans.map((m) => `means: ${m}`),
  ),
)
claims.push({
  text: `prior without labels: no worse than the best published rule within one standard error in ${cells.filter((c) => c.holds).length} of ${cells.length} cells, clearly better in ${cells.filter((c) => c.better).length}`,
  holds: cells.filter((c) => c.holds).length >= 0.9 * cells.length,
})
finish('labels-synthetic', { out, rows, claims })
