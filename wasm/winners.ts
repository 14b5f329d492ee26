// The transposes of a convolution (stride 1, no padding) for a cotangent that is zero but at the winners of a max-pool.
// Images are laid out position by position with their channels side by side: the rows of a patch are then long enough
// for vectors. Winners come filter by filter, as many for each, as a pool leaves them, and are added in that order.
import { madd, transposeSquare, width } from './lanes'

/**
 * Those of a filter's winners that are not zero, 16 bytes each: where their patch begins in bytes (offsets by position),
 * and their value at 8. Without a branch: which are zero cannot be foreseen. Returns the end of the list.
 */
// @ts-ignore: decorator
@inline function gather<T>(list: usize, c: usize, index: usize, count: i32, first: i32, offsets: usize): usize {
  const s = <i32>sizeof<T>()
  for (let q = 0; q < count; q++) {
    const g = load<T>(c + q * s)
    store<i32>(list, load<i32>(offsets + 4 * (<i32>load<T>(index + q * s) - first)))
    store<T>(list, g, 8)
    list += g == <T>0 ? 0 : 16
  }
  return list
}

/** Where the patch of each position begins, in bytes, when a position takes `size` bytes. */
function patchOffsets(to: usize, OH: i32, OW: i32, W: i32, size: i32): void {
  for (let i = 0; i < OH; i++) {
    for (let j = 0; j < OW; j++) {
      store<i32>(to, (i * W + j) * size)
      to += 4
    }
  }
}

/** to[P, C] = transpose of from[C, P]. */
function channelsLast<T>(to: usize, from: usize, C: i32, P: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  let c = 0
  for (; c + V <= C; c += V) {
    let p = 0
    for (; p + V <= P; p += V) transposeSquare<T>(from + (c * P + p) * s, P * s, to + (p * C + c) * s, C * s)
    for (; p < P; p++) for (let d = c; d < c + V; d++) store<T>(to + (p * C + d) * s, load<T>(from + (d * P + p) * s))
  }
  for (; c < C; c++) {
    const row = from + c * P * s
    let at = to + c * s
    for (let p = 0; p < P; p++) {
      store<T>(at, load<T>(row + p * s))
      at += C * s
    }
  }
}

/** The first C of `wide` channels: to[C, P] = transpose of from[P, wide]; wide is a multiple of the vectors' width. */
function channelsFirst<T>(to: usize, from: usize, C: i32, wide: i32, P: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  let c = 0
  for (; c + V <= C; c += V) {
    let p = 0
    for (; p + V <= P; p += V) transposeSquare<T>(from + (p * wide + c) * s, wide * s, to + (c * P + p) * s, P * s)
    for (; p < P; p++) for (let d = c; d < c + V; d++) store<T>(to + (d * P + p) * s, load<T>(from + (p * wide + d) * s))
  }
  for (; c < C; c++) for (let p = 0; p < P; p++) store<T>(to + (c * P + p) * s, load<T>(from + (p * wide + c) * s))
}

/**
 * sums (4 vectors) += g * patch for a list, in one piece of four vectors or two of two, where `pieces` says. Eight sums
 * would not do: their loads would take the registers.
 */
// @ts-ignore: decorator
@inline function addPieces<T>(sums: usize, image: usize, pieces: usize, four: bool, list: usize, end: usize): void {
  let s0 = v128.load(sums), s1 = v128.load(sums, 16), s2 = v128.load(sums, 32), s3 = v128.load(sums, 48)
  const p0 = image + load<i32>(pieces)
  const p1 = four ? p0 : image + load<i32>(pieces, 4)
  for (; list < end; list += 16) {
    const at = load<i32>(list)
    const g = v128.load_splat<T>(list + 8)
    const a = p0 + at, b = p1 + at
    s0 = madd<T>(s0, g, v128.load(a)); s1 = madd<T>(s1, g, v128.load(a, 16))
    if (four) {
      s2 = madd<T>(s2, g, v128.load(a, 32)); s3 = madd<T>(s3, g, v128.load(a, 48))
    } else {
      s2 = madd<T>(s2, g, v128.load(b)); s3 = madd<T>(s3, g, v128.load(b, 16))
    }
  }
  v128.store(sums, s0); v128.store(sums, s1, 16); v128.store(sums, s2, 32); v128.store(sums, s3, 48)
}

function addFour<T>(sums: usize, image: usize, pieces: usize, list: usize, end: usize): void { addPieces<T>(sums, image, pieces, true, list, end) }
function addTwos<T>(sums: usize, image: usize, pieces: usize, list: usize, end: usize): void { addPieces<T>(sums, image, pieces, false, list, end) }

/**
 * convWeight of a cotangent that is c at the columns `index`. A row of a patch is read in pieces of two or four vectors,
 * whichever overshoots less. Scratch in bytes: for each filter 2 K (16 + K C) elements at most, of which whole blocks of
 * 64 bytes; the image and 128 bytes; 4 for each position and each piece; 16 for each winner of a filter and one more.
 */
export function convWeightAt<T>(to: usize, x: usize, c: usize, index: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32,
  K: i32, OH: i32, OW: i32, scratch: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const vectors = (K * C + V - 1) / V
  const fours = ((vectors - 1) & 3) > 1
  const size = fours ? 4 : 2 // vectors of a piece
  const inRow = (vectors + size - 1) / size
  const perBlock = 4 / size
  const blocks = (K * inRow + perBlock - 1) / perBlock
  const perFilter = winners / F
  const image = scratch + F * blocks * 64
  const offsets = image + C * H * W * s + 128
  const pieces = offsets + 4 * P
  const list = (pieces + 4 * blocks * perBlock + 15) & ~15
  memory.fill(scratch, 0, F * blocks * 64)
  memory.fill(image + C * H * W * s, 0, 128)
  patchOffsets(offsets, OH, OW, W, C * s)
  for (let q = 0; q < blocks * perBlock; q++) {
    const real = min(q, K * inRow - 1) // what fills the last block is added up and never read
    store<i32>(pieces + 4 * q, (real / inRow) * W * C * s + (real % inRow) * size * 16)
  }
  for (let r = 0; r < n; r++) {
    channelsLast<T>(image, x, C, H * W)
    for (let f = 0; f < F; f++) {
      const end = gather<T>(list, c, index, perFilter, f * P, offsets)
      for (let b = 0; b < blocks; b++) {
        const sums = scratch + (f * blocks + b) * 64
        if (fours) addFour<T>(sums, image, pieces + 4 * b * perBlock, list, end)
        else addTwos<T>(sums, image, pieces + 4 * b * perBlock, list, end)
      }
      c += perFilter * s
      index += perFilter * s
    }
    x += C * H * W * s
  }
  for (let f = 0; f < F; f++) {
    for (let ch = 0; ch < C; ch++) {
      for (let a = 0; a < K; a++) {
        const row = scratch + f * blocks * 64 + a * inRow * size * 16 + ch * s
        for (let b = 0; b < K; b++) {
          store<T>(to, load<T>(row + b * C * s))
          to += s
        }
      }
    }
  }
}

/** patch += g * filter in stretches of five vectors, side by side in the filter; `where` to `end` says where in the patch. */
// @ts-ignore: decorator
@inline function addFives<T>(patch: usize, where: usize, end: usize, filter: usize, g: v128): void {
  for (; where < end; where += 4) {
    const to = patch + load<i32>(where)
    const a = madd<T>(v128.load(to), g, v128.load(filter)), b = madd<T>(v128.load(to, 16), g, v128.load(filter, 16))
    const c = madd<T>(v128.load(to, 32), g, v128.load(filter, 32)), d = madd<T>(v128.load(to, 48), g, v128.load(filter, 48))
    const e = madd<T>(v128.load(to, 64), g, v128.load(filter, 64))
    v128.store(to, a); v128.store(to, b, 16); v128.store(to, c, 32); v128.store(to, d, 48); v128.store(to, e, 64)
    filter += 80
  }
}

/** The same in single vectors. */
// @ts-ignore: decorator
@inline function addOnes<T>(patch: usize, where: usize, end: usize, filter: usize, g: v128): void {
  for (; where < end; where += 4) {
    const to = patch + load<i32>(where)
    v128.store(to, madd<T>(v128.load(to), g, v128.load(filter)))
    filter += 16
  }
}

/**
 * convInput of a cotangent that is c at the columns `index`. Channels are rounded up to whole vectors, so that patches
 * that overlap do so by whole vectors. Scratch: the image and the filters so rounded, 4 bytes for each position and
 * each vector of a patch, 16 for each winner of a filter and one more.
 */
export function convInputAt<T>(to: usize, c: usize, index: usize, w: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32,
  K: i32, OH: i32, OW: i32, scratch: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const wide = (C + V - 1) & ~(V - 1)
  const step = wide * s
  const perFilter = winners / F
  const image = scratch
  const filters = image + H * W * step
  const offsets = filters + F * K * K * step
  const list = (offsets + 4 * P + 15) & ~15
  memory.fill(filters, 0, F * K * K * step)
  for (let f = 0; f < F; f++) {
    for (let ch = 0; ch < C; ch++) {
      for (let k = 0; k < K * K; k++) store<T>(filters + (f * K * K + k) * step + ch * s, load<T>(w + ((f * C + ch) * K * K + k) * s))
    }
  }
  patchOffsets(offsets, OH, OW, W, step)
  const where = list + 16 * (perFilter + 1)
  const five = K % 5 == 0
  const stretch = five ? 80 : 16
  const inRow = K * step / stretch
  const end = where + 4 * K * inRow
  for (let q = 0; q < K * inRow; q++) store<i32>(where + 4 * q, (q / inRow) * W * step + (q % inRow) * stretch)
  for (let r = 0; r < n; r++) {
    memory.fill(image, 0, H * W * step)
    for (let f = 0; f < F; f++) {
      const listEnd = gather<T>(list, c, index, perFilter, f * P, offsets)
      const filter = filters + f * K * K * step
      for (let at = list; at < listEnd; at += 16) {
        const g = v128.load_splat<T>(at + 8)
        const patch = image + load<i32>(at)
        if (five) addFives<T>(patch, where, end, filter, g)
        else addOnes<T>(patch, where, end, filter, g)
      }
      c += perFilter * s
      index += perFilter * s
    }
    channelsFirst<T>(to, image, C, wide, H * W)
    to += C * H * W * s
  }
}
