/** A step length along a descent direction that meets the strong Wolfe conditions, by cubic interpolation. */
import { requireCount, requireNumber } from './optimiser.js'

/** The objective along the line: φ(α) and φ'(α). */
export interface Along {
  readonly value: number
  readonly slope: number
}

export interface LineSearchOptions {
  readonly firstStep?: number
  /** Share c₁ of the promised fall that must be reached. */
  readonly sufficientFall?: number
  /** Share c₂ of the first slope that the last may still have. */
  readonly curvature?: number
  readonly maxEvaluations?: number
}

export type LineSearchResult =
  | { readonly found: true; readonly step: number; readonly evaluations: number }
  | { readonly found: false; readonly reason: 'not-descent' | 'non-finite' | 'exhausted'; readonly evaluations: number }

interface Probe extends Along {
  readonly step: number
}

/** Values closer than this, relative to their size, differ by rounding only: then slopes decide. */
const noise = 64 * Number.EPSILON

/**
 * φ(α) ≤ φ(0) + c₁ α φ'(0) and |φ'(α)| ≤ −c₂ φ'(0). [nocedal2006] Algs. 3.5 and 3.6 as one loop over a bracket (low,
 * high), where low has met the first condition and, among those that have, the least value. Where the fall is lost in
 * rounding, the first condition is read off the slope, (2 c₁ − 1) φ'(0) ≥ φ'(α) ([hager2005]). A value that is
 * not finite is a step too long. The returned step is the last one that `phi` was asked for.
 */
export function strongWolfe(
  phi: (step: number) => Along,
  start: Along,
  options: LineSearchOptions = {},
): LineSearchResult {
  const { firstStep = 1, sufficientFall: c1 = 1e-4, curvature: c2 = 0.9, maxEvaluations = 40 } = options
  checkOptions({ firstStep, sufficientFall: c1, curvature: c2, maxEvaluations })
  const { value: phi0, slope: slope0 } = start
  if (!(slope0 < 0)) return { found: false, reason: 'not-descent', evaluations: 0 }
  const rounding = noise * Math.abs(phi0)
  let low: Probe = { step: 0, ...start }
  let high: Probe | undefined
  let step = firstStep
  let width = Number.POSITIVE_INFINITY
  let evaluations = 0
  let sawNonFinite = false
  for (;;) {
    const trial: Probe = { step, ...phi(step) }
    evaluations++
    const { value, slope } = trial
    const finite = isFiniteProbe(trial)
    sawNonFinite ||= !finite
    const lost = Math.abs(value - phi0) <= rounding && Math.abs(step * slope0) <= rounding
    const fallen = finite && (lost ? slope <= (2 * c1 - 1) * slope0 : value <= phi0 + c1 * step * slope0)
    if (fallen && Math.abs(slope) <= -c2 * slope0) return { found: true, step, evaluations }
    if (!fallen || value > low.value + noise * Math.abs(low.value)) {
      high = trial
    } else {
      if (slope * (high === undefined ? 1 : high.step - low.step) >= 0) high = low
      low = trial
    }
    const next = high === undefined ? 4 * step : inside(low, high, width)
    if (high !== undefined) width = Math.abs(high.step - low.step)
    const spent = next === low.step || next === high?.step || !Number.isFinite(next) // no double left between
    if (spent || evaluations >= maxEvaluations) break
    step = next
  }
  if (!(low.value < phi0)) return { found: false, reason: sawNonFinite ? 'non-finite' : 'exhausted', evaluations }
  if (low.step !== step) phi(low.step) // the caller is left at the step it is given
  return { found: true, step: low.step, evaluations: evaluations + (low.step === step ? 0 : 1) }
}

/** Where to look next between the ends of the bracket, never within a tenth of either. */
function inside(low: Probe, high: Probe, lastWidth: number): number {
  const w = high.step - low.step
  const middle = low.step + 0.5 * w
  if (!isFiniteProbe(high)) return low.step + 0.25 * w
  if (Math.abs(w) > 0.66 * lastWidth) return middle // interpolation is not closing in
  const best =
    Math.abs(high.value - low.value) <= noise * Math.abs(low.value)
      ? low.step - (low.slope * w) / (high.slope - low.slope) // secant: slopes outlive values
      : cubicMinimum(low, high)
  if (!Number.isFinite(best)) return middle
  const share = Math.min(Math.max((best - low.step) / w, 0.1), 0.9)
  return low.step + share * w
}

/** Minimum of the cubic through both values and slopes; NaN if it has none. [nocedal2006] Eq. 3.59 */
function cubicMinimum(a: Probe, b: Probe): number {
  const w = b.step - a.step
  const d1 = a.slope + b.slope - (3 * (b.value - a.value)) / w
  const d2 = Math.sign(w) * Math.sqrt(d1 * d1 - a.slope * b.slope)
  return b.step - (w * (b.slope + d2 - d1)) / (b.slope - a.slope + 2 * d2)
}

function isFiniteProbe({ value, slope }: Probe): boolean {
  return Number.isFinite(value) && Number.isFinite(slope)
}

function checkOptions(options: Required<LineSearchOptions>): void {
  const { firstStep, sufficientFall, curvature, maxEvaluations } = options
  requireNumber('firstStep', firstStep, { above: 0 })
  requireNumber('sufficientFall', sufficientFall, { above: 0, below: 0.5 })
  requireNumber('curvature', curvature, { above: sufficientFall, below: 1 })
  requireCount('maxEvaluations', maxEvaluations, 1)
}
