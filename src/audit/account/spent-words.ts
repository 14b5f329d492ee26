/** What epsilon means, in sentences. */

import type { Bounds } from '../../accounting/loss-bounds.js'
import type { Neighbours } from '../../accounting/mechanism.js'
import { claimsTooLittle, showsMore } from './promise.js'
import type { Spent } from './spent.js'

export type Unit = 'record' | 'client'

/** Up to four figures behind the point, the upper bound rounded up and the lower down. */
function rounded(value: number, direction: 'up' | 'down'): string {
  const scaled = value * 1e4
  return String((direction === 'up' ? Math.ceil(scaled - 1e-6) : Math.floor(scaled + 1e-6)) / 1e4)
}

export const boundsText = ({ lower, upper }: Bounds): string => `${rounded(lower, 'down')} to ${rounded(upper, 'up')}`

const relations: Readonly<Record<Neighbours, string>> = {
  'add-remove': 'one WHAT more or less',
  replace: 'one WHAT replaced by another',
}

export const relationText = (neighbours: Neighbours, unit: Unit): string => relations[neighbours].replace('WHAT', unit)

/** The plain sentence. */
export function meaning({ advantage, neighbours, delta }: Spent, unit: Unit): string {
  const points = Math.ceil(advantage * 1000 - 1e-6) / 10
  const asked =
    neighbours === 'add-remove' ? `whether a ${unit} was in the training` : `which of two values a ${unit} had`
  const guess = `Whoever guesses ${asked}, knowing everything else, has at most ${points} percentage points more true alarms than false ones`
  return `${guess} (the whole trade-off curve, not delta ${delta} alone); no attack on this mechanism can do better.`
}

/** What is claimed beside what is spent. */
export function claimText(claimed: number | null, epsilon: Bounds): string[] {
  if (claimed === null) return []
  if (claimsTooLittle(claimed, epsilon))
    return [`BROKEN PROMISE: epsilon ${claimed} is claimed, at least ${boundsText(epsilon)} is spent`]
  return [`epsilon ${claimed} is claimed, and kept`]
}

/** What a lower bound from guessed canaries says beside the upper one from the accountant. */
export function beside(measured: number, accounted: Bounds): { readonly broken: boolean; readonly sentence: string } {
  const broken = showsMore(measured, accounted)
  const figure = `canaries show an epsilon of at least ${rounded(measured, 'down')}`
  if (!broken)
    return { broken, sentence: `${figure}: no more than the ${rounded(accounted.upper, 'up')} that is accounted for` }
  const sentence = `BROKEN: ${figure}, and the mechanism as it is stated allows ${rounded(accounted.upper, 'up')} at most: it does not do what it says`
  return { broken, sentence }
}
