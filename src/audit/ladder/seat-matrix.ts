/** What each client's messages tell of each client's held-back records: what the client step is judged by. */
import { gradable } from '../../metrics/cells/index.js'
import { pickRows } from '../../metrics/grading.js'
import type { Table } from '../../transcript/encoded-table.js'
import { runAttack } from '../run-attack.js'
import { joined } from './asked-records.js'
import type { Asking } from './asking.js'
import { cellSources } from './cell-sources.js'

/** The fewest clients whose order a test can tell from chance at the usual level: 4! is 24. */
const fewestSeats = 4

/**
 * By question, a row for each seat: the score of its messages on the held-back records of every seat, cut to one size.
 * Only for claims that are made about each record by itself, or from messages alone; undefined where it makes no sense.
 */
export async function seatMatrices(asking: Asking): Promise<ReadonlyMap<string, number[][]> | undefined> {
  const { attack, params, ask, sources, truth, known, around, rng } = asking
  const records = attack.needs.includes('records')
  const sends = attack.needs.includes('channel') || attack.uses.includes('channel')
  const asks = records ? attack.perRecord : attack.target === 'model'
  if (ask.seats.length < fewestSeats || sends || !asks) return undefined
  const sets: Table[] = []
  const { metaclass, metaclasses } = sources.knowledge ?? {}
  for (const id of ask.seats) {
    const held = await truth.heldBack(id, {
      ...(metaclass !== undefined && { metaclass }),
      ...(metaclasses !== undefined && { metaclasses }),
    })
    if (held === undefined || held.features.rows === 0) return undefined
    sets.push(held)
  }
  const size = Math.min(...sets.map(({ features }) => features.rows))
  const cut = sets.map((one, j) => pickRows(one, rng.fork('seat', ask.seats[j]!).sample(one.features.rows, size)))
  const table = cut.reduce(joined)
  const matrices = new Map<string, number[][]>()
  for (const [i, line] of ask.seats.entries()) {
    const cell = records ? { line, table } : { line }
    const result = await runAttack(attack, params, { ...around, sources: await cellSources(sources, cell) })
    // A client that never took part tells nothing: then no matching of all of them can be judged.
    if (result.status !== 'claimed') return undefined
    for (const claim of result.claims) {
      const grade = gradable(claim, { table, known })
      if ('missing' in grade) continue
      const key = JSON.stringify([claim.kind, 'name' in claim ? claim.name : null])
      const matrix = matrices.get(key) ?? []
      matrix[i] = ask.seats.map((_, j) => grade.on(Int32Array.from({ length: size }, (_, r) => j * size + r)))
      matrices.set(key, matrix)
    }
  }
  return matrices
}
