/** Rows exchanged between clients so that the targets hold mostly those of one group; nobody's number of rows changes. */
import type { Rng } from '../../numeric/random/rng.js'
import type { Pools } from '../pools.js'

export interface Concentration {
  readonly targets: ReadonlySet<string>
  /** Share of a target's rows that are of its group afterwards, where others have as many to give. */
  readonly share: number
  /** The group of a row of the source. */
  groupOf(row: number): string
  readonly rng: Rng
}

export function concentratedRows(
  clients: Pools['clients'],
  { targets, share, groupOf, rng }: Concentration,
): Pools['clients'] {
  const rows = new Map(clients.map(({ id, rows: own }) => [id, own.slice()]))
  const groups = [...new Set(clients.flatMap((client) => Array.from(client.rows, groupOf)))].sort()
  for (const { id } of clients) {
    if (!targets.has(id)) continue
    const draws = rng.fork('group', id)
    const group = groups[draws.integer(groups.length)]!
    exchange(rows, { id, group, share, groupOf, others: clients.filter((one) => !targets.has(one.id)) })
  }
  return clients.map(({ id }) => ({ id, rows: rows.get(id)! }))
}

interface Exchange extends Pick<Concentration, 'share' | 'groupOf'> {
  readonly id: string
  readonly group: string
  readonly others: Pools['clients']
}

function exchange(rows: Map<string, Int32Array>, { id, group, share, groupOf, others }: Exchange): void {
  const own = rows.get(id)!
  const places = (from: Int32Array, wanted: boolean): number[] =>
    Array.from(from.keys()).filter((i) => (groupOf(from[i]!) === group) === wanted)
  const away = places(own, false)
  let left = Math.min(away.length, Math.round(share * own.length) - (own.length - away.length))
  for (const other of others) {
    const theirs = rows.get(other.id)!
    for (const at of places(theirs, true)) {
      if (left <= 0) return
      left--
      const mine = away[left]!
      ;[own[mine], theirs[at]] = [theirs[at]!, own[mine]!]
    }
  }
}
