/** Recipes that differ from one in a single respect, in the order in which they are tried: what else could have happened? */
import { recordedModel } from '../../models/index.js'
import { schedules } from '../../models/schedules/index.js'
import { norm } from '../../numeric/linalg/vector.js'
import { medianOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import type { RecipeFit, Stage } from './recipe-fit.js'
import { type Recipe, stepsOf } from './replayed-turn.js'

/** Whether the rate of a supposed recipe is what it says, one to be found for all rounds, or one for each. */
export type RateOf = 'said' | 'one' | 'each'

export interface SupposedRecipe {
  /** The setting that differs. */
  readonly setting: string
  readonly recipe: Recipe
  readonly rate: RateOf
  /** By turn, what rates are multiplied with, where that is supposed too. */
  readonly rates?: readonly number[]
}

const adaptive = ['adam', 'adagrad', 'rmsprop'] as const
const momenta = [0.5, 0.9]
const dropouts = [0.1, 0.25, 0.5]

/** All that are tried next to `fit`. `rateKnown`: whether a rate is stated that may be believed. */
export function supposedRecipes(stage: Stage, fit: RecipeFit, rateKnown: boolean): SupposedRecipe[] {
  const { recipe } = fit
  const plain: RateOf = rateKnown ? 'said' : 'one'
  const one = (setting: string, change: Partial<Recipe>, rate: RateOf): SupposedRecipe => ({
    setting,
    recipe: { ...recipe, ...change },
    rate,
  })
  const noise =
    recipe.differentialPrivacy === null ? [] : [one('differentialPrivacy', { differentialPrivacy: null }, plain)]
  const dropped = canDrop(stage.view) ? dropouts.filter((rate) => rate !== recipe.dropout) : []
  const clips = clipsOf(stage, fit).map((clipNorm) => one('clipNorm', { clipNorm }, 'said'))
  const sparse = sparseIn(stage).map((share) => one('compression', { compression: { kind: 'top-k', share } }, plain))
  if (recipe.share === 'gradient') {
    return [...sparse, ...clips, ...dropped.map((dropout) => one('dropout', { dropout }, 'said')), ...noise]
  }
  const name = recipe.optimizer?.name ?? 'sgd'
  const others = ['sgd', ...adaptive].filter((other) => other !== name)
  return [
    ...(recipe.compression ? [] : sparse),
    one('learningRate', {}, 'one'),
    ...(stage.turns.length > 2 ? [one('schedule', {}, 'each'), ...falling(stage, recipe)] : []),
    ...others.map((other) => one('optimizer', { optimizer: { name: other }, momentum: 0 }, 'one')),
    ...(name === 'sgd' && rateKnown ? momenta.filter((m) => m !== recipe.momentum) : []).map((momentum) =>
      one('momentum', { momentum }, 'said'),
    ),
    ...(recipe.momentum > 0 ? [one('momentum', { momentum: 0 }, plain)] : []),
    ...decaysOf(stage, fit).flatMap((change) => one('weightDecay', change, plain)),
    ...dropped.map((dropout) => one('dropout', { dropout }, plain)),
    ...(recipe.dropout > 0 ? [one('dropout', { dropout: 0 }, plain)] : []),
    ...(rateKnown ? clips : []),
    ...(recipe.clipNorm ? [one('clipNorm', { clipNorm: null }, plain)] : []),
    ...(rateKnown ? turnsOf(stage, recipe).map(([setting, change]) => one(setting, change, 'said')) : []),
    ...sampledOf(stage, recipe).map((change) => one('differentialPrivacy', change, plain)),
    ...noise,
  ]
}

/** Rates that fall by one factor a round. */
function falling({ turns }: Stage, recipe: Recipe): SupposedRecipe[] {
  return [0.8, 0.9, 0.95].map((factor) => ({
    ...{ setting: 'schedule', recipe, rate: 'one' as const },
    rates: turns.map(({ round }) => schedules.exponential.factor!(round, { factor })),
  }))
}

const canDrop = ({ model }: View<'model'>): boolean =>
  model.kind !== 'opaque' && recordedModel(model, { dropout: 0.5 }).dropout !== undefined

/** Zeros that come in the same number in every message: the share of the others, where there are any. */
function sparseIn({ turns }: Stage): number[] {
  const shares = new Set(turns.map(({ change }) => change.filter((v) => v !== 0).length / change.length))
  const [share] = shares
  return shares.size === 1 && share! < 1 ? [share!] : []
}

/** A component of what is left along minus theta: [adamw] and SGD add eta lambda of it a step, other optimizers bend it. */
export function decaysOf({ turns, supposed }: Stage, { recipe, means }: RecipeFit): Partial<Recipe>[] {
  const { steps } = stepsOf(recipe, supposed.samples)
  const name = recipe.optimizer?.name ?? 'sgd'
  let [over, under] = [0, 0]
  for (const [t, { theta, change }] of turns.entries()) {
    for (let j = 0; j < theta.length; j++) {
      over -= (change[j]! - means[t]![j]!) * theta[j]!
      under += theta[j]! * theta[j]!
    }
  }
  const rate = recipe.learningRate ?? 0
  const own = recipe.weightDecay ?? 0
  const found: Partial<Recipe>[] = own > 0 ? [{ weightDecay: 0 }] : []
  const lambda = own + (under > 0 && rate > 0 ? over / under / (rate * steps) : 0)
  if (name === 'sgd') return lambda > 0 ? [...found, { weightDecay: lambda }, { weightDecay: 2 * lambda }] : found
  if (name === 'adam' || name === 'adamw') {
    const optimizer = { ...recipe.optimizer, name: 'adamw' }
    if (lambda > 0) found.push({ optimizer, weightDecay: lambda }, { optimizer, weightDecay: 2 * lambda })
  }
  return [...found, ...[1e-3, 1e-2, 1e-1].map((weightDecay) => ({ weightDecay }))]
}

/** Norms to which steps may have been shortened: no less than a turn's length over its steps. */
function clipsOf({ turns, supposed }: Stage, { recipe, means }: RecipeFit): number[] {
  const { steps } = stepsOf(recipe, supposed.samples)
  const name = recipe.optimizer?.name ?? 'sgd'
  // Only what is shorter than it would be was shortened; other optimizers than SGD do not feel it.
  const shorter = turns.filter(({ change }, t) => norm(change) < 0.97 * norm(means[t]!)).length
  if (name !== 'sgd' || recipe.momentum > 0 || shorter * 2 < turns.length) return []
  const rate = recipe.share === 'gradient' ? 1 : (recipe.learningRate ?? 1)
  const least = medianOf(turns.map(({ change }) => norm(change))) / (rate * steps)
  return (steps === 1 ? [1] : [1, 1.1, 1.25, 1.5, 2, 3]).map((by) => by * least)
}

/** Batches drawn anew for every step, each record by a coin of its own: as many records a step, on the mean, as are stated. */
function sampledOf({ supposed: { samples } }: Stage, recipe: Recipe): Partial<Recipe>[] {
  const { batchSize, differentialPrivacy } = recipe
  if (batchSize === null || batchSize >= samples || differentialPrivacy !== null) return []
  const sampling = { mechanism: 'poisson sampling', noiseMultiplier: 0, delta: null, sampleRate: batchSize / samples }
  return [{ differentialPrivacy: { ...sampling, maxNorm: unclipped } }]
}

/** A norm that no gradient has: nothing is clipped. */
const unclipped = 1e9

/** Other batches and passes, by the stated rate. */
function turnsOf({ supposed: { samples } }: Stage, recipe: Recipe): [string, Partial<Recipe>][] {
  const { batchSize, localEpochs, localSteps } = recipe
  const B = Math.min(batchSize ?? samples, samples)
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256].filter((b) => b < samples && b !== B && b >= B / 4 && b <= 4 * B)
  const all: [string, Partial<Recipe>][] = sizes.map((b) => ['batchSize', { batchSize: b }])
  if (B < samples) all.push(['batchSize', { batchSize: null }])
  if (localSteps !== null) {
    for (const by of [0.2, 0.5, 2, 3, 5]) {
      const other = Math.round(localSteps * by)
      if (other >= 1 && other !== localSteps) all.push(['localSteps', { localSteps: other }])
    }
    return all
  }
  const E = localEpochs ?? 1
  for (const other of [1, 2, 3, 5]) if (other !== E) all.push(['localEpochs', { localEpochs: other }])
  if (samples % B !== 0 && B < samples) all.push(['dropLast', { dropLast: !(recipe.dropLast ?? false) }])
  return all
}
