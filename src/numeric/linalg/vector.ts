/** Sums over flat vectors of doubles, each in one fixed order. */

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Euclidean norm. Squares that overflow or vanish are scaled first; NaN and infinity come out as they are. */
export function norm(a: Float64Array): number {
  const squares = dot(a, a)
  if (squares > 1e-290 && squares < Number.POSITIVE_INFINITY) return Math.sqrt(squares)
  let largest = 0
  for (let i = 0; i < a.length; i++) {
    const size = Math.abs(a[i]!)
    if (!(size <= largest)) largest = size // also taken when size is NaN
    if (Number.isNaN(largest)) return largest
  }
  if (largest === 0 || largest === Number.POSITIVE_INFINITY) return largest
  let scaled = 0
  for (let i = 0; i < a.length; i++) scaled += (a[i]! / largest) * (a[i]! / largest)
  return largest * Math.sqrt(scaled)
}

export function addScaledInto(to: Float64Array, from: Float64Array, scale: number): void {
  for (let i = 0; i < to.length; i++) to[i]! += scale * from[i]!
}

/** Position of the first NaN or infinity, -1 if there is none. */
export function firstNonFinite(a: Float64Array): number {
  for (let i = 0; i < a.length; i++) if (!Number.isFinite(a[i])) return i
  return -1
}
