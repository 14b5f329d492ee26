/** When a promise of differential privacy is broken: decided here, worded elsewhere. */
import type { Bounds } from '../../accounting/loss-bounds.js'

/** Less is claimed than is spent at the least. */
export const claimsTooLittle = (claimed: number | null, spent: Bounds | null): boolean =>
  claimed !== null && spent !== null && claimed < spent.lower

/** Canaries show more than the mechanism as it is stated can spend: it does not do what it says. */
export const showsMore = (shown: number, accounted: Bounds): boolean => shown > accounted.upper
