/** What a protocol makes of steps, as far as sums of gradients are heard: whether they are plain, exact, or none at all. */
import { power } from '../../../../numeric/special/elementary-functions.js'
import type { View } from '../../../../threat/granted-keys.js'
import { Inapplicable } from '../../../attack.js'
import type { Recipe } from '../../../shared/replayed-turn.js'

/** Whether steps are of SGD and nothing else: then the trainer of `rehearsed-turns` plays them. */
export function isPlain(recipe: Recipe): boolean {
  const { optimizer, momentum, proxMu, dropout, weightDecay, clipNorm, compression, dropLast } = recipe
  const sampled = (recipe.differentialPrivacy?.sampleRate ?? 0) > 0
  const sgd = (optimizer?.name ?? 'sgd') === 'sgd' && momentum === 0 && proxMu === 0
  return (
    sgd && !recipe.mixup && dropout === 0 && !weightDecay && !clipNorm && !compression && dropLast !== true && !sampled
  )
}

/** Steps of adaptive optimizers are of one size whatever the gradients are: no sum of gradients is heard. */
export function requireSums({ optimizer }: Recipe): void {
  const name = optimizer?.name ?? 'sgd'
  if (name === 'sgd') return
  const why = `steps of ${name} are divided by the size of gradients before: a turn is no sum of the records' gradients`
  throw new Inapplicable(['protocol'], why)
}

/** Whether one step on all records says their sum of gradients as it is. */
export const isExact = (recipe: Recipe): boolean =>
  isPlain({ ...recipe, momentum: 0, proxMu: 0, dropLast: false }) &&
  (recipe.differentialPrivacy?.noiseMultiplier ?? 0) === 0

/**
 * How far K steps go along a constant unit gradient: eta K, more with momentum m (each gradient is used again m, m^2, ..
 * times in the steps that follow), less with a proximal pull mu towards the start.
 */
export function travelled(eta: number, K: number, { momentum: m, proxMu: mu }: View<'protocol'>['protocol']): number {
  const steps = m === 1 ? (K * (K + 1)) / 2 : K / (1 - m) - (m * (1 - power(m, K))) / ((1 - m) * (1 - m))
  return (eta * steps) / (1 + (mu * eta * K) / 2)
}
