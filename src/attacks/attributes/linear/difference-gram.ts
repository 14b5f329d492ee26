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
  let S: Buffer | undefined
  let Q: Buffer | undefined
  return {
    add({ first, rest }, weight, less) {
      S ??= publicProducts(shown, n, k1)
      if (Q === undefined) {
        Q = host.allocate(8 * N * N)
        host.f64.fill(Q.address, N * N, 0)
      }
      const K = less?.directions.count ?? 0
      const z = less?.directions.z ?? 0
      const single = less?.single === true
      const taken = scratch(K + (single ? kernels.gramSingleRoom(N, n, h, e, K) : kernels.gramRoom(K)))
      if (less !== undefined) host.view('f64', taken, K).set(less.taken)
      const add = single ? kernels.gramAddSingle : kernels.gramAdd
      add(Q.address, N, n, S.address, first, h, rest, e, z, K, taken, weight, taken + 8 * K)
    },
    take() {
      const whole = Q === undefined ? new Float64Array(N * N) : host.view('f64', Q.address, N * N).slice()
      for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) whole[i * N + j] = whole[j * N + i]!
      if (Q !== undefined) host.release(Q)
      Q = undefined
      return whole as Float64Array
    },
    release() {
      if (Q !== undefined) host.release(Q)
      if (S !== undefined) host.release(S)
      scratch.release()
      ;[Q, S] = [undefined, undefined]
    },
  }
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
