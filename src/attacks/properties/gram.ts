/** Inner products of all pairs of long rows, in the compiled kernels, in doubles; rows come and go in blocks. */
import { engine } from '../../numeric/engine.js'
import { gemmAddLimit, gemmMode } from '../../numeric/kernels.js'
import { type Matrix, matrix } from '../../numeric/matrix.js'

/** Long rows, one after the other. */
export interface Rows {
  readonly count: number
  readonly length: number
  readonly data: Float32Array
}

/** Rows that are made again whenever they are needed: `read` gives those from `start` on, at most `blockRows` of them. */
export interface RowSource {
  readonly count: number
  readonly blockRows: number
  read(start: number): Rows
}

/** K = Z Zᵀ. With one block every row is read once; with more, as often as there are blocks. */
export function gram(source: RowSource): Matrix {
  const { count: n, blockRows } = source
  const K = matrix(n, n)
  for (let i = 0; i < n; i += blockRows) {
    const left = { start: i, rows: source.read(i) }
    productsInto(K, left, left)
    for (let j = 0; j < i; j += blockRows) productsInto(K, left, { start: j, rows: source.read(j) })
  }
  return K
}

interface Block {
  readonly start: number
  readonly rows: Rows
}

/** Rows of a strip, so that of a symmetric product little more than one triangle is computed. */
const strip = 96

function productsInto(K: Matrix, left: Block, right: Block): void {
  const [m, n, z] = [left.rows.count, right.rows.count, left.rows.length]
  const same = left.start === right.start
  const strips: { readonly from: number; readonly rows: number; readonly cols: number; readonly at: number }[] = []
  let doubles = 0
  for (let from = 0; from < m; from += strip) {
    const rows = Math.min(strip, m - from)
    const cols = same ? from + rows : n
    strips.push({ from, rows, cols, at: doubles })
    doubles += rows * cols
  }
  const host = engine()
  const width = Math.min(gemmAddLimit, z)
  const [a, b] = [host.allocate(8 * m * width), host.allocate(8 * n * width)]
  const [product, one] = [host.allocate(8 * doubles), host.allocate(8)]
  host.f64.fill(product.address, doubles, 0)
  host.writeOne('f64', one.address, 1)
  for (let from = 0; from < z; from += width) {
    const k = Math.min(width, z - from)
    const put = ({ count, data }: Rows, address: number): void => {
      const to = host.view('f64', address, count * k)
      for (let i = 0; i < count; i++) to.set(data.subarray(i * z + from, i * z + from + k), i * k)
    }
    put(left.rows, a.address)
    if (!same) put(right.rows, b.address)
    const columns = same ? a.address : b.address
    for (const { from: i, rows, cols, at } of strips) {
      const [c, x] = [product.address + 8 * at, a.address + 8 * i * k]
      host.f64.gemm(c, x, columns, rows, cols, k, k, 1, 1, k, 0, one.address, gemmMode.add)
    }
  }
  const found = host.view('f64', product.address, doubles)
  for (const { from, rows, cols, at } of strips) {
    for (let p = 0; p < rows; p++) {
      const i = left.start + from + p
      for (let q = 0; q < (same ? from + p + 1 : cols); q++) {
        const j = right.start + q
        K.data[i * K.cols + j] = found[at + p * cols + q]!
        K.data[j * K.cols + i] = K.data[i * K.cols + j]!
      }
    }
  }
  for (const buffer of [a, b, product, one]) host.release(buffer)
}
