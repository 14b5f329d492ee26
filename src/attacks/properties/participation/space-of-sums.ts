/** The space that a federation's sums span, round by round: what columns of its participation matrix lie in. */
import { leadingEigen } from '../../../numeric/linalg/eigen.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { medianOf } from '../../../numeric/special/summaries.js'
import type { Aggregate, Series } from '../../../threat/granted-keys.js'

export interface SpaceOfSums {
  /** Projects onto what lies outside: [n, n]. */
  readonly outside: Float64Array
  /** Of the space: the number of clients, or less where the sums span less. */
  readonly rank: number
  /** Share of the sums' squares that lies outside. */
  readonly left: number
  /** Whether every sum was taken in units of the usual length around its round. */
  readonly levelled: boolean
}

/** Bytes of sums that are in memory at once; of more, some are read again. */
const mostBytes = 256 * 1024 * 1024
/** Directions whose square is a smaller share of the largest are rounding. */
const rounding = 1e-13
/** Rounds on either side whose lengths say what is usual. */
const around = 10

/** The leading left singular vectors of B, as many as there are clients, from B B'. */
export async function spacesOfSums(
  aggregates: Series<Aggregate>,
  rounds: readonly number[],
  clients: number,
): Promise<readonly SpaceOfSums[]> {
  const n = rounds.length
  const products = await productsOf(aggregates, rounds)
  const asHeard = { ...spaceOf(products, n, clients), levelled: false }
  // Where updates become smaller together as training goes on, B is A W only after each sum is divided by how long sums are then.
  const lengths = rounds.map((_, r) => Math.sqrt(products[r * n + r]!))
  const usual = lengths.map((_, r) => medianOf(lengths.slice(Math.max(0, r - around), r + around + 1)))
  if (usual.some((length) => !(length > 0))) return [asHeard]
  const level = products.map((x, k) => x / usual[Math.floor(k / n)]! / usual[k % n]!)
  return [asHeard, { ...spaceOf(level, n, clients), levelled: true }]
}

function spaceOf(products: Float64Array, n: number, clients: number): Omit<SpaceOfSums, 'levelled'> {
  const count = Math.min(clients, n)
  const { values, rows } = leadingEigen(matrix(n, n, products), count)
  const largest = values[n - 1]!
  const rank = Array.from({ length: count }, (_, k) => values[n - 1 - k]!).filter(
    (x) => x > n * rounding * largest,
  ).length
  const outside = new Float64Array(n * n)
  for (let r = 0; r < n; r++) outside[r * n + r] = 1
  for (let k = count - rank; k < count; k++) {
    for (let r = 0; r < n; r++) {
      const x = rows.data[k * n + r]!
      for (let s = 0; s < n; s++) outside[r * n + s]! -= x * rows.data[k * n + s]!
    }
  }
  let [all, inside] = [0, 0]
  for (let k = 0; k < n; k++) {
    const value = Math.max(0, values[k]!)
    all += value
    if (k >= n - rank) inside += value
  }
  return { outside, rank, left: all === 0 ? 0 : 1 - inside / all }
}

/** B B'. */
async function productsOf(aggregates: Series<Aggregate>, rounds: readonly number[]): Promise<Float64Array> {
  const n = rounds.length
  const products = new Float64Array(n * n)
  const read = async (r: number): Promise<Float64Array> => (await aggregates.read(rounds[r]!)).dThetaSum
  const length = (await read(0)).length
  const held = Math.max(1, Math.floor(mostBytes / (8 * length)))
  for (let from = 0; from < n; from += held) {
    const block: Float64Array[] = []
    for (let r = from; r < Math.min(n, from + held); r++) block.push(await read(r))
    for (let s = from; s < n; s++) {
      const b = block[s - from] ?? (await read(s))
      for (const [k, a] of block.entries()) {
        const r = from + k
        if (r > s) break
        let sum = 0
        for (let j = 0; j < length; j++) sum += a[j]! * b[j]!
        products[r * n + s] = sum
        products[s * n + r] = sum
      }
    }
  }
  return products
}
