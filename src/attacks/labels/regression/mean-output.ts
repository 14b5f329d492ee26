/** Several outputs as one: their mean, whose error the rows of the last layer's gradient add up to. */
import { Inapplicable } from '../../attack.js'
import type { RegressionUpdate } from './mean-gradient.js'
import type { RegressionHead } from './regression-head.js'
import { type ReadUpdate, readPlainly } from './rehearsal/read-update.js'

export interface MeanOutput {
  readonly head: RegressionHead
  readonly read: ReadUpdate
}

/**
 * With z and y the means over the c outputs of a record, w and b those of the layer's rows: z = w . a + b, and the sum of the
 * rows' gradients is the mean of 2 lossScale (z - y) (1, a). What is below holds the errors of all outputs at once, so that
 * nothing is rehearsed, and no error stated.
 */
export function meanOutput(head: RegressionHead, update: RegressionUpdate): MeanOutput {
  const { outputs: c, weightAt, biasAt, factor } = head
  if (!head.plain) {
    const why = `each of the ${c} outputs has a slope of its own: their errors cannot be added`
    throw new Inapplicable(['one output, or plain ones'], why)
  }
  const width = head.width / c
  const rowsOf = (flat: Float64Array, o: number) => flat.subarray(weightAt + o * width, weightAt + (o + 1) * width)
  const summed = (flat: Float64Array) => {
    const w = new Float64Array(width)
    let b = 0
    for (let o = 0; o < c; o++) {
      for (const [j, v] of rowsOf(flat, o).entries()) w[j]! += v
      b += biasAt === undefined ? 0 : flat[biasAt + o]!
    }
    return { w, b }
  }
  const [theta, grad] = [summed(update.theta), summed(update.grad)]
  const one: RegressionUpdate = {
    ...update,
    w: theta.w.map((v) => v / c),
    b: theta.b / c,
    gradW: grad.w,
    gradB: biasAt === undefined ? Number.NaN : grad.b,
  }
  const told = `of ${c} outputs the mean is claimed: nothing in the message was checked, and no error is stated`
  const read = readPlainly(one)
  return {
    head: { ...head, outputs: 1, width, factor: factor * c },
    read: { ...read, error: null, explained: false, warnings: [...read.warnings, told] },
  }
}
