/** A fully connected network and its training in plain loops that share nothing with the engine: another people's client. */

export interface PlainSpec {
  /** Inputs, hidden layers, outputs. */
  readonly sizes: readonly number[]
  readonly activation?: 'relu' | 'tanh'
  readonly output?: 'identity' | 'sigmoid' | 'tanh' | 'softplus'
}

type Rows = readonly (readonly number[])[]
export interface PlainBatch {
  readonly X: Rows
  readonly Y: Rows
}

const hidden = {
  relu: { value: (u: number) => Math.max(0, u), slope: (u: number) => (u > 0 ? 1 : 0) },
  tanh: { value: Math.tanh, slope: (u: number) => 1 - Math.tanh(u) ** 2 },
}
const sigma = (u: number): number => 1 / (1 + Math.exp(-u))
const ends = {
  identity: { value: (u: number) => u, slope: () => 1 },
  sigmoid: { value: sigma, slope: (u: number) => sigma(u) * (1 - sigma(u)) },
  tanh: hidden.tanh,
  softplus: { value: (u: number) => Math.log1p(Math.exp(u)), slope: sigma },
}

const plainSize = ({ sizes }: PlainSpec): number =>
  sizes.slice(1).reduce((sum, out, l) => sum + out * (sizes[l]! + 1), 0)

/** The gradient of the mean squared error over records and outputs; weights [out, in] and a bias, layer by layer. */
export function plainGradient(spec: PlainSpec, theta: Float64Array, { X, Y }: PlainBatch): Float64Array {
  const { sizes, activation = 'relu', output = 'identity' } = spec
  const depth = sizes.length - 1
  const grad = new Float64Array(theta.length)
  const starts = sizes.slice(1).map((_, l) => plainSize({ sizes: sizes.slice(0, l + 1) }))
  for (const [r, x] of X.entries()) {
    const read: number[][] = [[...x]]
    const before: number[][] = []
    for (let l = 0; l < depth; l++) {
      const [wide, out] = [sizes[l]!, sizes[l + 1]!]
      const u = Array.from({ length: out }, (_, i) => {
        let sum = theta[starts[l]! + out * wide + i]!
        for (let j = 0; j < wide; j++) sum += theta[starts[l]! + i * wide + j]! * read[l]![j]!
        return sum
      })
      before.push(u)
      read.push(u.map(l === depth - 1 ? ends[output].value : hidden[activation].value))
    }
    const outputs = sizes[depth]!
    let delta = before[depth - 1]!.map(
      (u, o) => (2 * (read[depth]![o]! - Y[r]![o]!) * ends[output].slope(u)) / (X.length * outputs),
    )
    for (let l = depth - 1; l >= 0; l--) {
      const [wide, out] = [sizes[l]!, sizes[l + 1]!]
      const back = new Array<number>(wide).fill(0)
      for (let i = 0; i < out; i++) {
        grad[starts[l]! + out * wide + i]! += delta[i]!
        for (let j = 0; j < wide; j++) {
          grad[starts[l]! + i * wide + j]! += delta[i]! * read[l]![j]!
          back[j]! += delta[i]! * theta[starts[l]! + i * wide + j]!
        }
      }
      if (l > 0) delta = back.map((b, j) => b * hidden[activation].slope(before[l - 1]![j]!))
    }
  }
  return grad
}

export interface PlainTurn {
  readonly learningRate: number
  readonly epochs: number
  /** All of the records unless told. */
  readonly batchSize?: number
  readonly optimizer?: 'sgd' | 'adam'
}

/** The model after a turn; batches in the order of the records. */
export function plainTurn(spec: PlainSpec, theta: Float64Array, batch: PlainBatch, turn: PlainTurn): Float64Array {
  const { learningRate: eta, epochs, batchSize = batch.X.length, optimizer = 'sgd' } = turn
  const at = theta.slice()
  const [m, v] = [new Float64Array(at.length), new Float64Array(at.length)]
  let step = 0
  for (let e = 0; e < epochs; e++) {
    for (let start = 0; start < batch.X.length; start += batchSize) {
      const rows = { X: batch.X.slice(start, start + batchSize), Y: batch.Y.slice(start, start + batchSize) }
      const g = plainGradient(spec, at, rows)
      step++
      for (let j = 0; j < at.length; j++) {
        m[j] = 0.9 * m[j]! + 0.1 * g[j]!
        v[j] = 0.999 * v[j]! + 0.001 * g[j]! * g[j]!
        const adam = m[j]! / (1 - 0.9 ** step) / (Math.sqrt(v[j]! / (1 - 0.999 ** step)) + 1e-8)
        at[j]! -= eta * (optimizer === 'adam' ? adam : g[j]!)
      }
    }
  }
  return at
}

/** All but the largest entries set to zero. */
export function sparsified(values: Float64Array, share: number): Float64Array {
  const least = [...values].map(Math.abs).sort((a, b) => b - a)[Math.ceil(share * values.length) - 1]!
  return values.map((v) => (Math.abs(v) >= least ? v : 0))
}

/** PyTorch's first weights: uniform within 1 / sqrt(inputs of the layer). */
export function plainWeights(spec: PlainSpec, uniform: () => number): Float64Array {
  const { sizes } = spec
  return Float64Array.from(
    sizes.slice(1).flatMap((out, l) => {
      const bound = 1 / Math.sqrt(sizes[l]!)
      return Array.from({ length: out * (sizes[l]! + 1) }, () => (2 * uniform() - 1) * bound)
    }),
  )
}
