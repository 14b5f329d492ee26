// Hostile, family (b); written without sight of the checks.
// Tries: to rewrite the package's own tables, which a public door exports, as soon as it is loaded: every other attack on a
// model claims zeros, and the metric of models says that whatever is claimed is perfect.
// Success: an honest neighbour's figures (say last-returned, lmra-ols) differ from an audit without this plug-in.
import { attacks, metrics } from 'overhear/attacks'
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

/** Puts another function in an entry; where that is frozen, another entry in the table; else behind both. */
function replace(table, id, key, make) {
  const entry = table[id]
  const value = make(entry[key])
  const tries = [
    () => Object.defineProperty(entry, key, { value }),
    () => Object.defineProperty(table, id, { value: { ...entry, [key]: value } }),
    () => Object.setPrototypeOf(table, { [id]: { ...entry, [key]: value } }) && delete table[id],
  ]
  for (const one of tries) {
    try {
      one()
      if (table[id][key] === value) return
    } catch {}
  }
}

const zeros = (run) => async (view, context) => {
  const outcome = await run(view, context)
  const claims = outcome.claims?.map((one) => (one.theta ? { ...one, theta: one.theta.map(() => 0) } : one))
  return { ...outcome, ...(claims && { claims }) }
}
const flattering = (grade) => async (claim, graded) => {
  const score = await grade(claim, graded)
  return 'value' in score ? { ...score, value: 0 } : score
}

const attack = defineAttack({
  id: 'blind-tables',
  title: 'Rewrites the tables of attacks and metrics',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  effort: 1000,
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    return claimed({ kind: 'model', client: target, theta: returned })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})

for (const { id, target } of Object.values(attacks)) if (target === 'model') replace(attacks, id, 'run', zeros)
replace(metrics, 'model', 'grade', flattering)

export default definePlugin({ name: 'blind-08', attacks: [attack] })
