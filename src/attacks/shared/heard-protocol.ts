/** What messages say of how a client trains, beside what is stated: which recipe explains them, and by how much. */

import { norm } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'
import { largestMagnitude, medianOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import type { ProtocolFit } from '../attack.js'
import { keptPlays } from './kept-plays.js'
import { marksOf } from './message-marks.js'
import { checkedFit } from './predictive-check.js'
import { factorOf, type HeardSchedule, scheduleHeard } from './rate-schedule.js'
import { fitOf, type HeardTurn, partsOf, type Stage } from './recipe-fit.js'
import { doubtedP, explainedP, type Found, searched, settledRate } from './recipe-search.js'
import { type Recipe, stepsOf } from './replayed-turn.js'
import { type SupposedView, supposedRecords } from './supposed-records.js'

/** Messages that are looked at unless told, and how often each turn is played over. */
export const usualHearing = { rounds: 20, plays: 61 } as const

export const heardNeeds = ['exchanges', 'protocol'] as const
export const heardUses = [
  ...(['model', 'loss', 'parameters', 'samples'] as const),
  ...(['records', 'records.label', 'sensitive', 'auxiliary', 'auxiliary.label'] as const),
] as const
export type HeardView = View<(typeof heardNeeds)[number]> &
  Partial<View<'model' | 'loss' | 'parameters'>> &
  SupposedView

export interface HeardProtocol {
  readonly stated: Recipe
  readonly heard: Recipe
  /** How often turns played over under the stated protocol are as far from one another as the messages; null: none could be. */
  readonly p: number | null
  /** The same under what was heard. */
  readonly heardP: number | null
  /** Squared misfit over the one that is expected, by rehearsal: about 1 where the protocol is right. */
  readonly excess: { readonly stated: number; readonly heard: number } | null
  /** The same of each message that was looked at, under the stated protocol; absent where none could be played over. */
  readonly byRound?: ProtocolFit['byRound']
  readonly evidence: readonly string[]
  readonly pace: Pace
}

/** Rates as they are stated, all of them as many times longer as the first is; or by a schedule, which was heard. */
export type Pace =
  | { readonly by: 'statement'; readonly first: number | null; readonly now: number | null }
  | { readonly by: 'schedule'; readonly learningRate: number; readonly schedule: HeardSchedule['schedule'] }

/** The rate of a round under what was heard, beside the one that is stated of it. */
export function rateAt(pace: Pace, round: number, stated: number | null): number | null {
  if (pace.by === 'schedule') return pace.learningRate * factorOf(pace.schedule, round)
  const { first, now } = pace
  return stated !== null && first !== null && now !== null ? (stated * now) / first : now
}

export interface HeardOptions {
  readonly rng: Rng
  /** Messages that are looked at. */
  readonly rounds?: number
  /** Times that each of their turns is played over to judge a protocol. */
  readonly plays?: number
  tick?(): void
}

export async function heardProtocol(view: HeardView, options: HeardOptions): Promise<HeardProtocol> {
  const { rounds = usualHearing.rounds, plays = usualHearing.plays } = options
  return heardIn(view, await turnsHeard(view, Math.min(rounds, affordable(view, plays))), { ...options, slow: true })
}

/** The same of turns that were read before. Slow to believe: not another recipe that leaves something to explain, where values were drawn blindly. */
export function heardIn(
  view: Omit<HeardView, 'exchanges'>,
  turns: readonly HeardTurn[],
  options: HeardOptions & { readonly slow?: boolean },
): HeardProtocol {
  const { protocol: stated } = view
  const { rng, plays = usualHearing.plays } = options
  const evidence: string[] = []
  const start = startOf(stated, turns, evidence)
  // Each play on a guess of its own: two that share one are alike beyond what the messages can be.
  const supposed = supposedRecords(view, plays, rng.fork('records'))
  const { model, loss } = view
  if (
    supposed === undefined ||
    model === undefined ||
    model.kind === 'opaque' ||
    loss === undefined ||
    turns.length === 0
  ) {
    evidence.push('nothing is known to play turns over with: only what values betray by themselves is told')
    const heard = byValuesAlone(start, turns, evidence)
    return { stated, heard, p: null, heardP: null, excess: null, evidence, pace: { by: 'statement', first: 1, now: 1 } }
  }
  if (!supposed.own) evidence.push("turns are played over on records of the same kind, not on the client's own")
  const parts = partsOf(view.parameters, turns[0]!.theta.length)
  const paced = pacedTurns(turns, start)
  const tick = options.tick && { tick: options.tick }
  const told = { view: { model, loss }, turns: paced.turns, supposed, parts, rng: rng.fork('plays') }
  const stage: Stage = { ...told, kept: keptPlays(), ...tick }
  const rateKnown = stated.share === 'gradient' || paced.known
  const first = rateKnown ? { recipe: paced.recipe, rates: paced.rates } : settledRate(stage, paced.recipe, paced.rates)
  const believed = fitOf(stage, first.recipe, { plays, rates: first.rates })
  const { p: played, by } = checkedFit(stage, believed)
  const byRound = turns.map(({ round }, t) => ({ round, misfit: believed.byTurn[t]! }))
  // Values that no play under the statement could have: it cannot be true, whatever else fits.
  const belied = stated.compression !== undefined && stated.compression?.kind !== start.compression?.kind
  const p = belied ? 0 : played
  const silent = unknownIn(stated)
  const usual = { ...first.recipe, schedule: stated.schedule ?? null }
  if (played > doubtedP) {
    evidence.push(`${wordsOf(usual)} explains ${turns.length} messages (p = ${round3(played)})`)
    if (silent.length > 0) evidence.push(`not stated and not told apart from the usual: ${silent.join(', ')}`)
    return {
      stated,
      heard: usual,
      p,
      heardP: played,
      excess: { stated: believed.excess, heard: believed.excess },
      evidence,
      byRound,
      pace: statedPace(paced, first.recipe),
    }
  }
  evidence.push(`${wordsOf(usual)} does not explain ${by} (p = ${round3(played)})`)
  const found = searched(stage, { ...first, rateKnown, evidence })
  const last = fitOf(stage, found.recipe, { plays, rates: found.rates, noiseVar: found.noiseVar })
  const { p: heardP } = checkedFit(stage, last)
  if (options.slow && supposed.blind && heardP <= explainedP && !belied) {
    evidence.push(
      'the sensitive values were drawn without anybody alike who could lend them, and no other recipe explains the messages: ' +
        'what the stated one leaves may be these values, and it is believed',
    )
    const pace = statedPace(paced, first.recipe)
    return { stated, heard: usual, p, heardP: played, excess: { stated: believed.excess, heard: believed.excess }, evidence, byRound, pace } // biome-ignore format: one line
  }
  const heard = toldOf(found, stage, stated)
  evidence.push(`${wordsOf(heard)}: misfit ${round3(last.excess)} of what is expected (p = ${round3(heardP)})`)
  if (heardP <= doubtedP) evidence.push('nothing that was tried fits: the likeliest is told')
  const pace = found.changed.includes('schedule') ? heardPace(found, stage) : statedPace(paced, found.recipe)
  return { stated, heard, p, heardP, excess: { stated: believed.excess, heard: last.excess }, evidence, byRound, pace }
}

type Paced = ReturnType<typeof pacedTurns>

const statedPace = ({ known, recipe: { learningRate: first } }: Paced, { learningRate: now }: Recipe): Pace => ({
  ...{ by: 'statement', now },
  first: known ? first : null,
})

function heardPace({ recipe, rates }: Found, { turns }: Stage): Pace {
  const paced = turns.map(({ round }, t) => ({ round, rate: recipe.learningRate! * rates[t]! }))
  const { learningRate, schedule } = scheduleHeard(paced)
  return { by: 'schedule', learningRate, schedule }
}

/** Multiplications that playing all turns over once may take, about. */
const mostWork = 4e9

/** Messages whose turns can be played over in reasonable time: fewer of large models, but at least two. */
export function affordable(
  { parameters = [], protocol, samples, records, auxiliary }: HeardView,
  plays: number,
): number {
  const d = parameters.reduce((sum, { shape }) => sum + shape.reduce((n, s) => n * s, 1), 0)
  const n = samples ?? records?.features.rows ?? auxiliary?.features.rows ?? 1
  const { steps, batch } = stepsOf(protocol, n)
  return Math.max(2, Math.floor(mostWork / (plays * steps * batch * d + 1)))
}

/** The first message and others as far apart as they come. */
export async function turnsHeard({ exchanges }: HeardView, most: number): Promise<HeardTurn[]> {
  const { rounds } = exchanges
  // The first messages say most, the last ones whether the rate is still the same.
  const n = Math.min(most, rounds.length)
  const picked = Array.from({ length: n }, (_, i) => {
    const far = n === 1 ? 0 : (i / (n - 1)) * (i / (n - 1))
    return rounds[Math.max(i, Math.round(far * (rounds.length - 1)))]!
  })
  const turns: HeardTurn[] = []
  for (const round of new Set(picked)) {
    const { received, update, learningRate } = await exchanges.read(round)
    if (received === undefined) continue
    const change =
      update.kind === 'parameters'
        ? update.theta.map((v, j) => v - received[j]!)
        : update.kind === 'delta'
          ? update.dTheta
          : update.grad.map((g) => -g)
    if (change.every((v) => v === 0) || change.some((v) => !Number.isFinite(v))) continue
    turns.push({ round, theta: received, change, learningRate })
  }
  return turns
}

/** What is stated, with the usual in the place of what is not, and what values betray by themselves. */
function startOf(stated: Recipe, turns: readonly HeardTurn[], evidence: string[]): Recipe {
  const { optimizer, weightDecay = 0, clipNorm = null, dropLast = false } = stated
  const adds = stated.share === 'parameters'
  const { sparse, lattice } = marksOf(turns.map(({ change, theta }) => ({ change, from: adds ? theta : undefined })))
  const heard = sparse ? { kind: 'top-k', ...sparse } : lattice ? { kind: 'quantised', ...lattice } : null
  if (sparse) evidence.push(`every message holds ${percent(sparse.share)} of the values and no small ones: top-k`)
  if (lattice && !sparse) evidence.push(`all values lie on a lattice of ${lattice.bits} bits`)
  const same = heard?.kind === stated.compression?.kind && heard !== null
  const compression = same ? stated.compression! : heard
  return { ...stated, optimizer: optimizer ?? { name: 'sgd' }, weightDecay, clipNorm, dropLast, compression }
}

/** One rate for all turns, and what it is multiplied with in each. */
function pacedTurns(turns: readonly HeardTurn[], recipe: Recipe) {
  const stated = turns.map(({ learningRate }) => learningRate ?? recipe.learningRate)
  const first = stated.find((rate) => rate !== null) ?? null
  const known = stated.every((rate) => rate !== null)
  return {
    known,
    recipe: { ...recipe, learningRate: first },
    rates: stated.map((rate) => (known ? rate! / first! : 1)),
    turns: turns.map((turn) => ({ ...turn, learningRate: null })),
  }
}

/** What was found, as a recording would state it. */
function toldOf({ recipe, rates, noiseVar, changed }: Found, { turns }: Stage, stated: Recipe): Recipe {
  const noise = { mechanism: 'noise', maxNorm: null, noiseMultiplier: null, sampleRate: null, delta: null }
  const heard: Recipe = {
    ...recipe,
    schedule: stated.schedule ?? null,
    ...(noiseVar > 0 && { differentialPrivacy: { ...noise, noiseStd: Math.sqrt(noiseVar) } }),
  }
  if (!changed.includes('schedule')) return heard
  const paced = turns.map(({ round }, t) => ({ round, rate: recipe.learningRate! * rates[t]! }))
  const { schedule, learningRate } = scheduleHeard(paced)
  return { ...heard, schedule, learningRate }
}

/** Steps of an adaptive optimizer have about one size in every coordinate; those of SGD are of all sizes. */
function byValuesAlone(start: Recipe, turns: readonly HeardTurn[], evidence: string[]): Recipe {
  if (start.share === 'gradient' || turns.length === 0 || start.compression) return start
  const even = medianOf(turns.map(({ change }) => medianOf(change.map(Math.abs)) / largestMagnitude(change)))
  if (even < 0.5 || norm(turns[0]!.change) === 0) return start
  evidence.push(`changes have about one size in all coordinates (${round3(even)} of the largest): adam or its kin`)
  return { ...start, optimizer: { name: 'adam' } }
}

/** Settings that the recording does not state. */
export const unknownIn = ({ learningRate, ...stated }: Recipe): string[] => [
  ...(learningRate === null && stated.share !== 'gradient' ? ['learningRate'] : []),
  ...(['optimizer', 'weightDecay', 'clipNorm', 'dropLast', 'compression', 'schedule'] as const).filter(
    (key) => stated[key] === undefined,
  ),
]

/** A protocol in a few words: "adam 0.001, weight decay 0.01". */
export function wordsOf(recipe: Recipe): string {
  const { optimizer, learningRate, momentum, weightDecay, clipNorm, dropout, compression, schedule, proxMu } = recipe
  const name = optimizer === undefined ? 'an unknown optimizer' : (optimizer?.name ?? 'sgd')
  const words = [
    `${name === 'sgd' ? 'SGD' : name} ${learningRate === null ? 'at an unknown rate' : figure(learningRate)}`,
  ]
  if (momentum > 0) words.push(`momentum ${figure(momentum)}`)
  if (proxMu > 0) words.push(`proximal ${figure(proxMu)}`)
  if (weightDecay !== undefined && weightDecay > 0) words.push(`weight decay ${figure(weightDecay)}`)
  if (clipNorm !== undefined && clipNorm !== null) words.push(`clipped to ${figure(clipNorm)}`)
  if (dropout > 0) words.push(`dropout ${figure(dropout)}`)
  if (compression) words.push(compression.kind)
  if (schedule) words.push(`rate by ${schedule.kind}`)
  if (recipe.differentialPrivacy !== null) words.push(recipe.differentialPrivacy.mechanism)
  return words.join(', ')
}

const figure = (x: number): string => String(Number(x.toPrecision(3)))
const round3 = (x: number): number => Number(x.toPrecision(3))
const percent = (x: number): string => `${Number((100 * x).toPrecision(3))} %`
