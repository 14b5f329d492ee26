/** Turns of models that are one affine map, on all records in every step: what they end at follows from two moments of the records. */
import { engine } from '../../../../numeric/engine/engine.js'
import { identity } from '../../../../numeric/linalg/matrix.js'
import type { Candidates } from '../record-gradients.js'

export interface MomentTurns {
  readonly candidates: Candidates
  /** Whether a constant follows the weights. */
  readonly bias: boolean
  readonly lossScale: number
  readonly steps: number
  /** The models that turns begin with, and their rates. */
  readonly starts: readonly { readonly theta: Float64Array; readonly rate: number }[]
}

/** Beyond so many parameters, or times the records, a step on moments costs more than one on records. */
const [mostParameters, perRecord] = [128, 2]

/** Whether a step by moments is cheaper than one on so many records. */
export const cheapByMoments = (parameters: number, records: number): boolean =>
  parameters <= Math.min(mostParameters, perRecord * records)

/**
 * With H = X^T X / n and b = X^T y / n a step is theta -= 2 s rate (H theta - b): one product of (theta, 1) with a square matrix, for all
 * turns of one rate together.
 */
export function turnsByMoments({ candidates, bias, lossScale, steps, starts }: MomentTurns) {
  const { records: n, features, labels } = candidates
  const k = features[0]!.cols
  const P = bias ? k + 1 : k
  const W = P + 1
  const rates = [...new Set(starts.map(({ rate }) => rate))]
  const host = engine()
  const held = host.allocate(8 * (n * W + 5 * W * W + 2 * starts.length * W))
  const atS = held.address + 8 * n * W
  const atM = atS + 8 * W * W
  const atFrom = atM + 8 * W * W
  const atTo = atFrom + 8 * starts.length * W
  const atPowers = atTo + 8 * starts.length * W
  /** Z^T Z of the rows (x, y): n H, and n b in its last row. */
  const momentsOf = (guesses: Int32Array): Float64Array => {
    const Z = host.view('f64', held.address, n * W)
    for (let i = 0; i < n; i++) {
      const from = features[guesses[i]!]!.data
      for (let j = 0; j < k; j++) Z[i * W + j] = from[i * k + j]!
      if (bias) Z[i * W + k] = 1
      Z[i * W + P] = labels[i]!
    }
    host.f64.gemm(atS, held.address, held.address, W, W, n, 1, W, W, 1, 0, 0, 0)
    return new Float64Array(host.view('f64', atS, W * W))
  }
  /** One step at a rate, of row vectors (theta, 1). */
  const stepAt = (rate: number, S: Float64Array): void => {
    const M = host.view('f64', atM, W * W)
    const by = (2 * lossScale * rate) / n
    for (let a = 0; a < W; a++) {
      const sign = a < P ? -by : by
      for (let c = 0; c < P; c++) M[a * W + c] = sign * S[a * W + c]! + (a === c ? 1 : 0)
      M[a * W + P] = a < P ? 0 : 1
    }
  }
  const movedBy = (S: Float64Array, together: boolean): Float64Array => {
    const out = new Float64Array(starts.length * P)
    for (const rate of rates) {
      stepAt(rate, S)
      const those = Array.from(starts.keys()).filter((t) => starts[t]!.rate === rate)
      for (const [r, t] of those.entries()) {
        const row = host.view('f64', atFrom + 8 * r * W, W)
        row.set(starts[t]!.theta)
        row[P] = 1
      }
      let [from, to] = [atFrom, atTo]
      const apply = (step: number): void => {
        host.f64.gemm(to, from, step, those.length, W, W, W, 1, W, 1, 0, 0, 0)
        ;[from, to] = [to, from]
      }
      if (together && cheaperTogether(those.length)) apply(allSteps())
      else for (let s = 0; s < steps; s++) apply(atM)
      for (const [r, t] of those.entries()) {
        const end = host.view('f64', from + 8 * r * W, P)
        const { theta } = starts[t]!
        for (let j = 0; j < P; j++) out[t * P + j] = end[j]! - theta[j]!
      }
    }
    return out
  }
  /** Whether the products that make one step of all are smaller than going step by step. */
  const cheaperTogether = (turns: number): boolean => 2 * (32 - Math.clz32(steps)) * W < turns * steps
  /** Where the step is that all steps make together: the bits of their number say which squares of squares it is made of. */
  const allSteps = (): number => {
    let [square, made, spare] = [atM, atPowers, atPowers + 8 * W * W]
    let next = atPowers + 16 * W * W
    host.view('f64', made, W * W).set(identity(W).data)
    for (let left = steps; left > 0; left >>= 1) {
      if ((left & 1) === 1) {
        host.f64.gemm(spare, made, square, W, W, W, W, 1, W, 1, 0, 0, 0)
        ;[made, spare] = [spare, made]
      }
      if (left === 1) break
      host.f64.gemm(next, square, square, W, W, W, W, 1, W, 1, 0, 0, 0)
      ;[square, next] = [next, square]
    }
    return made
  }
  return {
    momentsOf,
    /** What each turn adds to its model on records of these moments, one after another; by other sums than step by step. */
    movedBy: (S: Float64Array): Float64Array => movedBy(S, true),
    /** The same of the records with these values, step by step. */
    moved: (guesses: Int32Array): Float64Array => movedBy(momentsOf(guesses), false),
    release: (): void => host.release(held),
  }
}
