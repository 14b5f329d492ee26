/** Made-up clients of any round, and what is made of their updates: detectors, and the mean updates that are planted. */
import { addScaledInto, firstNonFinite } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { type ScaleVector, scaleVector } from '../../../numeric/random/scale-vector.js'
import { rangeOf } from '../../../numeric/special/summaries.js'
import type { Grant, View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import type { Derivation, Doubles } from '../../derivation.js'
import { type Detector, parts, type Simulate, trainDetector } from './detector.js'
import { type BehaviourOptions, having as behave, honest, type MadeTurn, type Property } from './made-up-clients.js'
import { meanDetector } from './mean-detector.js'
import { localTraining, type TrainingView } from './replayed-training.js'

/** All that made-up clients depend on besides the records, the protocol and the models: plain data. */
export type MadeUp = Pick<BehaviourOptions, keyof BehaviourOptions> & {
  readonly property: Property
  readonly pairs: number
  /** Records of real clients; each made-up one holds as many as one of them. */
  readonly sizes: readonly number[]
  /** The candidate that members hold; null for other properties. */
  readonly record: number | null
  /** How loud riders' noise may be. */
  readonly noiseStd: number
  readonly scale: { readonly [K in keyof ScaleVector]: ScaleVector[K] }
}

const always = ['model', 'loss', 'protocol', 'auxiliary', 'auxiliary.label'] as const satisfies readonly Grant[]
const ofMembers = ['candidates', 'candidates.label'] as const satisfies readonly Grant[]
type Key = (typeof always)[number] | (typeof ofMembers)[number]
const keysFor = ({ property }: MadeUp): readonly Key[] =>
  property === 'membership' ? [...always, ...ofMembers] : always

interface Simulation {
  /** The updates that they would return in a round; of `models` the first is its own, the others those that riders remember. */
  at(models: readonly Float64Array[], rng: Rng): Simulate
  release(): void
}

function simulation(part: Partial<View<Key>>, settings: MadeUp, rng: Rng): Simulation {
  const { property, record, sizes, noiseStd, scale, pairs } = settings
  const largest = Math.max(0, rangeOf(sizes).max)
  const mislabelled = property === 'mislabelled' ? rng.fork('labels') : undefined
  const training = localTraining(part as TrainingView, { candidate: record ?? undefined, mislabelled })
  if (training.records < largest) {
    training.release()
    const found = `clients hold up to ${largest} records, the auxiliary data only ${training.records}`
    throw new Inapplicable([`${largest} auxiliary records`], found)
  }
  return {
    at([now, ...before], own) {
      training.begin(now!)
      const stale = before.map((then) => now!.map((x, j) => x - then[j]!))
      const vector = scaleVector(property === 'scaled' ? training.parameters : 0, scale)
      const stock = { training, sizes, stale, noiseStd, vector }
      const halves = halvesOf(own.fork('halves').permutation(training.records), largest)
      const { train } = parts(pairs)
      return (having, i) => {
        const draws = own.fork(having ? 'having' : 'lacking', i)
        const from = halves[i < train ? 0 : 1]
        if (!having) return honest(madeTurn(stock, draws, from))
        let update = behave[property](madeTurn(stock, draws, from), settings)
        // Who climbs out of all numbers has nothing to return: another one is made up.
        for (let k = 1; k < 9 && property === 'ascent' && firstNonFinite(update) >= 0; k++) {
          update = behave[property](madeTurn(stock, draws.fork('again', k), from), settings)
        }
        return update
      }
    },
    release: () => training.release(),
  }
}

interface Stock extends Pick<MadeTurn, 'training' | 'stale' | 'noiseStd' | 'vector'> {
  readonly sizes: readonly number[]
}

/** The made-up client's records are some of `from`. */
function madeTurn({ training, sizes, ...stock }: Stock, rng: Rng, from: Int32Array): MadeTurn {
  const size = sizes[rng.fork('size').integer(sizes.length)]!
  const draw = (count: number): Int32Array =>
    rng
      .fork('rows')
      .sample(from.length, count)
      .map((i) => from[i]!)
  return { training, size, rng, ...stock, draw }
}

/**
 * Records to train a detector on, and others to choose and measure it on: real clients bring records that no detector has
 * seen, and measured on its own ones it looks better than it is. Each half holds at least twice as many as a client, lest all
 * made-up clients be alike: with few records they share some, or all.
 */
export function halvesOf(order: Int32Array, largest: number): readonly [Int32Array, Int32Array] {
  const count = Math.max(Math.ceil(order.length / 2), Math.min(2 * largest, order.length))
  return [order.slice(0, count), order.slice(order.length - count)]
}

/** A round's detectors, one a feature, and after several their mean: of each its a, then its other numbers. */
export const detectors: Derivation<Key, MadeUp & { readonly floor: number; readonly features: number }> = {
  id: 'detectors',
  of: keysFor,
  open(part, { floor, features, ...settings }, rng) {
    const { pairs } = settings
    const world = simulation(part, settings, rng)
    return {
      make({ rounds }, models) {
        const simulate = world.at(models, rng.fork('round', rounds[0]!))
        const own = Array.from({ length: features }, (_, index) => {
          return trainDetector(simulate, { pairs, floor, fold: { index, of: features } })
        })
        const all = features === 1 ? own : [...own, meanDetector(own, simulate, pairs)]
        return all.flatMap(doublesOf)
      },
      release: world.release,
    }
  },
}

function doublesOf({ a, c, penalty, shape }: Detector): Doubles {
  const { plusMean, plusStd, minusMean, minusStd, measured, v } = shape
  return [a, Float64Array.of(c, penalty, plusMean, plusStd, minusMean, minusStd, measured, v)]
}

/** The detectors of a round from what was kept of them, in the order above. */
export function detectorsOf(found: Doubles): Detector[] {
  return Array.from({ length: found.length / 2 }, (_, feature) => {
    const numbers = Array.from(found[2 * feature + 1]!) as unknown as readonly [number, ...number[]]
    const [c, penalty, plusMean, plusStd, minusMean, minusStd, measured, v] = numbers
    const shape = { plusMean, plusStd, minusMean, minusStd, measured, v } as Detector['shape']
    return { a: found[2 * feature]!, c, penalty: penalty!, shape }
  })
}

/** Made-up updates that a planted one is the mean of: many without the property, as their error enters most often. */
const meanOf = { having: 8, lacking: 24 } as const

/** A round's mean update of clients with the property, and of clients without it. */
export const meanUpdates: Derivation<Key, MadeUp> = {
  id: 'mean-updates',
  of: keysFor,
  open(part, settings, rng) {
    const world = simulation(part, settings, rng.fork('world'))
    return {
      make({ rounds }, models) {
        const simulate = world.at(models, rng.fork('round', rounds[0]!))
        return (['having', 'lacking'] as const).map((kind) => {
          const mean = new Float64Array(models[0]!.length)
          for (let k = 0; k < meanOf[kind]; k++) addScaledInto(mean, simulate(kind === 'having', k), 1 / meanOf[kind])
          return mean
        })
      },
      release: world.release,
    }
  },
}
