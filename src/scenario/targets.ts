/** Whom a scenario points at: the clients under attack, those who misbehave, and those who hold the record asked about. */
import { OverhearError } from '../errors.js'
import { rng } from '../numeric/random/rng.js'
import type { Scenario } from './scenario-schema.js'

interface Client {
  readonly id: string
  readonly rows: Int32Array
}

/** Who is guilty of what in a world. */
export interface Seats {
  /** How clients misbehave, by id. */
  readonly misbehaving: Scenario['training']['misbehaving']
  /** Who holds the record that membership asks about, besides its owner. */
  readonly holders: readonly string[]
  /** Whose record it is, where membership is asked about. */
  readonly owner?: string
}

/**
 * The seats among which it is drawn who is guilty of what: all, or those that are not attacked where nobody who is attacked
 * is guilty. An honest target stays honest, and whoever looks for the guilty is held against these seats alone.
 */
export function seatsOf(scenario: Scenario, clients: readonly Pick<Client, 'id'>[]): string[] {
  const { knowledge, training } = scenario
  const ids = clients.map(({ id }) => id)
  const attacked = new Set(knowledge.targets === 'all' ? ids : knowledge.targets)
  const guilty = knowledge.property === 'membership' || Object.keys(training.misbehaving).some((id) => attacked.has(id))
  return guilty ? ids : ids.filter((id) => !attacked.has(id))
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
 * Those whom the scenario names; with a repeat, all of them moved by one random permutation of the seats, so that the
 * guilty are any set of that many clients and nothing else about the world changes.
 */
export function guiltyIn(
  scenario: Scenario,
  { clients, repeat }: { readonly clients: readonly Client[]; readonly repeat: number | undefined },
): Seats {
  const { seed, knowledge, training } = scenario
  const ids = clients.map(({ id }) => id)
  const asked = knowledge.property === 'membership'
  const holders = asked ? known(knowledge.holders, { ids, where: 'knowledge.holders' }) : []
  const owner = asked ? targetsOf(scenario, { clients })[0]! : undefined
  if (repeat === undefined) {
    return { misbehaving: training.misbehaving, holders, ...(owner !== undefined && { owner }) }
  }
  const bad = known(Object.keys(training.misbehaving), { ids, where: 'training.misbehaving' })
  const seats = seatsOf(scenario, clients)
  const order = rng(seed).fork('scenario', 'seats', repeat).permutation(seats.length)
  const moved = new Map(seats.map((id, seat) => [id, seats[order[seat]!]!]))
  return {
    misbehaving: Object.fromEntries(bad.map((id) => [moved.get(id)!, training.misbehaving[id]!])),
    holders: holders.map((id) => moved.get(id)!),
    ...(owner !== undefined && { owner: moved.get(owner)! }),
  }
}

export interface Asking {
  readonly scenario: Scenario
  readonly guilty: Seats
  readonly repeat: number
}

/**
 * The row that property membership asks about, which is one that its owner trains on. Each of the other holders gets it in
 * the place of one of its own, so that nobody's number of records changes.
 */
export function withHolders<C extends Client>(
  clients: readonly C[],
  { scenario: { seed, knowledge }, guilty, repeat }: Asking,
): { readonly clients: readonly C[]; readonly record?: number } {
  if (knowledge.property !== 'membership') {
    if (knowledge.holders.length === 0) return { clients }
    const found = `knowledge.holders names clients, and knowledge.property is ${JSON.stringify(knowledge.property)}`
    throw new OverhearError('E_INPUT', found, 'only membership asks who holds a record')
  }
  const holders = new Set(guilty.holders)
  const target = clients.find(({ id, rows }) => id === guilty.owner && rows.length > 0)
  if (target === undefined) {
    const found = `client "${guilty.owner}" holds no record`
    throw new OverhearError('E_INPUT', found, 'membership asks about one of the target')
  }
  const root = rng(seed).fork('scenario', 'record')
  const draws = repeat === 0 ? root : root.fork('repeat', repeat)
  const record = target.rows[draws.integer(target.rows.length)]!
  const shared = clients.map((client) => {
    const { id, rows } = client
    if (id === guilty.owner || !holders.has(id) || rows.length === 0 || rows.includes(record)) return client
    const own = rows.slice()
    own[draws.fork(id).integer(own.length)] = record
    return { ...client, rows: own }
  })
  return { clients: shared, record }
}

function known(wanted: readonly string[], { ids, where }: { ids: readonly string[]; where: string }): string[] {
  const unknown = wanted.find((id) => !ids.includes(id))
  if (unknown === undefined) return [...new Set(wanted)]
  throw new OverhearError('E_INPUT', `${where} holds "${unknown}"`, `clients: ${ids.slice(0, 20).join(', ')}`)
}
