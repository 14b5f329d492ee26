/** What all attacks on properties share: needs, parameters, and the way from a view to a claim. */
import { lookup } from '../../errors.js'
import type { Rng } from '../../numeric/random/rng.js'
import { type ScaleVector, usualScale } from '../../numeric/random/scale-vector.js'
import { choice, number, type ValuesOf, whole } from '../../params.js'
import type { Grant } from '../../threat/granted-keys.js'
import { type Context, claimed, type Detail, Inapplicable, type Outcome } from '../attack.js'
import type { Detector } from './detector/detector.js'
import { type FeatureOptions, type FeatureSums, featureSums, type PropertyView } from './detector/feature-sums.js'
import { featureRounds, fitOf } from './detector/fit-of-features.js'
import { type Property, properties } from './detector/made-up-clients.js'
import { firstRounds } from './expected-features.js'
import { type Telling, type ToldTurns, toldSums } from './participation/told-turns.js'
import { checkpoints, exposureOf, type Judged } from './rounds-until-exposed.js'
import { equalColumns, type Separability, separability } from './separable-clients.js'
import { type Sums, sumsOf } from './usable-sums.js'

export const propertyNeeds = [
  ...(['aggregates', 'globals', 'model', 'loss', 'protocol', 'auxiliary', 'auxiliary.label'] as const),
] as const satisfies readonly Grant[]
export const propertyUses = [
  ...(['participation', 'turnCounts', 'sampleCounts', 'property', 'candidates', 'candidates.label'] as const),
] as const satisfies readonly Grant[]

/** Parameters of the detectors. */
export const detectorParams = {
  pairs: whole({ default: 30, min: 8, doc: 'made-up updates with the property a round, and as many without' }),
  /** t of the paper. */
  features: whole({ default: 1, min: 1, max: 16, doc: 'linear features a round' }),
  records: whole({ default: 0, min: 0, doc: 'records of a made-up client; 0: as many as the clients hold' }),
  floor: number({ default: 0.1, min: 0, doc: 'least deviation of a coordinate, as a share of the mean deviation' }),
  maxNorm: number({ default: 2, min: 0, doc: "bound on an ascending client's update; 0: none" }),
  rounds: whole({ default: 0, min: 0, doc: 'use only the first so many rounds; 0: all' }),
  curve: whole({ default: 10, min: 0, doc: 'points of the curve of exposure over the rounds; 0: none' }),
} as const

/** Below 1: clients who evade by acting in some rounds only. */
export const actingParam = number({
  default: 1,
  min: 0.01,
  max: 1,
  doc: 'share of the rounds in which those with the property act so',
})

export const propertyParams = {
  property: choice({
    default: 'given',
    choices: ['given', ...properties],
    doc: 'what to look for; given: what the knowledge names',
  }),
  ...detectorParams,
  acting: actingParam,
  factor: number({ default: usualScale.factor, doc: 'what a client that scales multiplies some coordinates with' }),
  part: number({ default: usualScale.part, min: 0, max: 1, doc: 'share of the coordinates that it multiplies' }),
  key: whole({ default: usualScale.key, min: 0, doc: 'which coordinates these are: another number, others' }),
} as const

/** For those who hold one expected feature of a client against all rounds. */
export const unitsParam = choice({
  default: 'common',
  choices: ['common', 'own'],
  doc: 'all rounds in one unit and level, or as each detector has them, as published',
})

/** For those who regress the sums on who took part. */
export const weightsParam = choice({
  default: 'paper',
  choices: ['paper', 'variance'],
  doc: 'rounds weigh 1 - OVL, shrunk by lambda, as published; or 1 / variance of their sum, shrunk as the sums suggest',
})

/** What is believed before anything is heard. */
export const shareParam = number({
  default: 0.1,
  min: 0.001,
  max: 0.999,
  doc: 'share of clients that have it, a guess',
})

/** For methods whose numbers rank clients and are no probabilities. */
export const rankParam = choice({
  default: 'rank',
  choices: ['rank', 'paper'],
  doc: 'rank: nobody is accused; paper: who is beyond the published threshold, innocent or not',
})

export interface Estimate {
  /** Ranks clients. */
  readonly score: Float64Array
  /** That each has the property; null where the method only ranks. */
  readonly probability: Float64Array | null
  readonly positive: readonly boolean[]
  readonly details?: Readonly<Record<string, Detail>>
  readonly warnings?: readonly string[]
}

export interface EstimateTools {
  readonly rng: Rng
  /** A point of a curve and no claim: it may rest on fewer draws. */
  readonly rough?: boolean
  tick(done: number, total: number): void
}

/** `seen` rounds of features; detectors are there for estimators that ask for them. */
export type Estimator = (features: readonly FeatureSums[], tools: EstimateTools) => Estimate | Promise<Estimate>

export interface PropertyRun {
  readonly property?: Property
  /** The estimate takes each of t features for itself; else their mean. */
  readonly separate?: boolean
  readonly riding?: FeatureOptions['riding']
  /** Told of every detector, of the rounds in any order, before the first estimate. */
  onDetector?(detector: Detector, at: { readonly index: number; readonly feature: number }): void
  /** The claim ranks clients and accuses nobody. */
  readonly ranksOnly?: boolean
  /** Called once, when all detectors are known. */
  prepare?(sums: Sums): Promise<void>
  estimate: Estimator
}

export type DetectorParams = ValuesOf<typeof detectorParams> &
  Partial<ScaleVector> & {
    readonly property?: string
    readonly acting?: number
  }

/** The options of the detectors, from an attack's parameters. */
export function featureOptions(
  view: { readonly property?: { readonly name: string } },
  { property: asked, acting = 1, ...params }: DetectorParams,
  { property, separate = false, riding = 'any' }: Pick<PropertyRun, 'property' | 'separate' | 'riding'>,
): FeatureOptions {
  const name = property ?? (asked === 'given' ? view.property?.name : asked)
  if (name === undefined) throw new Inapplicable(['property'], 'nothing says which property to look for')
  const known = Object.fromEntries(properties.map((one) => [one, one]))
  const { pairs, records, floor, maxNorm, features } = params
  const { factor = usualScale.factor, part = usualScale.part, key = usualScale.key } = params
  const made = { pairs, records, floor, maxNorm, scale: { factor, part, key } }
  return { property: lookup(known, name, 'property'), ...made, riding, features, joined: !separate, acting }
}

type Named = PropertyView & { readonly property?: { readonly name: string } }

export async function attackProperty(
  given: Telling<Named>,
  { params, rng, tick, derive }: Context<DetectorParams>,
  run: PropertyRun,
): Promise<Outcome> {
  const total = 100 // detectors take nearly all of the time
  const keys = [...propertyNeeds, ...propertyUses]
  const told = await toldSums<Named>(given, keys, { rng, tick: () => tick(0, total) })
  const { view } = told
  const options = featureOptions(view, params, run)
  const sums = sumsOf(view, params.rounds)
  requireApart(sums)
  const features = await featureSums(view, sums, options, {
    rng: rng.fork('detectors'),
    derive,
    tick: (done, of) => tick((done / of) * 0.8 * total, total),
    ...(run.onDetector !== undefined && { onDetector: run.onDetector }),
  })
  await run.prepare?.(sums)
  const estimateOf = async (seen: number, share: number): Promise<Estimate> => {
    const tools = {
      rng: rng.fork('estimate', seen),
      rough: seen < sums.rounds.length,
      tick: (done: number, of: number) => tick((0.8 + 0.2 * (share + done / of / 20)) * total, total),
    }
    const part = seen === sums.rounds.length ? features : features.map((one) => firstRounds(one, seen))
    return run.estimate(part, tools)
  }
  const found = await estimateOf(sums.rounds.length, 0)
  // What is no probability has no line to pass.
  const seen = found.probability === null ? [] : checkpoints(sums.rounds.length, params.curve)
  const curve: Judged = { seen, probabilities: [] as Float64Array[] }
  for (const [k, rounds] of seen.entries()) {
    const last = rounds === sums.rounds.length
    const { probability } = last ? found : await estimateOf(rounds, (k + 1) / (seen.length + 1))
    ;(curve.probabilities as Float64Array[]).push(probability!)
  }
  const { property, pairs } = options
  return claimOf({ property, sums, features, found, curve, pairs, ranksOnly: run.ranksOnly === true, told })
}

/** Where all clients are in every sum with the same weights, their total is all that sums hold: each could have any part of it. */
function requireApart({ ids, A }: Sums): void {
  if (ids.length < 2 || !equalColumns(A).some((group) => group.length === ids.length)) return
  throw new Inapplicable(
    ['rounds without some client'],
    'it lacks rounds without some client: sums tell their total only',
  )
}

interface Found {
  readonly property: Property
  readonly sums: Sums
  readonly features: readonly FeatureSums[]
  readonly found: Estimate
  readonly curve: Judged
  readonly pairs: number
  readonly ranksOnly: boolean
  readonly told: Pick<ToldTurns<unknown>, 'warnings' | 'reconstructed'>
}

function claimOf({ property, sums, features, found, curve, pairs, ranksOnly, told }: Found): Outcome {
  const { ids, rounds, neverSeen, A } = sums
  const apart = separability(A)
  const fit = fitOf(features[0]!)
  const exposure = exposureOf(curve, { ids, rounds, positive: found.positive })
  const names = (places: readonly number[]): string[] => places.map((i) => ids[i]!)
  return claimed(
    {
      kind: 'property',
      property,
      clients: ids.map((id, i) => {
        const positive = !ranksOnly && found.positive[i]!
        if (found.probability === null) return { id, probability: null, score: found.score[i]!, positive }
        return { id, probability: found.probability[i]!, positive }
      }),
      ...(ranksOnly && { ranksOnly: true as const }),
      ...(exposure !== undefined && { exposure }),
    },
    {
      warnings: [...told.warnings, ...warningsOf(sums, apart), ...fit.warnings, ...(found.warnings ?? [])],
      details: {
        rounds: rounds.length,
        clients: ids.length,
        ...(told.reconstructed !== null && { participants: 'reconstructed' }),
        pairs,
        rank: apart.rank,
        inseparable: names(apart.inseparable),
        together: apart.together.map(names),
        neverSeen,
        ...fit.details,
        ...found.details,
      },
      workings: { features: { property, rounds: featureRounds(features[0]!, rounds) } },
    },
  )
}

function warningsOf({ ids, rounds, neverSeen }: Sums, { inseparable, together }: Separability): string[] {
  const some = (names: readonly string[]): string => names.slice(0, 10).join(', ') + (names.length > 10 ? ', ...' : '')
  const warnings: string[] = []
  if (rounds.length < ids.length) {
    warnings.push(`${rounds.length} sums cannot separate ${ids.length} clients: what is claimed rests on prior belief`)
  }
  if (inseparable.length > 0) {
    const names = inseparable.map((i) => ids[i]!)
    warnings.push(`${names.length} clients cannot be told apart by these rounds: ${some(names)}`)
  }
  for (const group of together.slice(0, 5)) {
    warnings.push(`always in the same rounds: ${some(group.map((i) => ids[i]!))}`)
  }
  if (neverSeen.length > 0) warnings.push(`never took part, nothing is claimed of them: ${some(neverSeen)}`)
  return warnings
}
