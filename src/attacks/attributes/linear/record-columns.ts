/** The columns of D at one model, as factors in kernel memory, and products with them. */
import { type Buffer, type Engine, engine } from '../../../numeric/engine/engine.js'
import { type ColumnLayout, shownSquares } from './column-layout.js'

/** Where factors are to be written: `first` [N, h] and `rest` [N, e], addresses in the memory of `host`. */
export interface Room {
  readonly host: Engine
  readonly first: number
  readonly rest: number
}

/** Writes the factors at a model; gives the sum of all records' gradients at value 0. */
export type FillFactors = (theta: Float64Array, room: Room) => Float64Array

/** The factors of D at one model. Those that are not kept are valid until others are asked for. */
export interface RecordColumns {
  readonly first: number
  readonly rest: number
  /** The sum of all records' gradients at value 0. */
  readonly base: Float64Array
}

/** Directions in parameter space, cut to meet the factors. */
export interface Directions {
  readonly count: number
  set(k: number, u: Float64Array): void
  readonly ut: number
  readonly ur: number
  readonly z: number
}

export interface Factors {
  readonly layout: ColumnLayout
  readonly host: Engine
  at(theta: Float64Array): RecordColumns
  /** From now on the factors at these models are worth keeping, and no others. */
  keep(thetas: readonly Float64Array[]): void
  /** Room for so many directions, the first of which are given. */
  directions(count: number, given?: readonly Float64Array[]): Directions
  /** D^T U, [N, count], also left at `directions.z`. */
  along(columns: RecordColumns, directions: Directions): Float64Array
  /** D p for each p. */
  sums(columns: RecordColumns, p: readonly Float64Array[]): Float64Array[]
  /** |d|^2 of every column. */
  squares(columns: RecordColumns): Float64Array
  release(): void
}

/** Bytes of factors that are kept, beyond which they are computed whenever they are asked for. */
const mostKept = 800e6
/** Share of zeros in what records show beyond which they are passed over. */
const sparseFrom = 0.75

interface Kept {
  readonly buffers: readonly [Buffer, Buffer]
  theta: Float64Array | undefined
  columns: RecordColumns | undefined
}

export function factorsOf(layout: ColumnLayout, fill: FillFactors, most = mostKept): Factors {
  const host = engine()
  const { n, N, h, e, k1, shown } = layout
  const kernels = host.columns
  const scratch = scratchOf(host)
  const x = put(host, shown)
  const sparse = Number(shown.filter((v) => v === 0).length > sparseFrom * shown.length)
  const squaresShown = shownSquares(layout)
  const perRound = 8 * N * (h + e)
  const places = new Map<Float64Array, Kept>()
  const spare: Kept[] = []
  let passing: Kept | undefined
  let worth = new Set<Float64Array>()
  const fresh = (): Kept => {
    const buffers = [host.allocate(8 * N * h), host.allocate(8 * N * e)] as const
    return { buffers, theta: undefined, columns: undefined }
  }
  const filled = (kept: Kept, theta: Float64Array): RecordColumns => {
    const [first, rest] = [kept.buffers[0].address, kept.buffers[1].address]
    kept.theta = theta
    kept.columns = { first, rest, base: fill(theta, { host, first, rest }) }
    return kept.columns
  }
  return {
    layout,
    host,
    at(theta) {
      const known = places.get(theta)
      if (known !== undefined) return known.columns!
      if (worth.has(theta) && (places.size + 1) * perRound <= most) {
        const kept = spare.pop() ?? fresh()
        places.set(theta, kept)
        return filled(kept, theta)
      }
      passing ??= fresh()
      return passing.theta === theta ? passing.columns! : filled(passing, theta)
    },
    keep(thetas) {
      worth = new Set(thetas)
      for (const [theta, kept] of places) {
        if (worth.has(theta)) continue
        places.delete(theta)
        spare.push(kept)
      }
    },
    directions: (count, given = []) => directionsOf(layout, host, { count, given, sparse: sparse === 1 }),
    along({ first, rest }, { count, ut, ur, z }) {
      const work = scratch(kernels.alongRoom(h, k1, count))
      kernels.along(z, first, h, rest, e, x.address, k1, n, N, ut, ur, count, sparse, work)
      return Float64Array.from(host.view('f64', z, N * count))
    },
    sums({ first, rest }, p) {
      const K = p.length
      const [weights, wt, r] = [K * N, h * K * k1, K * e]
      const at = scratch(weights + wt + r + kernels.sumRoom(k1, K))
      const view = host.view('f64', at, weights)
      for (const [k, one] of p.entries()) view.set(one, k * N)
      const [toWt, toR, work] = [at + 8 * weights, at + 8 * (weights + wt), at + 8 * (weights + wt + r)]
      kernels.sum(toWt, toR, first, h, rest, e, x.address, k1, n, N, at, K, work)
      const [W, R] = [host.view('f64', toWt, wt), host.view('f64', toR, r)]
      return p.map((_, k) => joined(layout, { W, R, k, K }))
    },
    squares({ first, rest }) {
      const [F, R] = [host.view('f64', first, N * h), host.view('f64', rest, N * e)]
      return Float64Array.from({ length: N }, (_, c) => {
        let [a, b] = [0, 0]
        for (let j = 0; j < h; j++) a += F[c * h + j]! * F[c * h + j]!
        for (let j = 0; j < e; j++) b += R[c * e + j]! * R[c * e + j]!
        return a * squaresShown[c % n]! + b
      })
    },
    release() {
      const held = [...places.values(), ...spare.splice(0), ...(passing === undefined ? [] : [passing])]
      for (const { buffers } of held) buffers.forEach(host.release)
      places.clear()
      passing = undefined
      scratch.release()
    },
  }
}

function directionsOf(
  { k1, h, e, N, meetsFirst, meetsRest }: ColumnLayout,
  host: Engine,
  {
    count,
    given,
    sparse,
  }: { readonly count: number; readonly given: readonly Float64Array[]; readonly sparse: boolean },
): Directions {
  const buffers = [8 * k1 * count * h, 8 * count * e, 8 * N * count].map((bytes) => host.allocate(bytes))
  const [ut, ur, z] = buffers.map(({ address }) => address) as [number, number, number]
  const set = (k: number, u: Float64Array): void => {
    const first = host.view('f64', ut, k1 * count * h)
    for (let a = 0; a < h; a++) {
      for (let j = 0; j < k1; j++) {
        const to = sparse ? (j * count + k) * h + a : (a * count + k) * k1 + j
        first[to] = u[meetsFirst[a * k1 + j]!]!
      }
    }
    const rest = host.view('f64', ur + 8 * k * e, e)
    for (let j = 0; j < e; j++) rest[j] = u[meetsRest[j]!]!
  }
  for (const [k, u] of given.entries()) set(k, u)
  // The buffers live as long as this object does.
  return Object.assign({ count, set, ut, ur, z }, { buffers })
}

interface Parts {
  readonly W: Float64Array | Float32Array // [h, K k1]
  readonly R: Float64Array | Float32Array // [K, e]
  readonly k: number
  readonly K: number
}

function joined({ size, h, e, k1, meetsFirst, meetsRest }: ColumnLayout, { W, R, k, K }: Parts): Float64Array {
  const out = new Float64Array(size)
  for (let a = 0; a < h; a++) for (let j = 0; j < k1; j++) out[meetsFirst[a * k1 + j]!] = W[a * K * k1 + k * k1 + j]!
  for (let j = 0; j < e; j++) out[meetsRest[j]!] = R[k * e + j]!
  return out
}

function put(host: Engine, values: Float64Array): Buffer {
  const buffer = host.allocate(8 * values.length)
  host.view('f64', buffer.address, values.length).set(values)
  return buffer
}

/** Room for so many doubles, the same again and again, and larger when it must. */
export function scratchOf(host: Engine) {
  let held: Buffer | undefined
  const room = (doubles: number): number => {
    if (held === undefined || held.bytes < 8 * doubles) {
      if (held !== undefined) host.release(held)
      held = host.allocate(8 * doubles)
    }
    return held.address
  }
  return Object.assign(room, {
    release() {
      if (held !== undefined) host.release(held)
      held = undefined
    },
  })
}
