// Whole numbers modulo 2^32. Meaning: `addMask` of src/defences/secure-aggregation/masks.ts.

/** to += from, n words. */
export function addWords(to: usize, from: usize, n: i32): void {
  let j = 0
  for (; j + 8 <= n; j += 8, to += 32, from += 32) {
    v128.store(to, i32x4.add(v128.load(to), v128.load(from)))
    v128.store(to, i32x4.add(v128.load(to, 16), v128.load(from, 16)), 16)
  }
  for (; j < n; j++, to += 4, from += 4) store<u32>(to, load<u32>(to) + load<u32>(from))
}

/** to -= from, n words. */
export function subtractWords(to: usize, from: usize, n: i32): void {
  let j = 0
  for (; j + 8 <= n; j += 8, to += 32, from += 32) {
    v128.store(to, i32x4.sub(v128.load(to), v128.load(from)))
    v128.store(to, i32x4.sub(v128.load(to, 16), v128.load(from, 16)), 16)
  }
  for (; j < n; j++, to += 4, from += 4) store<u32>(to, load<u32>(to) - load<u32>(from))
}
