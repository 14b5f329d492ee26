import { labelMean } from '../src/attacks/labels/regression/label-mean.js'
import { metaclassCounts } from '../src/attacks/labels/regression/metaclass-counts.js'
import { metaclassMeans } from '../src/attacks/labels/regression/metaclass-means.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import { attackOn } from './attack-context.js'
import { protocolOf } from './label-views.js'
import { pinResults } from './pinned-results.js'
import { plainGradient, plainTurn, plainWeights } from './plain-network.js'

const d = 3
const columns = Array.from({ length: d }, (_, j) => `x${j}`)

interface Turned {
  readonly hidden?: readonly number[]
  readonly seed?: number
  readonly records?: number
  readonly like?: number
  readonly learningRate?: number
  /** 0: the gradient itself is heard. */
  readonly epochs?: number
  readonly batchSize?: number
  /** Whether labels of the auxiliary records are known. */
  readonly labelled?: boolean
  /** How many times the rate that was used is stated. */
  readonly statedTimes?: number
  readonly noise?: number
}

/** What is heard of one turn on a few records, and what is known of others like them. */
function viewOf(turned: Turned) {
  const { hidden = [4], seed = 1, records: n = 12, like = 60, learningRate = 0.02, epochs = 3, batchSize } = turned
  const r = rng(seed).fork('pinned rehearsal')
  const people = (count: number) => {
    const X = Array.from({ length: count }, () => Array.from(r.normals(d)))
    const Y = X.map((x) => [3 + x[0]! + 0.5 * x[1]! * x[1]! + 0.3 * r.normal()])
    return { X, Y, groups: Float64Array.from(X, (x) => (x[0]! > 0 ? 1 : 0)) }
  }
  const [own, others] = [people(n), people(like)]
  const spec = { sizes: [d, ...hidden, 1] }
  const theta = plainWeights(spec, () => r.uniform())
  const noise = turned.noise ?? 0
  const grad = plainGradient(spec, theta, own).map((g) => g + noise * r.normal())
  const turn = { learningRate, epochs, ...(batchSize && { batchSize }) }
  const update: Exchange['update'] =
    epochs === 0
      ? { kind: 'gradient', grad }
      : { kind: 'parameters', theta: plainTurn(spec, theta, own, turn).map((v) => v + noise * r.normal()) }
  const rate = learningRate * (turned.statedTimes ?? 1)
  const averaging = { share: 'parameters', algorithm: 'fedavg', learningRate: rate, localEpochs: epochs } as const
  const privacy = { mechanism: 'noise', maxNorm: 1e3, noiseMultiplier: (n * noise) / 1e3, sampleRate: 1, delta: 0 }
  const stated = {
    ...(epochs === 0 ? {} : { ...averaging, batchSize: batchSize ?? null }),
    ...(noise > 0 && { differentialPrivacy: privacy }),
  }
  const model = { inputs: d, outputs: 1, bias: true } as const
  const layers = { hidden, activation: 'relu', outputActivation: 'identity' } as const
  return {
    model: hidden.length === 0 ? { kind: 'linear', ...model } : { kind: 'mlp', ...model, ...layers },
    ...{ loss: 'mse', target: '0', round: 0, batchSize: n, samples: n, protocol: protocolOf(stated) },
    exchanges: {
      rounds: [0],
      read: async (): Promise<Exchange> => ({ round: 0, received: theta, update, learningRate: epochs ? rate : null }),
    },
    auxiliary: { columns, features: matrix(like, d, Float64Array.from(others.X.flat())) },
    ...((turned.labelled ?? true) && { 'auxiliary.label': Float64Array.from(others.Y.flat()) }),
    'auxiliary.metaclass': others.groups,
    ...{ metaclasses: ['a', 'b'], metaclassCounts: [0, 1].map((c) => own.groups.filter((g) => g === c).length) },
  }
}

const cases: readonly Turned[] = [
  {},
  { labelled: false },
  { seed: 2, epochs: 1 },
  { seed: 2, epochs: 1, labelled: false },
  { seed: 3, epochs: 2, batchSize: 5 },
  { seed: 3, epochs: 2, batchSize: 5, labelled: false },
  { epochs: 0 },
  { epochs: 0, noise: 0.02 },
  { epochs: 1, statedTimes: 2 },
  { seed: 4, learningRate: 0.1, epochs: 5 },
  { seed: 5, learningRate: 0.15, epochs: 6 },
  { seed: 6, learningRate: 0.3, epochs: 8, labelled: false },
  { hidden: [], epochs: 4 },
  { hidden: [], epochs: 4, labelled: false, batchSize: 4 },
  { hidden: [5, 3], like: 140, epochs: 1 },
  { hidden: [5, 3], like: 140, epochs: 30, learningRate: 0.003 },
  { epochs: 501, learningRate: 1e-4 },
]

pinResults('rehearsal', {
  'the mean label of a turn that is rehearsed': cases.map((one) => () => attackOn(labelMean, viewOf(one))),
  'means of metaclasses': cases.slice(0, 9).map((one) => () => attackOn(metaclassMeans, viewOf(one))),
  'counts of metaclasses': cases.slice(0, 9).map((one) => () => attackOn(metaclassCounts, viewOf(one))),
})
