/** Noise, rate or steps for a target (epsilon, delta): the least noise, the highest rate, the most steps that keep to it. */
import { OverhearError } from '../errors.js'
import { exp, log } from '../numeric/special/elementary-functions.js'
import { gaussianMuFor } from './analytic-gaussian.js'
import { epsilonBounds, type LossOptions } from './loss-bounds.js'
import { checkDelta, reachOf, type SampledGaussian } from './mechanism.js'

export interface Target extends Pick<LossOptions, 'neighbours'> {
  readonly epsilon: number
  readonly delta: number
}

function checkTarget({ epsilon, delta }: Target): void {
  checkDelta(delta)
  if (epsilon > 0 && epsilon <= 1000) return
  throw new OverhearError('E_VALUE', `a target epsilon of ${epsilon}`, 'it must lie above 0 and at most at 1000')
}

const out = (what: string, hint: string): OverhearError => new OverhearError('E_VALUE', what, hint)

/** The upper bound on epsilon, as what is asked for goes by. */
function spent(one: SampledGaussian, { delta, neighbours = 'add-remove' }: Target): number {
  return epsilonBounds([one], delta, { neighbours, tolerance: 2e-4 }).upper
}

/**
 * The end of `good` (keeps to the target) and `bad` (does not) that is nearest to where they meet, in logarithms: regula falsi
 * with the Illinois rule, until good and bad are within a relative 5e-5.
 */
function meeting(good: number, bad: number, excess: (x: number) => number): number {
  let [a, b] = [log(good), log(bad)]
  let [fa, fb] = [excess(good), excess(bad)]
  for (let i = 0; i < 60 && Math.abs(a - b) > 5e-5; i++) {
    const share = i % 4 === 3 ? 0.5 : Math.min(0.99, Math.max(0.01, fa / (fa - fb)))
    const middle = a + share * (b - a)
    const f = excess(exp(middle))
    if (f <= 0) {
      // Near enough on the right side: what is left is less than anybody sees.
      if (f > -5e-5) return exp(middle)
      a = middle
      fa = f
      fb *= 0.5
    } else {
      b = middle
      fb = f
      fa *= 0.5
    }
  }
  return exp(a)
}

/** The least noise multiplier for which (epsilon, delta) holds. */
export function noiseFor(target: Target, { sampleRate, steps }: { sampleRate: number; steps: number }): number {
  checkTarget(target)
  const { neighbours = 'add-remove' } = target
  // Without sampling it is exact, and sampling asks for no more noise.
  const most = (reachOf(neighbours) * Math.sqrt(steps)) / gaussianMuFor(target)
  if (sampleRate === 1) return most
  const excess = (noiseMultiplier: number): number => {
    return log(spent({ kind: 'gaussian', noiseMultiplier, sampleRate, steps }, target) / target.epsilon)
  }
  let good = Math.max(most, 0.06)
  let bad = good
  while (excess(bad) <= 0) {
    good = bad
    bad *= 0.5
    if (bad < 0.05)
      throw out(`a target epsilon of ${target.epsilon}`, 'next to no noise keeps to it: nothing to calibrate')
  }
  return meeting(good, bad, excess)
}

/** The highest sampling rate for which (epsilon, delta) holds. */
export function rateFor(
  target: Target,
  { noiseMultiplier, steps }: { noiseMultiplier: number; steps: number },
): number {
  checkTarget(target)
  const excess = (sampleRate: number): number => {
    return log(spent({ kind: 'gaussian', noiseMultiplier, sampleRate, steps }, target) / target.epsilon)
  }
  if (excess(1) <= 0) return 1
  let [good, bad] = [0.1, 1]
  while (excess(good) > 0) {
    bad = good
    good *= 0.1
    if (good < 1e-7)
      throw out(`a target epsilon of ${target.epsilon} in ${steps} steps`, 'no rate above 1e-7 keeps to it')
  }
  return meeting(good, bad, excess)
}

/** The most steps for which (epsilon, delta) holds; 0 when not even one does. */
export function stepsFor(target: Target, one: { noiseMultiplier: number; sampleRate: number }): number {
  checkTarget(target)
  const keeps = (steps: number): boolean => spent({ kind: 'gaussian', ...one, steps }, target) <= target.epsilon
  if (!keeps(1)) return 0
  let [good, bad] = [1, 2]
  while (keeps(bad)) {
    good = bad
    bad *= 4
    if (bad > 1e6)
      throw out(`more than ${good} steps keep to epsilon ${target.epsilon}`, 'ask for fewer than a million')
  }
  while (bad - good > 1) {
    const middle = Math.floor(0.5 * (good + bad))
    if (keeps(middle)) good = middle
    else bad = middle
  }
  return good
}
