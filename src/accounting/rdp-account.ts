/** Epsilon by Rényi divergences: added over steps at each order, converted at the best one. An upper bound, quick and not tight. */
import { OverhearError } from '../errors.js'
import { log, log1p } from '../numeric/special/elementary-functions.js'
import { checkDelta, checkMechanism, gaussianMuSquared, type Mechanism, type Neighbours } from './mechanism.js'
import { fixedSizeRdp, laplaceRdp, sampledGaussianRdp } from './rdp.js'

/** How a Rényi bound becomes one on epsilon: [canonne2020] Prop. 12 (also [balle2020] Thm. 21), or [mironov2017] Prop. 3. */
export type Conversion = 'improved' | 'classic'

export interface RdpOptions {
  readonly neighbours?: Neighbours
  readonly conversion?: Conversion
  readonly orders?: readonly number[]
}

export interface RdpEpsilon {
  readonly epsilon: number
  /** The order at which the bound is least. */
  readonly order: number
  readonly conversion: Conversion
}

/** Orders that are tried unless told: close together where most runs have their best one, and up to where noise is large. */
export const usualOrders: readonly number[] = [
  ...Array.from({ length: 99 }, (_, i) => 1 + (i + 1) / 10),
  ...Array.from({ length: 53 }, (_, i) => 11 + i),
  ...[64, 72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 512, 768, 1024, 2048, 4096],
]

/** (epsilon, delta) of all mechanisms one after the other. */
export function rdpEpsilon(mechanisms: readonly Mechanism[], delta: number, options: RdpOptions = {}): RdpEpsilon {
  const { neighbours = 'add-remove', conversion = 'improved', orders = usualOrders } = options
  checkDelta(delta)
  for (const one of mechanisms) checkMechanism(one, neighbours)
  let best = { epsilon: Number.POSITIVE_INFINITY, order: Number.NaN, conversion }
  let known = { order: 1, divergence: 0 }
  for (const order of orders) {
    // Divergences grow with their order: one that a lower order's would already make too large is not computed.
    const atLeast = order > known.order ? known.divergence : 0
    if (converted(atLeast, { order, delta, conversion }) >= best.epsilon) continue
    let divergence = 0
    for (const one of mechanisms) divergence += divergenceOf(one, order, neighbours)
    known = { order, divergence }
    const epsilon = Math.max(0, converted(divergence, { order, delta, conversion }))
    if (epsilon < best.epsilon) best = { epsilon, order, conversion }
  }
  return best
}

interface Converted {
  readonly order: number
  readonly delta: number
  readonly conversion: Conversion
}

function converted(divergence: number, { order: alpha, delta, conversion }: Converted): number {
  if (conversion === 'classic') return divergence - log(delta) / (alpha - 1)
  return divergence + log1p(-1 / alpha) - (log(delta) + log(alpha)) / (alpha - 1)
}

/** The Rényi divergence of order alpha over all steps of a mechanism. */
function divergenceOf(one: Mechanism, alpha: number, neighbours: Neighbours): number {
  const muSquared = gaussianMuSquared(one, neighbours)
  if (muSquared !== undefined) return 0.5 * alpha * muSquared
  if (one.kind === 'laplace') return one.steps * laplaceRdp(one.scale, alpha)
  if (one.kind === 'tree') return 0
  const { noiseMultiplier: sigma, sampleRate: q, steps } = one
  if (one.kind === 'fixed-size') return steps * fixedSizeRdp({ sigma: sigma / 2, q, alpha })
  if (neighbours === 'replace') {
    throw new OverhearError(
      'E_VALUE',
      'a Rényi bound for Poisson batches under the relation replace',
      'there is none here: take the bounds by privacy losses, or the relation add-remove',
    )
  }
  return steps * sampledGaussianRdp({ sigma, q, alpha })
}
