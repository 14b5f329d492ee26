/** Trained and held-back records of a client as they are asked about: one list in random order, and its relabellings. */
import { pickRows } from '../../metrics/grading.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { KnowledgeFile } from '../../transcript/knowledge-file.js'
import type { TruthFile } from '../../transcript/truth-file.js'

/** Both halves of a client's records, in full. */
export interface Halves {
  readonly trained: Table
  readonly held: Table
  /** What people call the records. */
  readonly trainedIds: readonly string[]
  readonly heldIds: readonly string[]
}

/** Records asked about, and which of them count as trained and as held back. */
export interface AskedList {
  readonly table: Table
  /** Places in the table; of a whole list in the order of the client's files. */
  readonly trained: Int32Array
  readonly held: Int32Array
  readonly ids: readonly string[]
}

/** What the truth says of a client; undefined where it lacks held-back records or trained ones. */
export async function halvesOf(
  client: string,
  truth: TruthFile,
  knowledge: Pick<KnowledgeFile, 'metaclass' | 'metaclasses'> | undefined,
): Promise<Halves | undefined> {
  const names = {
    ...(knowledge?.metaclass !== undefined && { metaclass: knowledge.metaclass }),
    ...(knowledge?.metaclasses !== undefined && { metaclasses: knowledge.metaclasses }),
  }
  const trained = await truth.client(client, names)
  const held = await truth.heldBack(client, names)
  if (trained === undefined || held === undefined) return undefined
  if (trained.features.rows === 0 || held.features.rows === 0) return undefined
  const numbered = ({ features }: Table, from: number): string[] =>
    Array.from({ length: features.rows }, (_, i) => String(from + i))
  return {
    trained,
    held,
    trainedIds: (await truth.ids(client)) ?? numbered(trained, 0),
    heldIds: (await truth.heldBackIds(client)) ?? numbered(held, trained.features.rows),
  }
}

/** All records of both halves in random order: whoever is asked cannot tell which is which. */
export function wholeList({ trained, held, trainedIds, heldIds }: Halves, rng: Rng): AskedList {
  const both = joined(trained, held)
  const order = rng.fork('order').permutation(both.features.rows)
  const placeOf = new Int32Array(order.length)
  order.forEach((row, place) => {
    placeOf[row] = place
  })
  const ids = [...trainedIds, ...heldIds]
  const n = trained.features.rows
  return {
    table: pickRows(both, order),
    trained: placeOf.slice(0, n),
    held: placeOf.slice(n),
    ids: Array.from(order, (row) => ids[row]!),
  }
}

/** The same list, of which as many trained as held-back records count, drawn at random. */
export function equalHalves(list: AskedList, rng: Rng): AskedList {
  const n = Math.min(list.trained.length, list.held.length)
  const cut = (places: Int32Array, name: string): Int32Array =>
    places.length === n
      ? places
      : rng
          .fork('cut', name)
          .sample(places.length, n)
          .map((i) => places[i]!)
  return { ...list, trained: cut(list.trained, 'trained'), held: cut(list.held, 'held back') }
}

/** The same list, of which the rows of a batch count and as many held-back ones; undefined: too few were held back. */
export function batchHalves(list: AskedList, batch: ArrayLike<number> | undefined, rng: Rng): AskedList | undefined {
  const trained = batch === undefined ? list.trained : Int32Array.from(batch, (row) => list.trained[row]!)
  if (trained.length > list.held.length) return undefined
  const held = rng
    .fork('batch')
    .sample(list.held.length, trained.length)
    .map((i) => list.held[i]!)
  return { ...list, trained, held }
}

/** One table below the other; they have the same columns. */
export function joined(above: Table, below: Table): Table {
  const both = (a: Float64Array | undefined, b: Float64Array | undefined): Float64Array | undefined =>
    a === undefined || b === undefined ? undefined : appended(a, b)
  const labels = both(above.labels, below.labels)
  const metaclasses = both(above.metaclasses, below.metaclasses)
  return {
    columns: above.columns,
    features: {
      rows: above.features.rows + below.features.rows,
      cols: above.features.cols,
      data: appended(above.features.data, below.features.data),
    },
    ...(labels !== undefined && { labels }),
    ...(metaclasses !== undefined && { metaclasses }),
  }
}

function appended(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** Which places are called trained and held back under one candidate. */
export interface Labelling {
  readonly trained: Int32Array
  readonly held: Int32Array
}

/** How many more of the truly trained are called trained than held back, in shares: 1 for the true labelling. */
export function contrastsOf(candidates: readonly Labelling[]): number[] {
  const trained = new Set(candidates[0]!.trained)
  const share = (places: Int32Array): number =>
    places.reduce((sum, at) => sum + (trained.has(at) ? 1 : 0), 0) / places.length
  return candidates.map((one) => share(one.trained) - share(one.held))
}

/**
 * The true labelling, then as many others as asked for: each moves the names of all places at random. Places
 * ascend, so that the same records give the same sum.
 */
export function labellings({ table, trained, held }: AskedList, count: number, rng: Rng): Labelling[] {
  const moved = Array.from({ length: count }, (_, k) => {
    const to = rng.fork(k).permutation(table.features.rows)
    return { trained: trained.map((i) => to[i]!).sort(), held: held.map((i) => to[i]!).sort() }
  })
  return [{ trained: trained.slice().sort(), held: held.slice().sort() }, ...moved]
}
