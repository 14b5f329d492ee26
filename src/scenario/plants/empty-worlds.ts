/** Worlds in which there is nothing to find: the files say what they would say, and the target's messages know nothing of it. */
import { columnOf, type Table } from '../../data/table.js'
import { type Rng, rng } from '../../numeric/random/rng.js'
import type { Scenario } from '../scenario-schema.js'
import { targetsOf } from '../targets.js'

/** What is looked at of a world. */
interface Dealt {
  readonly clients: readonly { readonly id: string; readonly rows: Int32Array; readonly heldBack: Int32Array }[]
  readonly repeat: number
  readonly misbehaving: Scenario['training']['misbehaving']
}

/** Noise of a size that does not drown the federation. */
const noise = { name: 'free-rider', params: { update: 'noise', noiseStd: 0.01 } }

/** Who misbehaves, with the targets among them where they send noise. */
export function emptyMisbehaving(
  scenario: Scenario,
  world: Pick<Dealt, 'clients' | 'misbehaving'>,
): Dealt['misbehaving'] {
  if (scenario.empty !== 'noise') return world.misbehaving
  const silent = targetsOf(scenario, world).map((id) => [id, noise] as const)
  return { ...world.misbehaving, ...Object.fromEntries(silent) }
}

/** Where the records of each client stand that it trains on, which are somebody else's. */
export function emptyPlaces(
  scenario: Scenario,
  { clients, repeat }: Pick<Dealt, 'clients' | 'repeat'>,
  places: readonly Int32Array[],
): readonly Int32Array[] {
  const { empty } = scenario
  if (empty !== 'others' && empty !== 'nowhere') return places
  const targets = new Set(targetsOf(scenario, { clients }))
  return places.map((own, k) => {
    if (!targets.has(clients[k]!.id)) return own
    const draws = rng(scenario.seed).fork('scenario', 'empty', repeat, k)
    const rest = places.filter((_, other) => other !== k)
    const strangers = rest.filter((_, other) => !targets.has(clients[other < k ? other : other + 1]!.id))
    const from = strangers.length > 0 ? strangers : rest
    const one = from[draws.integer(from.length)]!
    const pool = empty === 'others' ? one : Int32Array.from(from.flatMap((some) => [...some]))
    const order = draws.permutation(pool.length)
    return own.map((_, i) => pool[order[i % order.length]!]!)
  })
}

/** The table with sensitive columns dealt anew within each client, as files tell it; nobody trained on it. */
export function redealtTable(table: Table, names: readonly string[], { clients, seed, repeat }: Redealing): Table {
  const root = rng(seed).fork('scenario', 'redealt', repeat)
  const columns = names.map((name) => columnOf(table, name))
  const redealt = columns.map((column) => {
    const moved = movesOf(clients, root.fork(column.name))
    const from = (row: number): number => moved.get(row) ?? row
    if (column.kind === 'number') return { ...column, values: column.values.map((_, row) => column.values[from(row)]!) }
    return { ...column, codes: column.codes.map((_, row) => column.codes[from(row)]!) }
  })
  return { ...table, columns: table.columns.map((one) => redealt.find(({ name }) => name === one.name) ?? one) }
}

interface Redealing {
  readonly clients: Dealt['clients']
  readonly seed: number
  readonly repeat: number
}

/** From which other row of the same client each row gets its value. */
function movesOf(clients: Dealt['clients'], draws: Rng): Map<number, number> {
  return new Map(
    clients.flatMap(({ id, rows, heldBack }) => {
      const all = [...rows, ...heldBack]
      const order = draws.fork(id).permutation(all.length)
      return all.map((row, i) => [row, all[order[i]!]!] as const)
    }),
  )
}
