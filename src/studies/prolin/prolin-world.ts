/** The federations of [prolin] 6.3.2: clients of 25 or 50 pictures, a fifth of them in each sum, five with the property. */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'

export type PictureSet = 'mnist' | 'fashion-mnist' | 'cifar10'
export type Property = 'membership' | 'inversion' | 'ascent'

/** [prolin] Table 2: the model, the batch and the rate of each dataset, and its auxiliary records. */
export const pictureSets = {
  mnist: { title: 'MNIST', model: 'lenet-mnist', batchSize: 10, learningRate: 0.01, auxiliary: 6000, all: 60_000 },
  'fashion-mnist': {
    title: 'Fashion-MNIST',
    model: 'lenet-mnist',
    batchSize: 10,
    learningRate: 0.01,
    auxiliary: 6000,
    all: 60_000,
  },
  // departs: the first of five training files is all that there is; the paper has 50,000 pictures.
  cifar10: { title: 'CIFAR-10', model: 'lenet-cifar', batchSize: 25, learningRate: 0.1, auxiliary: 5000, all: 10_000 },
} as const

/** Five of 50 clients, the same in every study. */
export const guilty = ['3', '11', '24', '36', '47']

export interface ProlinWorld {
  readonly dataset: PictureSet
  readonly property: Property
  readonly size: number
  readonly rounds: number
  readonly seed: number
  /** N; 50 unless told. */
  readonly clients?: number
  /** In how many rounds those with the property act so; in all unless told. */
  readonly prob?: number
}

export function prolinScenario(world: ProlinWorld): ScenarioInput {
  const { dataset, property, size, rounds, seed, clients = 50, prob } = world
  const { model, batchSize, learningRate, auxiliary, all } = pictureSets[dataset]
  return {
    name: `prolin-${property}`,
    seed,
    heldBack: 0,
    data: { name: dataset, validation: 0, auxiliary: auxiliary / all },
    partition: { name: 'sizes', params: { sizes: Array.from({ length: clients }, () => size) } },
    models: [{ kind: model }],
    training: {
      rounds,
      localEpochs: 1,
      batchSize,
      learningRate,
      aggregateWeights: 'one',
      sampling: { name: 'fraction', params: { fraction: 0.2 } },
      ...(property !== 'membership' && {
        misbehaving: Object.fromEntries(
          guilty.map((id) => [id, { name: property, ...(prob !== undefined && { params: { prob } }) }]),
        ),
      }),
    },
    knowledge: {
      targets: [guilty[0]!],
      property,
      ...(property === 'membership' && { holders: guilty }),
    },
  }
}

/** The paper's names, and the attacks. */
export const methods = {
  BASELINE: 'disaggregation',
  OLS: 'property-ols',
  REG: 'property-reg',
  PROLIN: 'prolin',
  'posterior (beyond the paper)': 'property-posterior',
} as const
export type Method = keyof typeof methods
export const methodNames = Object.keys(methods) as Method[]

/** Thresholds and features as published; the posterior accuses by its own probabilities. */
export function methodParams(method: Method, { pairs, rounds }: { readonly pairs: number; readonly rounds: number }) {
  const attack = methods[method]
  return {
    pairs,
    rounds,
    curve: 0,
    ...(attack !== 'property-posterior' && { decision: 'paper' }),
    // Features in each detector's own units, as published.
    ...(['property-ols', 'property-reg', 'prolin'].includes(attack) && { units: 'own' }),
  }
}
export const methodNotes = {
  BASELINE: '[lam2021] gradient disaggregation with a detector a round',
  'posterior (beyond the paper)': 'ours; it accuses by its own probabilities',
}
