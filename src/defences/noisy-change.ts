/** What client-level privacy is made of: a change that is no longer than a norm, and noise that is scaled to it. */
import type { TurnContext } from '../federation/hooks.js'
import { changeOf, updateOf } from '../federation/updates.js'
import { number } from '../params.js'
import type { Update } from '../transcript/round-messages.js'

/** Parameters of defences whose unit is a client. */
export const clientPrivacyParams = {
  maxNorm: number({ default: 1, min: 1e-12, doc: "C: a client's change is shortened where it is longer" }),
  noiseMultiplier: number({ default: 1, min: 0, doc: 'sigma: the noise has deviation sigma C' }),
  delta: number({ default: 1e-5, min: 0, max: 1, doc: 'delta that is written into the recording' }),
} as const

/** The update with another change: `map` is given the change, clipped to the norm. */
export function clippedUpdate(
  update: Update,
  at: TurnContext,
  { maxNorm, map = (change) => change }: { maxNorm: number; map?(change: Float64Array): Float64Array },
): Update {
  const change = changeOf(update, at)
  const norm = Math.sqrt(change.reduce((sum, x) => sum + x * x, 0))
  const scale = norm > maxNorm ? maxNorm / norm : 1
  return updateOf(update.kind, map(scale === 1 ? change : change.map((x) => scale * x)), at)
}

/** Each coordinate with noise of its own. */
export function noised(values: Float64Array, { rng }: Pick<TurnContext, 'rng'>, std: number): Float64Array {
  const noise = rng.normals(values.length, { std })
  return values.map((x, j) => x + noise[j]!)
}
