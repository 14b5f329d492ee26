/** Whom a scenario points at: the clients under attack, and those who hold the record that membership asks about. */
import { OverhearError } from '../errors.js'
import { rng } from '../numeric/random/rng.js'
import type { Scenario } from './scenario-schema.js'

interface Client {
  readonly id: string
  readonly rows: Int32Array
}

/** Ids of the clients that the scenario attacks. */
export function targetsOf(
  { knowledge: { targets } }: Scenario,
  { clients }: { readonly clients: readonly Client[] },
): string[] {
  const ids = clients.map(({ id }) => id)
  return targets === 'all' ? ids : known(targets, { ids, where: 'knowledge.targets' })
}

/**
 * The row that property membership asks about, which is one of the first target's. Each of the other holders gets it in the
 * place of one of its own, so that nobody's number of records changes.
 */
export function withHolders(
  clients: readonly Client[],
  scenario: Scenario,
): { readonly clients: readonly Client[]; readonly record?: number } {
  const { seed, knowledge } = scenario
  if (knowledge.property !== 'membership') {
    if (knowledge.holders.length === 0) return { clients }
    const found = `knowledge.holders names clients, and knowledge.property is ${JSON.stringify(knowledge.property)}`
    throw new OverhearError('E_INPUT', found, 'only membership asks who holds a record')
  }
  const holders = new Set(known(knowledge.holders, { ids: clients.map(({ id }) => id), where: 'knowledge.holders' }))
  const [first] = targetsOf(scenario, { clients })
  const target = clients.find(({ id, rows }) => id === first && rows.length > 0)
  if (target === undefined) {
    throw new OverhearError('E_INPUT', `client "${first}" holds no record`, 'membership asks about one of the target')
  }
  const draws = rng(seed).fork('scenario', 'record')
  const record = target.rows[draws.integer(target.rows.length)]!
  const shared = clients.map(({ id, rows }) => {
    if (id === first || !holders.has(id) || rows.length === 0 || rows.includes(record)) return { id, rows }
    const own = rows.slice()
    own[draws.fork(id).integer(own.length)] = record
    return { id, rows: own }
  })
  return { clients: shared, record }
}

function known(wanted: readonly string[], { ids, where }: { ids: readonly string[]; where: string }): string[] {
  const unknown = wanted.find((id) => !ids.includes(id))
  if (unknown === undefined) return [...new Set(wanted)]
  throw new OverhearError('E_INPUT', `${where} holds "${unknown}"`, `clients: ${ids.slice(0, 20).join(', ')}`)
}
