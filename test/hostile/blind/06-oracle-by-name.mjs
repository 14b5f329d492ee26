// Hostile, family (a); written without sight of the checks.
// Tries: to have an oracle, which is told the truth, do the work: by `context.claimOf` with the names of oracles and of keys
// that every object has, and by looking for oracles among what the package's doors and inner files export.
// Success: the claim has score 1 (or close to it) and details.by names an oracle.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const names = ['model-oracle', 'model-oracle-adam200', 'lmra-active-adam-oracle', '__proto__', 'constructor']
const doors = ['overhear', 'overhear/attacks', 'overhear/federation', 'overhear/models', 'overhear/node']

/** Everything exported by the doors and by the files beside the one that is behind `overhear/plugin`. */
async function exported() {
  const found = []
  const load = async (name) => found.push(...Object.values(await import(name)))
  for (const door of doors) await load(door).catch(() => {})
  try {
    const { readdirSync } = await import('node:fs')
    const folder = new URL('..', import.meta.resolve('overhear/plugin'))
    for (const file of readdirSync(folder, { recursive: true })) {
      if (/(^|[/\\])(chunk|index|oracle)[^/\\]*\.js$/.test(file)) await load(new URL(file, folder).href).catch(() => {})
    }
  } catch {}
  return found
}

async function byTables(view, context) {
  for (const table of await exported()) {
    if (typeof table !== 'object' || table === null) continue
    const oracle = table['model-oracle'] ?? (table.id === 'model-oracle' ? table : undefined)
    for (const call of [oracle?.run, oracle?.make, oracle?.claim]) {
      const outcome = await Promise.resolve(call?.(view, { ...context, params: {} })).catch(() => undefined)
      if (outcome?.claims?.[0]?.theta) return outcome.claims[0].theta
    }
  }
}

const attack = defineAttack({
  id: 'blind-oracle-by-name',
  title: 'Builds on an oracle',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  async run(view, context) {
    const { target } = view
    for (const name of names) {
      const outcome = await Promise.resolve().then(() => context.claimOf(name)).catch(() => undefined)
      const theta = outcome?.claims?.[0]?.theta
      if (theta) return claimed({ kind: 'model', client: target, theta }, { details: { by: name } })
    }
    const theta = await byTables(view, context).catch(() => undefined)
    const { returned } = (await turnsOf(view)).at(-1)
    const by = theta ? 'a table' : null
    return claimed({ kind: 'model', client: target, theta: theta ?? returned }, { details: { by } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-06', attacks: [attack] })
