import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { rng } from '../../numeric/random/rng.js'
import type { RecipeFit, Stage } from './recipe-fit.js'
import type { Recipe } from './replayed-turn.js'
import { decaysOf, type SupposedRecipe, supposedRecipes } from './supposed-recipes.js'

const recipeOf = (change: Partial<Recipe> = {}): Recipe =>
  protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.5, batchSize: 8, ...change })
interface Told {
  readonly recipe?: Partial<Recipe>
  readonly turns?: number
  readonly model?: Stage['view']['model']
  readonly samples?: number
  /** What was heard, and what the recipe gives on the mean: in every turn the same. */
  readonly change?: readonly number[]
  readonly mean?: readonly number[]
  readonly theta?: readonly number[]
}
const linear = { kind: 'linear', inputs: 1, outputs: 1, bias: true } as const
const mlp = { kind: 'mlp', inputs: 1, outputs: 1, hidden: [2], activation: 'relu', outputActivation: 'identity', bias: true } as const // biome-ignore format: one line

function told({
  recipe = {},
  turns = 2,
  model = linear,
  samples = 30,
  change = [3, 4],
  mean = change,
  theta = [0, 0],
}: Told) {
  const stage: Stage = {
    view: { model, loss: 'mse' },
    turns: Array.from({ length: turns }, (_, round) => ({
      ...{ round, learningRate: null },
      theta: Float64Array.from(theta),
      change: Float64Array.from(change),
    })),
    supposed: { guesses: [], own: true, blind: false, samples },
    parts: [[0, change.length]],
    rng: rng(1),
  }
  const means = stage.turns.map(() => Float64Array.from(mean))
  const fit: RecipeFit = {
    recipe: recipeOf(recipe),
    means,
    plays: [],
    expected: [],
    excess: 1,
    byTurn: [],
    score: 0,
    noiseVar: 0,
  }
  return { stage, fit }
}
const supposed = (options: Told, rateKnown = true): SupposedRecipe[] => {
  const { stage, fit } = told(options)
  return supposedRecipes(stage, fit, rateKnown)
}
/** What is tried of a setting. */
const tried = <K extends keyof Recipe>(all: readonly SupposedRecipe[], setting: K): Recipe[K][] =>
  all.filter((one) => one.setting === setting).map(({ recipe }) => recipe[setting])
const settings = (all: readonly SupposedRecipe[]): string[] => [...new Set(all.map(({ setting }) => setting))]

describe('beside a plain recipe', () => {
  const all = supposed({})
  test('each differs in what it says, and has the rate that goes with it', () => {
    expect(settings(all)).toEqual([
      'learningRate',
      'optimizer',
      'momentum',
      'batchSize',
      'localEpochs',
      'dropLast',
      'differentialPrivacy',
    ])
    for (const { setting, recipe, rate } of all) {
      const differing = Object.keys(recipe).filter((key) => {
        const k = key as keyof Recipe
        return JSON.stringify(recipe[k]) !== JSON.stringify(recipeOf()[k])
      })
      expect(differing).toEqual(setting === 'learningRate' ? [] : [setting])
      expect(rate).toBe(setting === 'learningRate' || setting === 'optimizer' ? 'one' : 'said')
    }
  })
  test('are other optimizers, momenta, batches within a factor of four, passes, and the last batch', () => {
    expect(tried(all, 'optimizer').map((one) => one?.name)).toEqual(['adam', 'adagrad', 'rmsprop'])
    expect(tried(all, 'momentum')).toEqual([0.5, 0.9])
    expect(tried(all, 'batchSize')).toEqual([2, 4, 16, null])
    expect(tried(all, 'localEpochs')).toEqual([2, 3, 5])
    expect(tried(all, 'dropLast')).toEqual([true])
    expect(tried(supposed({ samples: 33 }), 'batchSize')).toEqual([2, 4, 16, 32, null])
    expect(tried(supposed({ samples: 32 }), 'dropLast')).toEqual([])
    expect(tried(supposed({ recipe: { dropLast: true } }), 'dropLast')).toEqual([false])
    const whole = supposed({ recipe: { batchSize: null, localEpochs: 3 } })
    expect(tried(whole, 'batchSize')).toEqual([8, 16])
    expect(tried(whole, 'localEpochs')).toEqual([1, 2, 5])
    expect(tried(supposed({ recipe: { localEpochs: null } }), 'localEpochs')).toEqual([2, 3, 5])
  })
  test('or batches drawn by coins, as large on the mean; not where all records are one batch', () => {
    expect(tried(all, 'differentialPrivacy')).toMatchObject([{ sampleRate: 8 / 30, noiseMultiplier: 0 }])
    expect(tried(supposed({ recipe: { batchSize: 30 } }), 'differentialPrivacy')).toEqual([])
    expect(tried(supposed({ recipe: { batchSize: null } }), 'differentialPrivacy')).toEqual([])
  })
  test('or as many steps more and fewer, where steps are counted', () => {
    const steps = (localSteps: number) => supposed({ recipe: { localSteps } })
    expect(tried(steps(10), 'localSteps')).toEqual([2, 5, 20, 30, 50])
    expect(tried(steps(1), 'localSteps')).toEqual([2, 3, 5])
    expect(settings(steps(10))).not.toContain('localEpochs')
  })
  test('or rates that fall, in more than two rounds', () => {
    const falling = supposed({ turns: 3 }).filter(({ setting }) => setting === 'schedule')
    expect(falling.map(({ rate }) => rate)).toEqual(['each', 'one', 'one', 'one'])
    const curves = falling.slice(1).map(({ rates }) => rates!)
    for (const [k, factor] of [0.8, 0.9, 0.95].entries()) {
      for (const round of [0, 1, 2]) expect(curves[k]![round]).toBeCloseTo(factor ** round, 12)
    }
  })
  test('where no rate may be believed: a rate for each, and nothing that only shows in its size', () => {
    const unknown = supposed({ recipe: { momentum: 0.9, dropout: 0.1 }, model: mlp }, false)
    expect(settings(unknown)).toEqual(['learningRate', 'optimizer', 'momentum', 'dropout', 'differentialPrivacy'])
    expect(unknown.every(({ rate }) => rate === 'one')).toBe(true)
    expect(tried(unknown, 'momentum')).toEqual([0])
  })
})

describe('what a recipe has is also tried without', () => {
  test.each([
    ['momentum', { momentum: 0.9 }, [0.5, 0]],
    ['dropout', { dropout: 0.25 }, [0.1, 0.5, 0]],
    ['clipNorm', { clipNorm: 1 }, [null]],
  ] as const)('%s', (setting, recipe, expected) => {
    expect(tried(supposed({ recipe, model: mlp }), setting)).toEqual(expected)
  })
  test('weight decay and noise', () => {
    expect(tried(supposed({ recipe: { weightDecay: 0.1 } }), 'weightDecay')).toEqual([0, 0.1, 0.2])
    const noise = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1 } as unknown as Recipe['differentialPrivacy']
    expect(tried(supposed({ recipe: { differentialPrivacy: noise } }), 'differentialPrivacy')).toEqual([null])
  })
  test('another optimizer goes with no momentum, and feels none', () => {
    const all = supposed({ recipe: { optimizer: { name: 'adam' } } })
    expect(tried(all, 'optimizer').map((one) => one?.name)).toEqual(['sgd', 'adagrad', 'rmsprop'])
    expect(settings(all)).not.toContain('momentum')
    const others = supposed({ recipe: { momentum: 0.9 } }).filter(({ setting }) => setting === 'optimizer')
    expect(others.map(({ recipe }) => recipe.momentum)).toEqual([0, 0, 0])
  })
})

describe('what messages show', () => {
  test('zeros in the same number in all of them: what is left of a change', () => {
    const all = supposed({ change: [0, 5, 0, 0], theta: [0, 0, 0, 0] })
    expect(tried(all, 'compression')).toEqual([{ kind: 'top-k', share: 0.25 }])
    expect(tried(supposed({ change: [1, 5, 2, 3], theta: [0, 0, 0, 0] }), 'compression')).toEqual([])
    const told = { recipe: { compression: { kind: 'top-k', share: 0.5 } }, change: [0, 5], theta: [0, 0] } as const
    expect(tried(supposed(told), 'compression')).toEqual([])
  })
  test('changes that are shorter than they would be: a length to which steps were cut', () => {
    const shorter = { change: [3, 4], mean: [6, 8], recipe: { batchSize: null } }
    expect(tried(supposed(shorter), 'clipNorm')).toEqual([10]) // 5 of one step at a rate of 0.5
    const four = tried(supposed({ ...shorter, recipe: { batchSize: 8 } }), 'clipNorm')
    expect(four).toEqual([1, 1.1, 1.25, 1.5, 2, 3].map((by) => by * 2.5))
    expect(tried(supposed({ ...shorter, mean: [3.05, 4.05] }), 'clipNorm')).toEqual([])
    expect(tried(supposed({ ...shorter, recipe: { momentum: 0.5 } }), 'clipNorm')).toEqual([])
    expect(tried(supposed({ ...shorter, recipe: { optimizer: { name: 'adam' } } }), 'clipNorm')).toEqual([])
    expect(tried(supposed(shorter, false), 'clipNorm')).toEqual([])
    expect(tried(supposed({ ...shorter, recipe: { share: 'gradient', learningRate: 0.1 } }), 'clipNorm')).toEqual([5])
  })
  test('of gradients there is less to suppose', () => {
    const all = supposed({ recipe: { share: 'gradient' }, change: [0, 4], mean: [0, 8], model: mlp })
    expect(all.map(({ setting }) => setting)).toEqual(['compression', 'clipNorm', 'dropout', 'dropout', 'dropout'])
    expect(tried(all, 'dropout')).toEqual([0.1, 0.25, 0.5])
    expect(all.slice(1).every(({ rate }) => rate === 'said')).toBe(true)
    expect(supposed({ recipe: { share: 'gradient' }, model: { kind: 'opaque' } })).toEqual([])
  })
})

describe('a decay is what pulls towards nothing', () => {
  const decays = (options: Told) => {
    const { stage, fit } = told(options)
    return decaysOf(stage, fit)
  }
  // Four steps at a rate of 0.5 with lambda = 0.1 move theta by 0.2 of itself.
  const pulled = { theta: [10, -20], mean: [1, 1], change: [-1, 5] }
  test('of plain steps, and twice as much', () => {
    const [one, twice, ...more] = decays(pulled)
    expect(one!.weightDecay).toBeCloseTo(0.1, 12)
    expect(twice!.weightDecay).toBeCloseTo(0.2, 12)
    expect(more).toEqual([])
    expect(decays({ ...pulled, change: [3, -3] })).toEqual([]) // away from nothing
    expect(decays({ ...pulled, theta: [0, 0] })).toEqual([])
    expect(decays({ ...pulled, recipe: { learningRate: null } })).toEqual([])
  })
  test('beside what a recipe has of it', () => {
    const [none, one] = decays({ ...pulled, recipe: { weightDecay: 0.3 } })
    expect(none).toEqual({ weightDecay: 0 })
    expect(one!.weightDecay).toBeCloseTo(0.4, 12)
  })
  test('of others by itself, or a few sizes of what bends their steps', () => {
    const adam = decays({ ...pulled, recipe: { optimizer: { name: 'adam' } } })
    expect(adam.slice(0, 2).map(({ optimizer }) => optimizer)).toEqual([{ name: 'adamw' }, { name: 'adamw' }])
    expect(adam[0]!.weightDecay).toBeCloseTo(0.1, 12)
    expect(adam[1]!.weightDecay).toBeCloseTo(0.2, 12)
    const few = [{ weightDecay: 1e-3 }, { weightDecay: 1e-2 }, { weightDecay: 1e-1 }]
    expect(adam.slice(2)).toEqual(few)
    expect(decays({ ...pulled, recipe: { optimizer: { name: 'adagrad' } } })).toEqual(few)
    expect(decays({ ...pulled, change: [3, -3], recipe: { optimizer: { name: 'adam' } } })).toEqual(few)
  })
})
