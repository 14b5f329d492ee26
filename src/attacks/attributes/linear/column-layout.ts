/** How a vector shaped like theta is cut to meet the factors of D: the first layer's public columns, and all the rest. */

export interface ColumnLayout {
  /** Records, and unknowns: records times values beside the first. */
  readonly n: number
  readonly N: number
  /** Parameters. */
  readonly size: number
  /** Width of `first`, and of `rest`. */
  readonly h: number
  readonly e: number
  /** What each record shows whatever its value, [n, k1]: its public columns, and a one where the first layer has a bias. */
  readonly shown: Float64Array
  readonly k1: number
  /** Place in theta that meets first[a] shown[j], at a k1 + j. */
  readonly meetsFirst: Int32Array
  /** Place in theta that meets rest[j]. */
  readonly meetsRest: Int32Array
}

export interface LayoutInput {
  readonly n: number
  readonly values: number
  /** Records with any value, [n, k]. */
  readonly features: Float64Array
  readonly k: number
  readonly h: number
  readonly bias: number
  /** The columns in which the candidates differ. */
  readonly places: readonly number[]
  readonly size: number
}

/** For a fully connected model: theta is the first layer's weights [h, k], its biases, and the later layers. */
export function layersLayout({ n, values, features, k, h, bias, places, size }: LayoutInput): ColumnLayout {
  const open = Array.from({ length: k }, (_, j) => j).filter((j) => !places.includes(j))
  const k1 = open.length + bias
  const shown = new Float64Array(n * k1).fill(1)
  for (let i = 0; i < n; i++) for (const [c, j] of open.entries()) shown[i * k1 + c] = features[i * k + j]!
  const meetsFirst = new Int32Array(h * k1)
  for (let a = 0; a < h; a++) {
    for (const [c, j] of open.entries()) meetsFirst[a * k1 + c] = a * k + j
    if (bias === 1) meetsFirst[a * k1 + open.length] = h * k + a
  }
  const after = h * (k + bias)
  const e = places.length * h + size - after
  const meetsRest = new Int32Array(e)
  for (const [p, place] of places.entries()) for (let a = 0; a < h; a++) meetsRest[p * h + a] = a * k + place
  for (let j = places.length * h; j < e; j++) meetsRest[j] = after + j - places.length * h
  return { n, N: n * (values - 1), size, h, e, shown, k1, meetsFirst, meetsRest }
}

/** Everything in `rest`. */
export function writtenLayout({ n, values, size }: Pick<LayoutInput, 'n' | 'values' | 'size'>): ColumnLayout {
  const meetsRest = Int32Array.from({ length: size }, (_, j) => j)
  const none = { h: 1, k1: 0, shown: new Float64Array(0), meetsFirst: new Int32Array(0) }
  return { n, N: n * (values - 1), size, e: size, ...none, meetsRest }
}

/** |x|^2 over what each record shows. */
export function shownSquares({ n, k1, shown }: ColumnLayout): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0
    for (let j = 0; j < k1; j++) sum += shown[i * k1 + j]! * shown[i * k1 + j]!
    return sum
  })
}
