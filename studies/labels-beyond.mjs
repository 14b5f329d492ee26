/**
 * What the thesis leaves to further research, on the Salary data: numbers of records from the counts attack or from the
 * auxiliary shares instead of known ones, and several rounds of the same batch used together. Takes --runs N.
 */
import { claimOf, countsOf, experiment, loadRecords, maeOf, meansOf, viewOf } from './labels-protocol.mjs'
import { finish, medianOf, options, rowsOf, table } from './labels-tables.mjs'

const { runs, out } = options({ runs: 30, out: 'runs/labels-beyond.json' })
const epochs = [0, 1, 2, 5, 10]
const data = await loadRecords('salary', { params: { scale: 'standardise', duplicates: 'drop' } })
const N = data.names.length

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
const together = {
  pinv: ['metaclass-means', { solver: 'pinv' }],
  'slope -1': ['metaclass-means', { solver: 'tikhonov', rule: 'slope-1' }],
  prior: ['metaclass-means', { labels: 'ignore' }],
  'prior and labels': ['metaclass-means', {}],
  'counts, pinv': ['metaclass-counts', { solver: 'pinv' }],
  'counts, blup': ['metaclass-counts', {}],
}

const errors = {}
const put = (name, epoch, value) => {
  errors[name] ??= {}
  errors[name][epoch] ??= []
  errors[name][epoch].push(value)
}
for (let seed = 0; seed < runs; seed++) {
  const exchanges = []
  await experiment(data, { seed, epochs }, async (visit) => {
    const view = viewOf(visit)
    const truth = {
      'metaclass-means': meansOf(visit.batch.labels, visit.batch.metaclasses, N),
      'metaclass-counts': countsOf(visit.batch, N),
    }
    const miss = async (of, [id, params]) => {
      const { values } = (await claimOf(id, of, params)).claim
      // A metaclass of which nothing is claimed gets what is known of it without listening.
      const known = meansOf(visit.aux.labels, visit.aux.metaclasses, N)
      return maeOf(
        Array.from(values, (v, c) => (Number.isNaN(v) ? known[c] : v)),
        truth[id],
      )
    }
    for (const [name, method] of Object.entries(methods)) put(`knowing: ${name}`, visit.epoch, await miss(view, method))
    exchanges.push({ ...(await view.exchanges.read(0)), round: visit.epoch })
    const rounds = exchanges.map(({ round }) => round)
    const all = { rounds, read: async (round) => exchanges[rounds.indexOf(round)] }
    const last = { ...view, round: visit.epoch, exchanges: all }
    for (const [name, [id, params]] of Object.entries(together)) {
      put(`rounds: ${name}, this round`, visit.epoch, await miss(last, [id, params]))
      put(
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
const at = (name, epoch) => medianOf(errors[name][epoch])
const claims = [
  {
    text: 'no knowledge of the client: counts of the attack cost the prior with labels less than a third at the first round',
    holds:
      at('knowing: prior and labels, counts of the attack', 0) <
      1.33 * at('knowing: prior and labels, known counts', 0),
  },
  {
    text: 'rounds together: blup is nearer after three rounds than from the third alone',
    holds: at('rounds: counts, blup, all so far', 2) <= at('rounds: counts, blup, this round', 2),
  },
]
finish('labels-beyond', { out, rows: rowsOf('salary, standardised, no duplicates', errors), claims })
