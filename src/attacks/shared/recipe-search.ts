/** A search for the recipe that explains messages: one change after another, each with the rate that suits it. */
import { largestMagnitude, medianOf } from '../../numeric/special/summaries.js'
import { checkedFit } from './predictive-check.js'
import { scheduleHeard } from './rate-schedule.js'
import { fitOf, type RecipeFit, rateFactors, type Stage, withNoise } from './recipe-fit.js'
import { type Recipe, stepsOf } from './replayed-turn.js'
import { decaysOf, type RateOf, type SupposedRecipe, supposedRecipes } from './supposed-recipes.js'

/** Plays with which supposed recipes are compared with one another, and the best few of them once more. */
const [fewPlays, morePlays, bestFew] = [4, 12, 6]
/** So many of those whose rate was found by least squares have it settled by what is likeliest too. */
const refinedMost = 3
/** By how much an optimizer may be less likely than the best of all and still be tried with weight decay, a coordinate. */
const mostBehind = 1
/** How much more likely messages must be, as twice a difference of logarithms, for each change to be believed. */
const leastGain = 12
/** A recipe that is found must explain messages so well; one that is stated is doubted only below the second. */
export const explainedP = 0.05
export const doubtedP = 0.005
const mostChanges = 4

export interface Settled {
  readonly recipe: Recipe
  readonly rates: readonly number[]
}

/** The rate with which a recipe comes nearest to the messages: by least squares, then by what is likeliest. */
export const settledRate = (stage: Stage, recipe: Recipe, rates: readonly number[]): Settled =>
  likeliest(stage, nearestRate(stage, recipe, rates))

const likeliest = (stage: Stage, { recipe, rates }: Settled, noiseVar = 0): Settled => ({
  recipe: refined(stage, recipe, { key: 'learningRate', rates, noiseVar }),
  rates,
})

/** The same by least squares alone; `each`: what it is multiplied with in each turn, too. */
function nearestRate(stage: Stage, recipe: Recipe, rates: readonly number[], each = false): Settled {
  let own: Recipe = { ...recipe, learningRate: recipe.learningRate ?? firstRate(stage, recipe) }
  let pace = [...rates]
  for (let i = 0; i < 4; i++) {
    const { one, each: by } = rateFactors(stage, fitOf(stage, own, { plays: fewPlays, rates: pace }))
    own = { ...own, learningRate: inDigits(own.learningRate! * Math.min(1e4, Math.max(0.05, one))) }
    if (each) pace = pace.map((rate, t) => rate * Math.min(5, Math.max(0.2, by[t]! / one)))
    if (Math.abs(one - 1) < 0.02 && (!each || by.every((x) => Math.abs(x / one - 1) < 0.05))) break
  }
  return { recipe: own, rates: pace }
}

/** Nobody finds more digits of a setting than these; the same one found twice is the same number, and its plays are kept. */
const inDigits = (x: number): number => Number(x.toPrecision(9))

interface Refining {
  /** A setting that is a number above 0. */
  readonly key: 'learningRate' | 'weightDecay' | 'clipNorm'
  readonly rates: readonly number[]
  readonly noiseVar: number
}

/** Up or down for as long as messages become likelier, in large steps and then in small ones. */
function refined(stage: Stage, recipe: Recipe, { key, rates, noiseVar }: Refining): Recipe {
  const scored = (value: number) => {
    const own = { ...recipe, [key]: value }
    return { own, value, score: fitOf(stage, own, { plays: fewPlays, rates, noiseVar }).score }
  }
  let best = scored(recipe[key]!)
  for (const factor of [1.4, 1.15]) {
    for (const by of [factor, 1 / factor]) {
      for (let i = 0; i < 5; i++) {
        const next = scored(inDigits(best.value * by))
        if (!(next.score < best.score)) break
        best = next
      }
    }
  }
  return best.own
}

/** Where a search for the rate begins: too small for SGD, so that a turn is still a straight line; a step's size else. */
function firstRate({ turns, supposed }: Stage, recipe: Recipe): number {
  if ((recipe.optimizer?.name ?? 'sgd') === 'sgd') return 1e-6
  return medianOf(turns.map(({ change }) => largestMagnitude(change))) / stepsOf(recipe, supposed.samples).steps
}

interface Search extends Settled {
  readonly rateKnown: boolean
  readonly evidence: string[]
}

export interface Found extends Settled {
  readonly noiseVar: number
  /** Settings that differ from where the search began. */
  readonly changed: readonly string[]
}

type Tried = Found & {
  readonly setting: string
  readonly fit: RecipeFit
  /** Whether its rate is one that least squares found. */
  readonly rough: boolean
}

/** One change after another, each the one that explains most, until what is left is what one would expect. */
export function searched(stage: Stage, { recipe, rates, rateKnown, evidence }: Search): Found {
  const all = stage.turns.reduce((sum, { change }) => sum + change.length, 0)
  const again = (one: Found): RecipeFit => fitOf(stage, one.recipe, { ...one, plays: morePlays })
  const start = { recipe, rates, noiseVar: 0, changed: [] }
  let best: Found & { readonly fit: RecipeFit } = { ...start, fit: again(start) }
  for (let i = 0; i < mostChanges; i++) {
    const believed = rateKnown && !best.changed.some((one) => one === 'learningRate' || one === 'optimizer')
    const rough = supposedRecipes(stage, best.fit, believed).map((supposed) => triedOne(stage, supposed, best))
    const settled = rough.filter(({ rough, fit }) => rough && Number.isFinite(fit.score))
    const hopeful = new Set(settled.sort((a, b) => a.fit.score - b.fit.score).slice(0, refinedMost))
    const single = rough.map((one) => (hopeful.has(one) ? refitted(stage, one, likeliest(stage, one)) : one))
    const least = single.reduce((low, { fit }) => Math.min(low, fit.score), best.fit.score)
    const both = single
      .filter(({ setting, fit }) => setting === 'optimizer' && fit.score <= least + mostBehind)
      .flatMap((one) => decaysOf(stage, one.fit).map((change) => withDecay(stage, one, change)))
    // Two changes at once must explain more than one.
    const cost = ({ setting, fit }: Tried): number => fit.score + (setting.includes(' and ') ? leastGain / all : 0)
    const likelier = (a: Tried, b: Tried): number => cost(a) - cost(b)
    const few = [...single, ...both, ...noisyOne(stage, best)]
      .filter(({ fit }) => Number.isFinite(fit.score))
      .sort(likelier)
      .slice(0, bestFew)
      .map((one) => {
        const own = { ...one, recipe: sharpened(stage, one) }
        const fit = again(own)
        return { ...own, fit, fits: checkedFit(stage, fit).p > explainedP }
      })
    // What leaves nothing to explain comes before what is likelier and leaves something.
    const next = few.sort((a, b) => Number(b.fits) - Number(a.fits) || likelier(a, b))[0]
    if (next === undefined || !((best.fit.score - cost(next)) * all > leastGain)) break
    evidence.push(`${next.setting}: misfit ${inShort(best.fit.excess)} becomes ${inShort(next.fit.excess)}`)
    best = { ...next, changed: [...best.changed, ...next.setting.split(' and ')] }
    if (next.fits) break
  }
  return best
}

/** The same, its number settled more sharply. */
function sharpened(stage: Stage, { setting, recipe, rates, noiseVar }: Tried): Recipe {
  const key = setting.endsWith('weightDecay') ? 'weightDecay' : setting === 'clipNorm' ? 'clipNorm' : undefined
  if (key === undefined || !((recipe[key] ?? 0) > 0)) return recipe
  return refined(stage, recipe, { key, rates, noiseVar })
}

function withDecay(stage: Stage, one: Tried, change: Partial<Recipe>): Tried {
  const setting = 'optimizer and weightDecay'
  return refitted(stage, { ...one, setting }, { recipe: { ...one.recipe, ...change }, rates: one.rates })
}

/** What was tried with other settings in its place, held against the messages anew. */
const refitted = (stage: Stage, one: Omit<Tried, 'fit'>, settled: Settled): Tried => ({
  ...{ ...one, ...settled },
  fit: fitOf(stage, settled.recipe, { plays: fewPlays, rates: settled.rates, noiseVar: one.noiseVar }),
})

function triedOne(stage: Stage, supposed: SupposedRecipe, best: Found): Tried {
  const { setting, recipe, rate, rates = best.rates } = supposed
  const own = rateBy(stage, recipe, { rate, rates, optimizer: setting === 'optimizer' })
  const { noiseVar, changed } = best
  const rough = rate !== 'said' && recipe.share !== 'gradient'
  return refitted(stage, { setting, ...own, noiseVar, changed, rough }, own)
}

function rateBy(
  stage: Stage,
  recipe: Recipe,
  { rate, rates, optimizer }: { rate: RateOf; rates: readonly number[]; optimizer: boolean },
): Settled {
  if (rate === 'said' || recipe.share === 'gradient') return { recipe, rates }
  // Rates of other optimizers are of another size.
  const own = nearestRate(stage, optimizer ? { ...recipe, learningRate: null } : recipe, rates, rate === 'each')
  if (rate !== 'each') return own
  // A rate for each round is mostly noise: what is believed is the schedule that they follow.
  const paced = stage.turns.map(({ round }, t) => ({ round, rate: own.recipe.learningRate! * own.rates[t]! }))
  const { learningRate, factor } = scheduleHeard(paced)
  const smooth = stage.turns.map(({ round }) => factor(round))
  return nearestRate(stage, { ...own.recipe, learningRate }, smooth)
}

/** The same recipe, with as much white noise on every value as is left over. */
function noisyOne(stage: Stage, best: Found & { readonly fit: RecipeFit }): Tried[] {
  const { fit } = best
  const left = stage.turns.flatMap(({ change }, t) =>
    Array.from(change, (v, j) => {
      const far = v - fit.means[t]![j]!
      return far * far - fit.expected[t]![j]!
    }),
  )
  const middle = fit.noiseVar + Math.max(0, medianOf(left))
  if (!(middle > 0)) return []
  return [0.5, 1, 2].map((by) => {
    const noiseVar = by * middle
    return { ...best, setting: 'differentialPrivacy', noiseVar, fit: withNoise(stage, fit, noiseVar), rough: false }
  })
}

const inShort = (x: number): number => Number(x.toPrecision(3))
