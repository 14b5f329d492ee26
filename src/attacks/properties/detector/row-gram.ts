/** Inner products of all pairs of long standardised rows, and weighted sums of them, in doubles; rows come in blocks. */
import { engine } from '../../../numeric/engine/engine.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'

/** Some rows of f32 in kernel memory, the first of which is number `start`. */
export interface RowBlock {
  readonly start: number
  readonly count: number
  readonly address: number
}

/** Rows that are made again whenever they are needed; (row - mean) / scale is what is meant. */
export interface RowSource {
  readonly count: number
  readonly blockRows: number
  readonly length: number
  /** From one row to the next: the length, or up to three zeros more, so that it is a multiple of four. */
  readonly stride: number
  /** Where `stride` doubles lie in kernel memory. */
  readonly meanAt: number
  readonly scaleAt: number
  /** The rows from `start` on, at most `blockRows` of them. The two blocks that were read last stay where they are. */
  read(start: number): RowBlock
}

/** Columns that are treated at once. */
const span = 256

export function forEachSpan(stride: number, visit: (from: number, width: number) => void): void {
  for (let from = 0; from < stride; from += span) visit(from, Math.min(span, stride - from))
}

/** K = Z Zᵀ, every entry summed over the columns in their order. */
export function gram(source: RowSource): Matrix {
  const { count: n, blockRows } = source
  const K = matrix(n, n)
  for (let i = 0; i < n; i += blockRows) {
    const left = source.read(i)
    productsInto(K, source, { left, right: left })
    for (let j = 0; j < i; j += blockRows) {
      source.read(i) // stays among the last two
      productsInto(K, source, { left, right: source.read(j) })
    }
  }
  return K
}

interface Pair {
  readonly left: RowBlock
  readonly right: RowBlock
}

function productsInto(K: Matrix, { stride, meanAt, scaleAt }: RowSource, { left, right }: Pair): void {
  const host = engine()
  const same = left === right
  const [m, n] = [Math.ceil(left.count / 4), Math.ceil(right.count / 4)]
  const doubles = 16 * (same ? (m * (m + 1)) / 2 : m * n)
  const width = Math.min(span, stride)
  const [a, b] = [host.allocate(32 * m * width), host.allocate(same ? 0 : 32 * n * width)]
  const squares = host.allocate(8 * doubles)
  host.f64.fill(squares.address, doubles, 0)
  forEachSpan(stride, (from, w) => {
    const pack = ({ address, count }: RowBlock, to: number): void =>
      host.rows.pack(to, address + 4 * from, stride, count, w, meanAt + 8 * from, scaleAt + 8 * from)
    pack(left, a.address)
    if (!same) pack(right, b.address)
    host.rows.products(squares.address, a.address, m, same ? a.address : b.address, n, w, same ? 1 : 0)
  })
  const found = host.view('f64', squares.address, doubles)
  for (let p = 0; p < left.count; p++) {
    const group = p >> 2
    const from = 16 * (same ? (group * (group + 1)) / 2 : group * n) + 4 * (p & 3)
    const i = left.start + p
    for (let q = 0; q < (same ? p + 1 : right.count); q++) {
      const j = right.start + q
      const value = found[from + 16 * (q >> 2) + (q & 3)]!
      K.data[i * K.cols + j] = value
      K.data[j * K.cols + i] = value
    }
  }
  for (const buffer of [a, b, squares]) host.release(buffer)
}

/** For each list of weights beta, one per row: the sum over k of beta_k (row_k - mean), not divided by the scale. */
export function weightedRows(source: RowSource, weights: readonly Float64Array[]): readonly Float64Array[] {
  const { count: n, blockRows, length: z, stride, meanAt } = source
  const m = weights.length
  const host = engine()
  const [sums, by] = [host.allocate(8 * m * stride), host.allocate(8 * m * blockRows)]
  host.f64.fill(sums.address, m * stride, 0)
  for (let start = 0; start < n; start += blockRows) {
    const { count, address } = source.read(start)
    const part = host.view('f64', by.address, m * count)
    for (const [q, beta] of weights.entries()) part.set(beta.subarray(start, start + count), q * count)
    forEachSpan(stride, (from, w) => {
      const [to, rows, mean] = [sums.address + 8 * from, address + 4 * from, meanAt + 8 * from]
      host.rows.weigh(to, by.address, m, rows, stride, count, w, mean)
    })
  }
  const found = weights.map((_, q) => new Float64Array(host.view('f64', sums.address + 8 * q * stride, z)))
  for (const buffer of [sums, by]) host.release(buffer)
  return found
}
