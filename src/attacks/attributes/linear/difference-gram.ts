/** Sums of D^T M D over rounds, formed by layers: (delta_i . delta_j)(x_i . x_j + 1) and so on, D itself never. */
import { type Buffer, engine } from '../../../numeric/engine/engine.js'
import type { ColumnLayout } from './column-layout.js'
import { type Directions, type RecordColumns, scratchOf } from './record-columns.js'

export interface Gram {
  /**
   * Adds weight (D^T D - Z diag(taken) Z^T), where Z is what `along` left of the directions: one entry of `taken` for each,
   * 0 where nothing is to be taken away. Sums may be single, in half the time: good to a millionth of what is added.
   */
  add(at: RecordColumns, weight: number, less?: Less & { readonly single?: boolean }): void
  /** [N, N], both triangles; starts again from zero. */
  take(): Float64Array
  release(): void
}

/** What a change of metric takes away. */
export interface Less {
  readonly directions: Directions
  readonly taken: readonly number[]
}

export function gramOf(layout: ColumnLayout): Gram {
  const host = engine()
  const kernels = host.columns
  const { n, N, h, e, k1, shown } = layout
  const scratch = scratchOf(host)
  const held = new Map<'S' | 'Q' | 'tiles' | 'shown', Buffer>()
  /** A buffer by its name, made when it is first asked for. */
  const get = (name: 'S' | 'Q' | 'tiles' | 'shown', make: () => Buffer): number => {
    const buffer = held.get(name) ?? make()
    held.set(name, buffer)
    return buffer.address
  }
  const drop = (...names: ('S' | 'Q' | 'tiles' | 'shown')[]): void => {
    for (const name of names) {
      const buffer = held.get(name)
      if (buffer !== undefined) host.release(buffer)
      held.delete(name)
    }
  }
  const zeros = (doubles: number): Buffer => {
    const buffer = host.allocate(8 * doubles)
    host.f64.fill(buffer.address, doubles, 0)
    return buffer
  }
  const products = (): number => get('S', () => publicProducts(shown, n, k1))
  const productsInTiles = (): Buffer => {
    const from = products()
    const buffer = host.allocate(8 * kernels.tiledRoom(n, 1))
    kernels.intoTiles(buffer.address, from, n)
    return buffer
  }
  return {
    add({ first, rest }, weight, less) {
      const K = less?.directions.count ?? 0
      const z = less?.directions.z ?? 0
      const single = less?.single === true
      const S = single ? get('shown', productsInTiles) : products()
      const to = single ? get('tiles', () => zeros(kernels.tiledRoom(n, N / n))) : get('Q', () => zeros(N * N))
      const taken = scratch(K + (single ? kernels.gramSingleRoom(N, n, h, e, K) : kernels.gramRoom(K)))
      if (less !== undefined) host.view('f64', taken, K).set(less.taken)
      const add = single ? kernels.gramAddSingle : kernels.gramAdd
      add(to, N, n, S, first, h, rest, e, z, K, taken, weight, taken + 8 * K)
    },
    take() {
      const upper = held.get('Q')
      const q = get('Q', () => zeros(N * N))
      if (upper !== undefined) mirror(host.view('f64', q, N * N), N)
      const tiles = held.get('tiles')
      if (tiles !== undefined) kernels.addTiles(q, tiles.address, N, n)
      const whole = Float64Array.from(host.view('f64', q, N * N))
      drop('Q', 'tiles')
      return whole
    },
    release() {
      drop('Q', 'S', 'tiles', 'shown')
      scratch.release()
    },
  }
}

/** The upper triangle into the lower one. */
function mirror(Q: Float64Array | Float32Array, N: number): void {
  for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) Q[i * N + j] = Q[j * N + i]!
}

/** x_i . x_j over what records show: what multiplies delta_i . delta_j in the first layer. */
function publicProducts(shown: Float64Array, n: number, k1: number): Buffer {
  const host = engine()
  const S = host.allocate(8 * n * n)
  if (k1 === 0) {
    host.f64.fill(S.address, n * n, 0)
    return S
  }
  const x = host.allocate(8 * n * k1)
  host.view('f64', x.address, n * k1).set(shown)
  host.f64.gemm(S.address, x.address, x.address, n, n, k1, k1, 1, 1, k1, 0, 0, 0)
  host.release(x)
  return S
}
