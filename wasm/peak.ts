// What this machine's plain SIMD can do at most: independent streams of multiplications and additions in registers.

/**
 * n turns of six multiplications and six additions of vectors, none waiting for another: enough to cover latencies of
 * three to four cycles on two pipes for each. Reads a factor, an addend and twelve first values, one vector each, and
 * writes the sum of all streams over the factor so that none can be left out.
 */
export function peak<T>(at: usize, n: i32): void {
  const by = v128.load(at)
  const plus = v128.load(at, 16)
  let m0 = v128.load(at, 32), m1 = v128.load(at, 48), m2 = v128.load(at, 64)
  let m3 = v128.load(at, 80), m4 = v128.load(at, 96), m5 = v128.load(at, 112)
  let a0 = v128.load(at, 128), a1 = v128.load(at, 144), a2 = v128.load(at, 160)
  let a3 = v128.load(at, 176), a4 = v128.load(at, 192), a5 = v128.load(at, 208)
  for (let i = 0; i < n; i++) {
    m0 = v128.mul<T>(m0, by)
    a0 = v128.add<T>(a0, plus)
    m1 = v128.mul<T>(m1, by)
    a1 = v128.add<T>(a1, plus)
    m2 = v128.mul<T>(m2, by)
    a2 = v128.add<T>(a2, plus)
    m3 = v128.mul<T>(m3, by)
    a3 = v128.add<T>(a3, plus)
    m4 = v128.mul<T>(m4, by)
    a4 = v128.add<T>(a4, plus)
    m5 = v128.mul<T>(m5, by)
    a5 = v128.add<T>(a5, plus)
  }
  const m = v128.add<T>(v128.add<T>(v128.add<T>(m0, m1), v128.add<T>(m2, m3)), v128.add<T>(m4, m5))
  const a = v128.add<T>(v128.add<T>(v128.add<T>(a0, a1), v128.add<T>(a2, a3)), v128.add<T>(a4, a5))
  v128.store(at, v128.add<T>(m, a))
}
