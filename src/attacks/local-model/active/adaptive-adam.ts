/** An Adam whose rate is set by the answers themselves, so that every message brings the server nearer: none is a trial. */
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { type AdamState, adam } from '../../../numeric/optimise/adam.js'
import { converse, type Emulated, type Line, pseudoGradient } from './emulated-server.js'

/**
 * The first step is so many of the client's own updates long in each coordinate; where an answer points the same way as the
 * one before, the rate grows, where it points back, it falls, by these factors at most. Chosen on eighteen small clients
 * (linear, logistic, softmax and networks, targets of 1 and of 10,000, full batches and batches of 16).
 */
const [firstStep, growth, fall] = [10, 1.5, 0.4]
const betas = { beta1: 0.7, beta2: 0.9 } as const

/** departs: [aia] Alg. 4 takes rate and betas from trials, each of which costs as many messages as the attack itself. */
export async function emulateAdaptive(line: Line): Promise<Emulated & { readonly learningRate: number }> {
  let learningRate = 0
  let last: Float64Array | undefined
  let state: AdamState | undefined
  const reached = await converse(line, (sent, returned) => {
    const gradient = pseudoGradient(sent, returned)
    const size = norm(gradient)
    if (last === undefined) learningRate = (firstStep * size) / Math.sqrt(gradient.length)
    else {
      const sizes = size * norm(last)
      const cosine = sizes === 0 ? 0 : dot(gradient, last) / sizes
      learningRate *= 1 + cosine * (cosine > 0 ? growth - 1 : 1 - fall)
    }
    last = gradient
    if (!(learningRate > 0)) return sent.slice() // it stays where it is
    // No guard beside the root of the second moment: answers may be of any size.
    const method = adam({ learningRate, ...betas, tiny: Number.MIN_VALUE })
    state ??= method.init(sent.length)
    const theta = sent.slice()
    method.stepInto(theta, gradient, state)
    return theta
  })
  return { ...reached, learningRate }
}
