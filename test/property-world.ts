/** A small federation of which only the sums are heard, some clients of which have a property; and features made by hand. */
import type { FeatureSums, PropertyView } from '../src/attacks/properties/detector/feature-sums.js'
import type { Records } from '../src/data/records.js'
import { federate } from '../src/federation/federate.js'
import type { Defence } from '../src/federation/hooks.js'
import { heldPopulation } from '../src/federation/population.js'
import type { FederationSpec } from '../src/federation/spec.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { sparseFromTriplets, type Triplet } from '../src/numeric/linalg/sparse.js'
import { type Rng, rng } from '../src/numeric/random/rng.js'
import { overlapOfNormals } from '../src/numeric/special/overlap-of-normals.js'
import { protocolOf } from './label-views.js'

const [inputs, classes] = [8, 3]

/** Records of three classes around means of their own. */
function classRecords(draws: Rng, n: number): Records {
  const features = matrix(n, inputs)
  const labels = new Float64Array(n)
  const centres = rng('centres').normals(classes * inputs)
  for (let i = 0; i < n; i++) {
    const c = draws.integer(classes)
    labels[i] = c
    for (let j = 0; j < inputs; j++) features.data[i * inputs + j] = centres[c * inputs + j]! + draws.normal({ std: 1 })
  }
  return { features, labels }
}

export interface PropertyWorldOptions {
  readonly property: 'inversion' | 'ascent' | 'free-rider' | 'membership' | 'mislabelled' | 'scaled' | 'none'
  readonly N?: number
  readonly positives?: number
  readonly rounds?: number
  readonly fraction?: number
  readonly size?: number
  readonly seed?: number
  readonly aggregateWeights?: 'one' | 'samples'
  readonly misbehaviour?: object
  readonly defences?: readonly Defence[]
  readonly learningRate?: number
}

export type TestView = PropertyView & { readonly property: { readonly name: string; readonly record?: number } }

export async function propertyWorld(options: PropertyWorldOptions) {
  const { property, N = 12, positives = 2, rounds = 40, fraction = 0.34, size = 20, seed = 1 } = options
  const { aggregateWeights = 'one', misbehaviour = {}, defences = [], learningRate = 0.1 } = options
  const draws = rng(seed).fork('property world')
  const guilty = Array.from(draws.fork('guilty').sample(N, positives), String).sort()
  const target = classRecords(draws.fork('target'), 1)
  target.labels[0] = (target.labels[0]! + 1) % classes // a record that stands out: it never fits
  const sizes = Array.from({ length: N }, (_, i) => (aggregateWeights === 'one' ? size : size + 4 * (i % 3)))
  const records = sizes.map((n, i) => {
    const own = classRecords(draws.fork('client', i), n)
    if (property === 'membership' && guilty.includes(String(i))) {
      own.features.data.set(target.features.data, (n - 1) * inputs)
      own.labels[n - 1] = target.labels[0]!
    }
    if (property === 'mislabelled' && guilty.includes(String(i))) {
      for (let k = 0; k < n; k++) own.labels[k] = draws.fork('label', i, k).integer(classes)
    }
    return own
  })
  const bad = ['inversion', 'ascent', 'free-rider', 'scaled'].includes(property)
  const spec = {
    model: { kind: 'softmax', inputs, outputs: classes },
    seed,
    rounds,
    aggregateWeights,
    rule: { algorithm: 'fedavg', learningRate, localEpochs: 1, batchSize: 5 },
    sampling: { name: 'fraction', fraction },
    ...(bad && { misbehaving: Object.fromEntries(guilty.map((id) => [id, { name: property, ...misbehaviour }])) }),
  } as FederationSpec
  const thetas: Float64Array[] = []
  const sums: Float64Array[] = []
  const participation: { round: number; participants: readonly string[]; dropped: readonly string[] }[] = []
  for await (const round of federate(spec, { population: heldPopulation(records), defences })) {
    const W = round.participants.reduce((sum, id) => sum + round.weights.get(id)!, 0)
    thetas.push(round.global)
    sums.push(round.aggregate ?? round.next.map((x, j) => W * (x - round.global[j]!)))
    participation.push({ round: round.round, participants: round.participants, dropped: round.dropped })
  }
  const auxiliary = classRecords(draws.fork('auxiliary'), 400)
  const columns = Array.from({ length: inputs }, (_, j) => `x${j}`)
  const numbers = thetas.map((_, r) => r)
  const view: TestView = {
    model: { kind: 'softmax', inputs, outputs: classes, bias: true },
    loss: 'cross-entropy',
    protocol: protocolOf({
      algorithm: 'fedavg',
      share: 'parameters',
      learningRate,
      localEpochs: 1,
      batchSize: 5,
      aggregateWeights,
    }),
    globals: { rounds: numbers, read: async (round) => thetas[round]! },
    aggregates: { rounds: numbers, read: async (round) => ({ round, dThetaSum: sums[round]!, derived: false }) },
    participation,
    sampleCounts: sizes.map((samples, i) => ({ id: String(i), samples })),
    auxiliary: { columns, features: auxiliary.features },
    'auxiliary.label': auxiliary.labels,
    candidates: { columns, features: target.features },
    'candidates.label': target.labels,
    property: { name: property, record: 0 },
  }
  return { view, guilty, records, spec }
}

export interface FeatureWorldOptions {
  readonly seed: number
  readonly N?: number
  readonly n?: number
  readonly perRound?: number
  readonly positives?: number
  /** mu+ - mu-, in deviations of f-. */
  readonly gap?: number
  readonly plusStd?: number
  readonly rho?: number
  readonly measured?: number
}

/** Sums of features that are drawn exactly as `property-posterior` believes. */
export function featureWorld(options: FeatureWorldOptions): { features: FeatureSums; having: boolean[]; X: number[] } {
  const { seed, N = 20, n = 40, perRound = 5, positives = 3, gap = 3, plusStd = 1, rho = 0, measured = 1e6 } = options
  const draws = rng(seed).fork('feature world')
  const guilty = new Set(draws.fork('guilty').sample(N, positives))
  const u = draws.fork('u').normals(N)
  const triplets: Triplet[] = []
  const X: number[] = []
  const G = new Float64Array(n)
  const shapes = Array.from({ length: n }, (_, r) => {
    const own = draws.fork('round', r)
    const minusMean = -gap / 2 + 0.1 * Math.cos(r)
    const shape = { minusMean, minusStd: 1, plusMean: minusMean + gap, plusStd, measured }
    for (const i of Array.from(own.sample(N, perRound)).sort((a, b) => a - b)) {
      const [mean, std] = guilty.has(i) ? [shape.plusMean, plusStd] : [minusMean, 1]
      const x = mean + std * (Math.sqrt(rho) * u[i]! + Math.sqrt(1 - rho) * own.normal())
      triplets.push([r, i, 1])
      X.push(x)
      G[r]! += x
    }
    const { overlap } = overlapOfNormals({ mean1: shape.plusMean, std1: plusStd, mean2: minusMean, std2: 1 })
    return { ...shape, v: 1 - overlap }
  })
  const A = sparseFromTriplets({ rows: n, cols: N }, triplets)
  return { features: { A, G, shapes }, having: Array.from({ length: N }, (_, i) => guilty.has(i)), X }
}

/** 2 TP / (2 TP + FP + FN) */
export function f1Of(claimed: readonly boolean[], having: readonly boolean[]): number {
  const right = claimed.filter((is, i) => is && having[i]).length
  return (2 * right) / (claimed.filter(Boolean).length + having.filter(Boolean).length)
}
