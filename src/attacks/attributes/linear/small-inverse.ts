/** The inverse of a small matrix, by elimination with row exchanges. */
export function inverse(A: Float64Array, m: number): Float64Array {
  if (m === 1) return Float64Array.of(1 / A[0]!)
  const left = A.slice()
  const right = new Float64Array(m * m)
  for (let c = 0; c < m; c++) right[c * (m + 1)] = 1
  for (let c = 0; c < m; c++) {
    let top = c
    for (let r = c + 1; r < m; r++) if (Math.abs(left[r * m + c]!) > Math.abs(left[top * m + c]!)) top = r
    for (const rows of [left, right]) {
      const own = rows.slice(c * m, (c + 1) * m)
      rows.copyWithin(c * m, top * m, (top + 1) * m)
      rows.set(own, top * m)
    }
    const pivot = left[c * (m + 1)]!
    for (const rows of [left, right]) for (let j = 0; j < m; j++) rows[c * m + j]! /= pivot
    for (let r = 0; r < m; r++) {
      if (r === c) continue
      const by = left[r * m + c]!
      for (const rows of [left, right]) for (let j = 0; j < m; j++) rows[r * m + j]! -= by * rows[c * m + j]!
    }
  }
  return right
}
