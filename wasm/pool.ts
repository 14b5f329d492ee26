// Max-pooling by index, and the gather and scatter that go with it.
import { width, zeros } from './lanes'

/** Column of the first largest value of each window (a NaN counts as largest). */
export function poolIndex<T>(to: usize, x: usize, n: i32, C: i32, H: i32, W: i32, size: i32, stride: i32, OH: i32, OW: i32): void {
  const s = <i32>sizeof<T>()
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < C; c++) {
      for (let i = 0; i < OH; i++) {
        const corner = (c * H + i * stride) * W
        let j = 0
        if (size == 2 && stride == 2) j = pairs<T>(to, x + corner * s, W, OW, corner)
        for (; j < OW; j++) store<T>(to + j * s, <T>winner<T>(x, corner + j * stride, W, size))
        to += OW * s
      }
    }
    x += C * H * W * s
  }
}

function winner<T>(x: usize, corner: i32, W: i32, size: i32): i32 {
  const s = <i32>sizeof<T>()
  let best = corner
  let top = load<T>(x + corner * s)
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) {
      const at = corner + a * W + b
      const value = load<T>(x + at * s)
      if (value > top || (value != value && top == top)) {
        best = at
        top = value
      }
    }
  }
  return best
}

// @ts-ignore: decorator
@inline function evens<T>(a: v128, b: v128): v128 {
  if (sizeof<T>() == 4) return v128.shuffle<f32>(a, b, 0, 2, 4, 6)
  return v128.shuffle<f64>(a, b, 0, 2)
}
// @ts-ignore: decorator
@inline function odds<T>(a: v128, b: v128): v128 {
  if (sizeof<T>() == 4) return v128.shuffle<f32>(a, b, 1, 3, 5, 7)
  return v128.shuffle<f64>(a, b, 1, 3)
}
// @ts-ignore: decorator
@inline function beats<T>(value: v128, top: v128): v128 {
  return v128.or(v128.gt<T>(value, top), v128.and(v128.ne<T>(value, value), v128.eq<T>(top, top)))
}

/** One row of 2 x 2 windows, a vector of windows at a time, the last one over again if need be; returns how many it did. */
// @ts-ignore: decorator
@inline function pairs<T>(to: usize, row: usize, W: i32, OW: i32, corner: i32): i32 {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const below = row + W * s
  // 0, 2, 4, ..: the windows' corners
  let steps = v128.splat<T>(<T>0)
  for (let l = 0; l < V; l++) steps = l == 0 ? steps : putLane<T>(steps, l, <T>(l * 2))
  if (OW < V) return 0
  for (let done = 0; done < OW; done += V) {
    const j = min(done, OW - V)
    const at = 2 * j * s
    const a0 = v128.load(row + at), a1 = v128.load(row + at, 16)
    const b0 = v128.load(below + at), b1 = v128.load(below + at, 16)
    let top = evens<T>(a0, a1)
    let shift = zeros()
    let value = odds<T>(a0, a1)
    let wins = beats<T>(value, top)
    top = v128.bitselect(value, top, wins)
    shift = v128.bitselect(v128.splat<T>(<T>1), shift, wins)
    value = evens<T>(b0, b1)
    wins = beats<T>(value, top)
    top = v128.bitselect(value, top, wins)
    shift = v128.bitselect(v128.splat<T>(<T>W), shift, wins)
    value = odds<T>(b0, b1)
    wins = beats<T>(value, top)
    shift = v128.bitselect(v128.splat<T>(<T>(W + 1)), shift, wins)
    const base = v128.add<T>(v128.splat<T>(<T>(corner + 2 * j)), steps)
    v128.store(to + j * s, v128.add<T>(base, shift))
  }
  return OW
}

// @ts-ignore: decorator
@inline function putLane<T>(v: v128, lane: i32, x: T): v128 {
  if (sizeof<T>() == 8) return f64x2.replace_lane(v, 1, <f64>x)
  if (lane == 1) return f32x4.replace_lane(v, 1, <f32>x)
  if (lane == 2) return f32x4.replace_lane(v, 2, <f32>x)
  return f32x4.replace_lane(v, 3, <f32>x)
}

export function pick<T>(to: usize, from: usize, index: usize, rows: i32, cols: i32, fromCols: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) store<T>(to + j * s, load<T>(from + <i32>load<T>(index + j * s) * s))
    to += cols * s
    index += cols * s
    from += fromCols * s
  }
}

export function place<T>(to: usize, from: usize, index: usize, rows: i32, cols: i32, toCols: i32): void {
  const s = <i32>sizeof<T>()
  memory.fill(to, 0, rows * toCols * s)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const at = to + <i32>load<T>(index + j * s) * s
      store<T>(at, <T>(load<T>(at) + load<T>(from + j * s)))
    }
    from += cols * s
    index += cols * s
    to += toCols * s
  }
}

/** Each of n values, `times` times in a row. */
export function repeatEach<T>(to: usize, from: usize, n: i32, times: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < n; i++) {
    const x = load<T>(from + i * s)
    for (let k = 0; k < times; k++) store<T>(to + k * s, x)
    to += times * s
  }
}
