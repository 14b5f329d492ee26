/** Gaussian noise on all records, exactly: delta for an epsilon, epsilon for a delta, noise for both. [balle2018] Thm. 8 */
import { exp } from '../numeric/special/elementary-functions.js'
import { normalCdf, normalLogCdf } from '../numeric/special/normal.js'
import { checkDelta } from './mechanism.js'

/** delta(epsilon) for two Gaussians `mu` deviations apart. */
export function gaussianDelta(mu: number, epsilon: number): number {
  if (mu === 0) return 0
  const a = 0.5 * mu - epsilon / mu
  const b = -0.5 * mu - epsilon / mu
  return Math.max(0, normalCdf(a) - exp(epsilon + normalLogCdf(b)))
}

/** The least epsilon >= 0 with delta(epsilon) <= delta. */
export function gaussianEpsilon(mu: number, delta: number): number {
  checkDelta(delta)
  if (gaussianDelta(mu, 0) <= delta) return 0
  let [low, high] = [0, 1]
  while (gaussianDelta(mu, high) > delta) high *= 2
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = 0.5 * (low + high)
    if (gaussianDelta(mu, middle) > delta) low = middle
    else high = middle
  }
  return high
}

/** The largest mu for which (epsilon, delta) holds: noise of deviation 1 / mu per unit of sensitivity. */
export function gaussianMuFor({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }): number {
  checkDelta(delta)
  let [low, high] = [0, 1]
  while (gaussianDelta(high, epsilon) <= delta) high *= 2
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = 0.5 * (low + high)
    if (gaussianDelta(middle, epsilon) <= delta) low = middle
    else high = middle
  }
  return low
}
