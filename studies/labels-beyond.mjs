/**
 * What the thesis leaves to further research, on the Salary data: numbers of records from the counts attack or from the
 * auxiliary shares instead of known ones, and several rounds of the same batch used together. Takes --runs N.
 */
import { at, options } from './figures.mjs'
import { countsOf, experiment, loadRecords, maeOf, meansOf, viewOf } from './labels-protocol.mjs'
import { finish, medianAt, put, rowsOf, table } from './labels-tables.mjs'
import { claimIn, runAttack } from './run-attack.mjs'

/** @typedef {readonly [id: 'metaclass-means' | 'metaclass-counts', params: Readonly<Record<string, unknown>>]} Method */

const { runs, out } = options({ runs: 30, out: 'runs/labels-beyond.json' })
const epochs = [0, 1, 2, 5, 10]
const data = await loadRecords('salary', { params: { scale: 'standardise', duplicates: 'drop' } })
const N = data.names.length

/** @type {Record<string, Method>} */
const methods = {
  'pinv, known counts': ['metaclass-means', { solver: 'pinv' }],
  'pinv, counts of the attack': ['metaclass-means', { solver: 'pinv', counts: 'attack' }],
  'prior, known counts': ['metaclass-means', { labels: 'ignore' }],
  'prior, auxiliary shares': ['metaclass-means', { labels: 'ignore', counts: 'auxiliary' }],
  'prior, counts of the attack': ['metaclass-means', { labels: 'ignore', counts: 'attack' }],
  'prior and labels, known counts': ['metaclass-means', {}],
  'prior and labels, auxiliary shares': ['metaclass-means', { counts: 'auxiliary' }],
  'prior and labels, counts of the attack': ['metaclass-means', { counts: 'attack' }],
}
/** @type {Record<string, Method>} */
const together = {
  pinv: ['metaclass-means', { solver: 'pinv' }],
  'slope -1': ['metaclass-means', { solver: 'tikhonov', rule: 'slope-1' }],
  prior: ['metaclass-means', { labels: 'ignore' }],
  'prior and labels': ['metaclass-means', {}],
  'counts, pinv': ['metaclass-counts', { solver: 'pinv' }],
  'counts, blup': ['metaclass-counts', {}],
}

/** @type {import('./labels-tables.mjs').Errors} */
const errors = {}
for (let seed = 0; seed < runs; seed++) {
  /** @type {import('./labels-protocol.mjs').Exchange[]} */
  const exchanges = []
  await experiment(data, { seed, epochs }, async (visit) => {
    const view = viewOf(visit)
    const truth = {
      'metaclass-means': meansOf(visit.batch.labels, visit.batch.metaclasses, N),
      'metaclass-counts': countsOf(visit.batch.metaclasses, N),
    }
    /** @param {import('./run-attack.mjs').AnyView} of @param {Method} method */
    const miss = async (of, [id, params]) => {
      const { values } = claimIn(await runAttack(id, of, { params }), id)
      // A metaclass of which nothing is claimed gets what is known of it without listening.
      const known = meansOf(visit.aux.labels, visit.aux.metaclasses, N)
      return maeOf(
        Array.from(values, (v, c) => (Number.isNaN(v) ? at(known, c) : v)),
        truth[id],
      )
    }
    for (const [name, method] of Object.entries(methods)) {
      put(errors, `knowing: ${name}`, visit.epoch, await miss(view, method))
    }
    exchanges.push({ ...(await view.exchanges.read(0)), round: visit.epoch })
    const rounds = exchanges.map(({ round }) => round)
    /** @param {number} round */
    const read = async (round) => at(exchanges, rounds.indexOf(round))
    const last = { ...view, round: visit.epoch, exchanges: { rounds, read } }
    for (const [name, [id, params]] of Object.entries(together)) {
      put(errors, `rounds: ${name}, this round`, visit.epoch, await miss(last, [id, params]))
      put(
        errors,
        `rounds: ${name}, all so far`,
        visit.epoch,
        await miss(last, [id, { ...params, rounds: [...rounds].reverse() }]),
      )
    }
  })
}
table(`Means, what must be known, standardised, no duplicates, ${runs} runs, MAE`, errors, {
  epochs,
  pick: 'knowing: ',
})
table(`Several rounds of one batch, standardised, no duplicates, ${runs} runs, MAE`, errors, {
  epochs,
  pick: 'rounds: ',
})
const claims = [
  {
    text: 'no knowledge of the client: counts of the attack cost the prior with labels less than a third at the first round',
    holds:
      medianAt(errors, 'knowing: prior and labels, counts of the attack', 0) <
      1.33 * medianAt(errors, 'knowing: prior and labels, known counts', 0),
  },
  {
    text: 'rounds together: blup is nearer after three rounds than from the third alone',
    holds:
      medianAt(errors, 'rounds: counts, blup, all so far', 2) <=
      medianAt(errors, 'rounds: counts, blup, this round', 2),
  },
]
finish('labels-beyond', { out, rows: rowsOf('salary, standardised, no duplicates', errors), claims })
