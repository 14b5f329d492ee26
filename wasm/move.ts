// Kernels that move values without arithmetic (scatter adds).

/** to[i, j] = from[i, index[j]] */
// @ts-ignore: decorator
@inline export function gatherCols<T>(to: usize, from: usize, rows: i32, fromCols: i32, index: usize, cols: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) store<T>(to + j * s, load<T>(from + load<i32>(index + 4 * j) * s))
    to += cols * s
    from += fromCols * s
  }
}

/** to = 0, then to[i, index[j]] += from[i, j], j ascending */
// @ts-ignore: decorator
@inline export function scatterCols<T>(to: usize, from: usize, rows: i32, toCols: i32, index: usize, cols: i32): void {
  const s = <i32>sizeof<T>()
  memory.fill(to, 0, rows * toCols * s)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const at = to + load<i32>(index + 4 * j) * s
      store<T>(at, <T>(load<T>(at) + load<T>(from + j * s)))
    }
    to += toCols * s
    from += cols * s
  }
}

/** to[i, :] = from[index[i], :]. Short rows by vectors: a bulk copy costs more than they do. */
// @ts-ignore: decorator
@inline export function gatherRows<T>(to: usize, from: usize, index: usize, rows: i32, cols: i32): void {
  const s = <i32>sizeof<T>()
  const bytes = cols * s
  for (let i = 0; i < rows; i++) {
    const row = from + load<i32>(index + 4 * i) * bytes
    if (bytes > 512) memory.copy(to, row, bytes)
    else {
      let at = 0
      for (; at + 16 <= bytes; at += 16) v128.store(to + at, v128.load(row + at))
      for (; at < bytes; at += s) store<T>(to + at, load<T>(row + at))
    }
    to += bytes
  }
}

// @ts-ignore: decorator
@inline export function fill<T>(to: usize, n: i32, value: f64): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < n; i++) store<T>(to + i * s, <T>value)
}

/** Repeats a value, a row or a column over [rows, cols]; steps as in `binary`. */
// @ts-ignore: decorator
@inline export function broadcast<T>(to: usize, from: usize, rows: i32, cols: i32, fromRow: i32, fromCol: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) {
    if (fromCol == 1) memory.copy(to, from, cols * s)
    else {
      const x = load<T>(from)
      for (let j = 0; j < cols; j++) store<T>(to + j * s, x)
    }
    to += cols * s
    from += fromRow * s
  }
}
