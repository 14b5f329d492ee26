/** What draws refuse: counts, deviations and concentrations that cannot be. */
import { OverhearError } from '../../errors.js'

export interface NormalOptions {
  readonly mean?: number // 0 unless told
  readonly std?: number // standard deviation, 1 unless told
}

const MOST_ITEMS = 2147483648 // indices are Int32

export function checkedNormal({ mean = 0, std = 1 }: NormalOptions = {}): { mean: number; std: number } {
  if (!Number.isFinite(mean)) throw new OverhearError('E_VALUE', `normal: the mean is ${mean}`, 'it must be finite')
  if (!(std >= 0 && std < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `normal: the standard deviation is ${std}`, 'it must be finite and at least 0')
  }
  return { mean, std }
}

export function checkPositive(x: number, what: string, least = 0): void {
  if (x > 0 && x >= least && x < Number.POSITIVE_INFINITY) return
  const allowed = least === 0 ? 'finite and positive' : `finite and at least ${least}`
  throw new OverhearError('E_VALUE', `${what} ${x}`, `it must be ${allowed}`)
}

export function checkCount(n: number, what: string, most = MOST_ITEMS): void {
  if (Number.isInteger(n) && n >= 0 && n <= most) return
  throw new OverhearError('E_VALUE', `${what} ${n}`, `an integer from 0 to ${most} is needed`)
}
