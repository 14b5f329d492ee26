/** The exact confidence interval of a success rate (Clopper and Pearson 1934). */
import { OverhearError } from '../../errors.js'
import { incompleteBetaQuantile } from './beta.js'

export interface BinomialTrials {
  readonly successes: number
  readonly trials: number
  readonly confidence: number
}

/**
 * The rates that a two-sided test at level 1 - confidence would not reject: covers the true rate at least that often,
 * whatever it is. No trials: 0..1.
 */
export function binomialInterval({ successes, trials, confidence }: BinomialTrials): { low: number; high: number } {
  const k = successes
  const n = trials
  if (!Number.isSafeInteger(n) || !Number.isSafeInteger(k) || k < 0 || k > n) {
    throw new OverhearError(
      'E_VALUE',
      `${k} successes in ${n} trials`,
      'both must be integers, 0 <= successes <= trials',
    )
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new OverhearError('E_VALUE', `a confidence of ${confidence}`, 'it must lie between 0 and 1, such as 0.95')
  }
  const miss = (1 - confidence) / 2
  return {
    low: k === 0 ? 0 : incompleteBetaQuantile(miss, { a: k, b: n - k + 1 }),
    high: k === n ? 1 : 1 - incompleteBetaQuantile(miss, { a: n - k, b: k + 1 }),
  }
}
