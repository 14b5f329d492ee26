/** The compiled kernels: their names and signatures, and one instance with its memory. Addresses are bytes. */
import { internal } from '../../errors.js'
import type { DenseKernels } from '../linalg/dense-kernels.js'
import type { ColumnKernels } from './column-kernels.js'
import { kernelBase64 } from './kernel-bytes.js'
import type { RowKernels } from './row-kernels.js'
import type { DrawKernels, GibbsKernels } from './sampler-kernels.js'

export type Precision = 'f32' | 'f64'
type Address = number

/** What one precision offers. Meaning: src/numeric/engine/reference.ts. */
export interface Kernels {
  gemm(
    c: Address,
    a: Address,
    b: Address,
    m: number,
    n: number,
    k: number,
    aRow: number,
    aCol: number,
    bRow: number,
    bCol: number,
    extra: Address,
    alphaAt: Address,
    mode: number,
  ): void
  gemv(y: Address, a: Address, x: Address, m: number, k: number): void
  binary(
    op: number,
    to: Address,
    a: Address,
    b: Address,
    rows: number,
    cols: number,
    aRow: number,
    aCol: number,
    bRow: number,
    bCol: number,
  ): void
  unary(op: number, to: Address, from: Address, n: number, by: number): void
  transcend(op: number, to: Address, from: Address, n: number): void
  addScaled(to: Address, from: Address, n: number, alphaAt: Address): void
  /** Adam's update of `to`; settings: learning rate, beta1, beta2, 1 - beta1^t, 1 - beta2^t, tiny. */
  adam(to: Address, grad: Address, first: Address, second: Address, n: number, settings: Address): void
  sumAll(to: Address, from: Address, n: number): void
  sumCols(to: Address, from: Address, rows: number, cols: number): void
  sumRows(to: Address, from: Address, rows: number, cols: number): void
  dot(to: Address, a: Address, b: Address, n: number): void
  rowDot(to: Address, a: Address, b: Address, rows: number, cols: number): void
  softmax(to: Address, from: Address, rows: number, cols: number): void
  logSumExp(to: Address, from: Address, rows: number, cols: number): void
  gatherCols(to: Address, from: Address, rows: number, fromCols: number, index: Address, cols: number): void
  scatterCols(to: Address, from: Address, rows: number, toCols: number, index: Address, cols: number): void
  gatherRows(to: Address, from: Address, index: Address, rows: number, cols: number): void
  fill(to: Address, n: number, value: number): void
  broadcast(to: Address, from: Address, rows: number, cols: number, fromRow: number, fromCol: number): void
  firstNonFinite(a: Address, n: number): number
  sparseNt(
    c: Address,
    x: Address,
    w: Address,
    m: number,
    n: number,
    k: number,
    extra: Address,
    mode: number,
    scratch: Address,
  ): void
  sparseTn(
    c: Address,
    d: Address,
    x: Address,
    m: number,
    n: number,
    p: number,
    alphaAt: Address,
    mode: number,
    scratch: Address,
  ): void
  sparseRowSquares(to: Address, x: Address, m: number): void
  pickedNt(y: Address, x: Address, w: Address, m: number, k: number): void
  pickedTn(c: Address, d: Address, x: Address, m: number, k: number, alphaAt: Address, mode: number): void
  pickedRowSquares(to: Address, x: Address, m: number, k: number): void
  /** Images: geometry is n, channels, height, width, filters, kernel, stride, padding, output height and width. */
  conv(to: Address, x: Address, w: Address, bias: Address, relu: number, ...geometry: readonly number[]): void
  convWeight(to: Address, x: Address, c: Address, ...geometry: readonly number[]): void
  convInput(to: Address, c: Address, w: Address, ...geometry: readonly number[]): void
  /** Geometry here: n, winners, channels, height, width, filters, kernel, output height and width. */
  convWeightAt(to: Address, x: Address, c: Address, index: Address, ...geometry: readonly number[]): void
  convInputAt(to: Address, c: Address, index: Address, w: Address, ...geometry: readonly number[]): void
  /** n, channels, height, width, size, stride, output height and width */
  poolIndex(to: Address, x: Address, ...geometry: readonly number[]): void
  pick(to: Address, from: Address, index: Address, rows: number, cols: number, fromCols: number): void
  place(to: Address, from: Address, index: Address, rows: number, cols: number, toCols: number): void
  repeatEach(to: Address, from: Address, n: number, times: number): void
  /** n turns of twelve vector operations in registers: the machine's limit, for `overhear bench`. */
  peak(at: Address, n: number): void
}

export const gemmMode = { store: 0, add: 1, gate: 2, bias: 3, biasRelu: 4 } as const
/** What a mode adds to the name of a product, by number. */
export const gemmModeTitles = ['', '+update', '+gate', '+bias', '+bias+relu'] as const
/** Largest k of `gemm` in mode `add`. */
export const gemmAddLimit = 512
export const binaryOp = { add: 0, sub: 1, mul: 2, div: 3, gate: 4, signed: 5 } as const
export const unaryOp = { scale: 0, offset: 1, relu: 2, abs: 3, sqrt: 4 } as const
export const transcendOp = { exp: 0, log: 1, sigmoid: 2, tanh: 3, softplus: 4 } as const

export interface KernelInstance {
  readonly memory: WebAssembly.Memory
  readonly heapBase: Address
  readonly f32: Kernels
  readonly f64: Kernels
  readonly dense: DenseKernels
  readonly rows: RowKernels
  readonly columns: ColumnKernels
  readonly gibbs: GibbsKernels
  readonly draws: DrawKernels
  readonly words: WordKernels
  copy(to: Address, from: Address, bytes: number): void
}

/** Whole numbers modulo 2^32, n of them: `to` plus or minus `from`. Meaning: src/numeric/engine/word-sums.ts. */
export interface WordKernels {
  add(to: Address, from: Address, n: number): void
  subtract(to: Address, from: Address, n: number): void
}

let compiled: WebAssembly.Module | undefined

/** The module, which is compiled once; other threads can be handed it. */
export function compiledKernels(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(bytesOf(kernelBase64))
  return compiled
}

/** Takes the module that another thread has compiled. */
export function adoptKernels(module: WebAssembly.Module): void {
  compiled ??= module
}

/** A new instance with a memory of its own. */
export function instantiate(): KernelInstance {
  const abort = (): never => {
    throw internal('a kernel aborted')
  }
  const { exports } = new WebAssembly.Instance(compiledKernels(), { env: { abort } })
  const pick = (precision: Precision): Kernels => {
    const kernels: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(exports)) {
      if (name.endsWith(`_${precision}`)) kernels[name.slice(0, -4)] = value
    }
    return kernels as unknown as Kernels
  }
  const family = (prefix: string): unknown => {
    const named = Object.entries(exports).filter(([name]) => name.startsWith(prefix))
    return Object.fromEntries(named.map(([name, value]) => [name.slice(prefix.length), value]))
  }
  return {
    memory: exports.memory as WebAssembly.Memory,
    heapBase: (exports.heapBase as () => number)(),
    f32: pick('f32'),
    f64: pick('f64'),
    dense: family('dense_') as DenseKernels,
    rows: family('rows_') as RowKernels,
    columns: family('columns_') as ColumnKernels,
    gibbs: family('gibbs_') as GibbsKernels,
    draws: family('draws_') as DrawKernels,
    words: family('words_') as WordKernels,
    copy: exports.copy as KernelInstance['copy'],
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
