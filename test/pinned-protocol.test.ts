import { heardProtocol, unknownIn, wordsOf } from '../src/attacks/shared/heard-protocol.js'
import { checkedFit } from '../src/attacks/shared/predictive-check.js'
import { scheduleHeard } from '../src/attacks/shared/rate-schedule.js'
import { fitOf, partsOf, type RecipeFit, rateFactors, type Stage, withNoise } from '../src/attacks/shared/recipe-fit.js'
import { searched, settledRate } from '../src/attacks/shared/recipe-search.js'
import { type Recipe, replayer } from '../src/attacks/shared/replayed-turn.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { protocolOf } from './label-views.js'
import { pinResults } from './pinned-results.js'

const n = 10
const draws = rng('protocol')
const features = matrix(n, 2, draws.fork('x').normals(2 * n))
const labels = Float64Array.from(
  { length: n },
  (_, i) => features.data[2 * i]! - 0.5 * features.data[2 * i + 1]! + 0.25,
)
const linear = { kind: 'linear', inputs: 2, outputs: 1, bias: true } as const
const usual: Recipe = protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.1, batchSize: 4 })

interface Told {
  /** How the client really trains. */
  readonly real?: Partial<Recipe>
  readonly rates?: readonly number[]
  readonly noise?: number
  readonly rounds?: number
}
/** Turns of a client, and what is held against them. */
function stageOf({ real = {}, rates = [1, 1, 1], noise = 0, rounds = 3 }: Told = {}): Stage {
  const view = { model: linear, loss: 'mse' } as const
  const recipe = { ...usual, ...real }
  const replay = replayer(view, recipe)
  const records = replay.hold({ features, labels })
  const turns: Stage['turns'][number][] = []
  let theta = initialise(createModel(linear as ModelSpec), draws.fork('theta'))
  for (let round = 0; round < rounds; round++) {
    const learningRate = recipe.learningRate! * rates[round]!
    const own = draws.fork('turn', round)
    const exact = replay.play({ theta, records, learningRate, rng: own })
    const change = exact.map((v) => v + noise * own.normal())
    turns.push({ round, theta, change, learningRate: null })
    theta = theta.map((v, j) => v + change[j]!)
  }
  records.release()
  replay.release()
  const guess = (k: number) => ({
    features,
    labels: labels.map((y, i) => y + 0.05 * draws.fork('guess', k, i).normal()),
  })
  const supposed = { guesses: [0, 1, 2].map(guess), own: true, blind: false, samples: 12 }
  return { view, turns, supposed, parts: [[0, 2], [2, 3]], rng: rng(5) } // biome-ignore format: one line
}
const inNumbers = ({ recipe: _, ...fit }: RecipeFit) => fit
const plain = stageOf()
const stages = { plain, faster: stageOf({ real: { learningRate: 0.25 } }), noisy: stageOf({ noise: 0.05 }), falling: stageOf({ rates: [1, 0.5, 0.25] }), shared: stageOf({ real: { share: 'gradient' } }) } // biome-ignore format: one line
const noise = { mechanism: 'dp-sgd', maxNorm: 0.5, noiseMultiplier: null, sampleRate: null, delta: null }
const recipes: readonly Partial<Recipe>[] = [
  {},
  { learningRate: 0.3 },
  { batchSize: null, localEpochs: 3 },
  { localSteps: 2, momentum: 0.9 },
  { optimizer: { name: 'adam' }, learningRate: 0.01 },
  { weightDecay: 0.1, clipNorm: 0.5, dropLast: true },
  { compression: { kind: 'top-k', share: 0.5 } },
  { share: 'gradient' },
  { differentialPrivacy: { ...noise, noiseMultiplier: 0.3, sampleRate: 0.5 } },
  { differentialPrivacy: noise, dropLast: true, localEpochs: 2 },
  { differentialPrivacy: { ...noise, maxNorm: null, sampleRate: 0 }, localEpochs: null },
]
const fits = Object.values(stages).flatMap((stage) =>
  recipes.slice(0, 4).map((change) => ({ stage, recipe: { ...usual, ...change } })),
)
const view = (told: Told, stated: Partial<Recipe>) => {
  const { turns } = stageOf(told)
  return {
    exchanges: {
      rounds: turns.map(({ round }) => round),
      read: async (round: number) => {
        const { theta, change } = turns[round]!
        const update = { kind: 'delta', dTheta: change } as const
        return { round, received: theta, update, learningRate: null }
      },
    },
    protocol: { ...usual, share: 'delta', ...stated } as Recipe,
    model: linear,
    loss: 'mse' as const,
    parameters: [
      { name: 'w', shape: [1, 2] },
      { name: 'b', shape: [1] },
    ],
    samples: n,
    records: { columns: ['a', 'b'], features },
    'records.label': labels,
  }
}
const paced = (rate: (round: number) => number, rounds = 12) =>
  Array.from({ length: rounds }, (_, round) => ({ round, rate: rate(round) }))
const raised = (base: number, by: number): number => (by <= 0 ? 1 : base * raised(base, by - 1))

pinResults('protocol', {
  'fits of recipes': [
    ...recipes.map((change) => () => inNumbers(fitOf(plain, { ...usual, ...change }, { plays: 4 }))),
    ...fits.map(
      ({ stage, recipe }) =>
        () =>
          inNumbers(fitOf(stage, recipe, { plays: 3, rates: [1, 0.5, 2], noiseVar: 1e-4 })),
    ),
    () => inNumbers(fitOf(plain, usual, { plays: 1 })),
    () => inNumbers(withNoise(plain, fitOf(plain, usual, { plays: 2 }), 0.01)),
    () => [partsOf(undefined, 3), partsOf([{ name: 'w', shape: [2] }], 3), partsOf([{ name: 'w', shape: [2, 2] }, { name: 'b', shape: [2] }], 6)], // biome-ignore format: one line
  ],
  'rates that suit': [
    ...fits.map(
      ({ stage, recipe }) =>
        () =>
          rateFactors(stage, fitOf(stage, recipe, { plays: 4 })),
    ),
    ...[plain, stages.faster].map((stage) => () => settledRate(stage, usual, [1, 1, 1])),
    () => settledRate(plain, { ...usual, learningRate: null }, [1, 1, 1]),
    () => settledRate(plain, { ...usual, learningRate: null, optimizer: { name: 'adam' } }, [1, 1, 1]),
    () => settledRate(stages.falling, usual, [1, 1, 1]),
  ],
  'whether messages are like plays': [
    ...fits.map(
      ({ stage, recipe }) =>
        () =>
          checkedFit(stage, fitOf(stage, recipe, { plays: 6 })).p,
    ),
    ...fits.slice(0, 6).map(
      ({ stage, recipe }) =>
        () =>
          checkedFit(stage, fitOf(stage, recipe, { plays: 5, noiseVar: 1e-3 })).p,
    ),
    () => checkedFit(stageOf({ rounds: 1 }), fitOf(stageOf({ rounds: 1 }), usual, { plays: 4 })).p,
  ],
  'schedules heard': [
    () => scheduleHeard(paced(() => 0.1)),
    () => scheduleHeard(paced((round) => 0.1 * raised(0.8, round))),
    () => scheduleHeard(paced((round) => 0.1 * raised(1.1, round))),
    () => scheduleHeard(paced((round) => (round < 5 ? 0.2 : 0.1))),
    () => scheduleHeard(paced((round) => 0.2 * raised(0.3, Math.floor(round / 3)))),
    () => scheduleHeard(paced((round) => 0.2 * (1 - round / 13))),
    () => scheduleHeard(paced((round) => 0.2 * (1 - 0.9 * (round / 11)))),
    () => scheduleHeard(paced((round) => 0.1 + 0.01 * (round % 3))),
    () => scheduleHeard(paced(() => 0.3, 1)),
  ],
  'recipes searched for': [
    ...[
      stages.faster,
      stages.noisy,
      stages.falling,
      stageOf({ real: { optimizer: { name: 'adam' } } }),
      stageOf({ real: { weightDecay: 0.3, clipNorm: 0.4 } }),
    ].map((stage) => () => {
      const { fit: _, ...found } = searched(stage, {
        recipe: usual,
        rates: [1, 1, 1],
        rateKnown: true,
        evidence: [],
      }) as unknown as Record<string, unknown>
      return found
    }),
    () => searched(stages.shared, { recipe: { ...usual, share: 'gradient', clipNorm: 0.1 }, rates: [1, 1, 1], rateKnown: true, evidence: [] }), // biome-ignore format: one line
  ],
  'protocols heard': [
    () => heardProtocol(view({}, {}), { rng: rng(1), rounds: 3, plays: 6 }),
    () => heardProtocol(view({}, { learningRate: null }), { rng: rng(1), rounds: 2, plays: 4 }),
    () => heardProtocol({ ...view({}, { learningRate: null }), loss: undefined } as never, { rng: rng(1) }),
    () => heardProtocol({ ...view({ real: { optimizer: { name: 'adam' }, learningRate: 0.01 } }, {}), loss: undefined } as never, { rng: rng(1) }), // biome-ignore format: one line
    ...recipes.map((change) => () => wordsOf({ ...usual, ...change }).split(' ')),
    () => wordsOf({ ...usual, dropout: 0.2, proxMu: 0.123456, learningRate: null, schedule: { kind: 'step' } as never }).split(' '), // biome-ignore format: one line
    () => unknownIn({ ...usual, learningRate: null }),
    () => unknownIn({ ...usual, optimizer: { name: 'sgd' }, weightDecay: 0, clipNorm: null }),
  ],
})
