/** Turns played over with guessed records: how far local training strays from the sum of gradients at one point, and how it scatters. */
import { type Held, type Trainer, trainer } from '../../../../models/trainer.js'
import { type Matrix, matrix, rowOf } from '../../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import { type Replay, replayer } from '../../../shared/replayed-turn.js'
import type { Problem } from '../linear-problem.js'
import { sumsAt } from '../message-residuals.js'
import { playOther } from './other-steps.js'
import { isPlain } from './plain-steps.js'

export interface Rehearsal {
  /** By round: how far, on the mean over plays, a message is from the sum of gradients at the round's point. */
  readonly offsets: readonly Float64Array[]
  /** By round: the mean over plays of what the message would say the sum of gradients is. */
  readonly messages: readonly Float64Array[]
  /** Departures of single plays from their mean, at their full size. */
  readonly scatter: readonly Float64Array[]
  /** By round: where sums of gradients are taken, as a rule the mean of the models at which steps were taken. */
  readonly paths: readonly Float64Array[]
}

/** Plays of a turn whose path is averaged. */
const mostPaths = 2

export interface RehearsalOptions {
  /** Values of all records, as many times as there are draws: plays take them in turn. */
  readonly draws: readonly Int32Array[]
  /** Plays of each turn, at least two. */
  readonly plays: number
  /** By round: what the believed rate is to be divided by. */
  readonly rates: readonly number[]
  readonly rng: Rng
  /** Whether sums of gradients are taken where the rounds take them already, and not along the played paths. */
  readonly settled?: boolean
  readonly tick?: ((done: number, total: number) => void) | undefined
}

/** Whether the client's training is worth playing over: one exact step needs it not. */
export function canRehearse({ view: { protocol }, steps, samples }: Problem): boolean {
  const noisy = (protocol.differentialPrivacy?.noiseMultiplier ?? 0) > 0
  const whole = protocol.batchSize === null || protocol.batchSize >= samples
  return noisy || steps > 1 || !whole || !isPlain(protocol)
}

/** Whether a turn on the same values ends at the same model: every step reads all records, and nothing is drawn. */
export function playsAlike({ view: { protocol }, samples, candidates }: Problem): boolean {
  const whole = protocol.batchSize === null || protocol.batchSize >= samples
  const own = samples === candidates.records && isPlain(protocol)
  return whole && own && (protocol.differentialPrivacy?.noiseMultiplier ?? 0) === 0
}

/** A trainer that stands for the client, and the records it trains on, once for each draw of their values. */
interface Stage {
  readonly client: Trainer
  /** Who plays instead, where steps are not plain. */
  readonly other: Replay | undefined
  /** For each play the first that is the same; itself where turns are drawn. */
  readonly firsts: readonly number[]
  readonly casts: readonly { readonly records: Held; readonly p: Float64Array }[]
}

/**
 * Draws that differ where records are in doubt put that doubt into the scatter: a message depends on the records along the
 * whole path, the sum of gradients on one point of it.
 */
export function rehearse(problem: Problem, options: RehearsalOptions): Rehearsal {
  const { rounds } = problem
  const { plays, tick } = options
  const stage = stageOf(problem, options)
  const shares = stage.casts.map(({ p }) => p)
  const offsets: Float64Array[] = []
  const messages: Float64Array[] = []
  const paths = rounds.map(({ theta, at }) => (options.settled ? at : new Float64Array(theta.length)))
  if (!options.settled) problem.factors?.keep(paths)
  const scatter: Float64Array[] = []
  for (const [t, path] of paths.entries()) {
    tick?.(t, rounds.length)
    const played: Float64Array[] = []
    for (const [k, first] of stage.firsts.entries()) {
      if (first < k) played.push(played[first]!.slice())
      else played.push(play(problem, stage, { ...options, t, k, path: options.settled ? undefined : path }))
    }
    messages.push(meanOfPlays(played))
    const sums = sumsAt(problem, path, shares)
    for (const [k, one] of played.entries()) addTo(one, sums[k % sums.length]!, -1)
    const mean = meanOfPlays(played)
    // Of plays that are all one, what rounding leaves is no scatter.
    const full = stage.firsts.every((first) => first === 0) ? 0 : Math.sqrt(plays / (plays - 1))
    for (const one of played) scatter.push(one.map((v, j) => (v - mean[j]!) * full))
    offsets.push(mean)
  }
  stage.client.release()
  for (const { records } of stage.casts) records.release()
  stage.other?.release()
  return { offsets, messages, scatter, paths }
}

function stageOf(problem: Problem, { draws, plays }: Pick<RehearsalOptions, 'draws' | 'plays'>): Stage {
  const { candidates, functions, gradients, view } = problem
  const { lossScale, differentialPrivacy } = view.protocol
  const privacy = differentialPrivacy === null ? undefined : clippingOf(differentialPrivacy)
  const client = trainer(functions.model, {
    precision: 'f64',
    loss: view.loss,
    lossScale,
    ...(privacy && { privacy }),
  })
  const other = isPlain(view.protocol) ? undefined : replayer(view, view.protocol)
  const casts = draws.map((values) => ({
    records: (other ?? client).hold({ features: guessed(problem, values), labels: candidates.labels }),
    p: sharesOfValues(values, gradients.values),
  }))
  const alike = playsAlike(problem)
  const same = (a: Int32Array, b: Int32Array): boolean => a.every((v, i) => v === b[i])
  const valuesOf = (k: number): Int32Array => draws[k % draws.length]!
  const firsts = Array.from({ length: plays }, (_, k) => {
    for (let first = 0; alike && first < k; first++) if (same(valuesOf(first), valuesOf(k))) return first
    return k
  })
  return { client, other, casts, firsts }
}

interface Play extends Pick<RehearsalOptions, 'plays' | 'rates' | 'rng'> {
  readonly t: number
  readonly k: number
  /** Where the mean of the models of the first plays is added up. */
  readonly path: Float64Array | undefined
}

/** Plays turn t for the k-th time: what its message would say the sum of gradients is. */
function play(problem: Problem, stage: Stage, options: Play): Float64Array {
  const { client, other, casts } = stage
  const { samples, steps } = problem
  const { theta, rate } = problem.rounds[options.t]!
  const eta = rate / options.rates[options.t]!
  if (other !== undefined) return playedOtherwise(problem, stage, { ...options, other })
  client.use(casts[options.k % casts.length]!.records)
  client.load(theta)
  if (playsAlike(problem)) stepOnAll(problem, stage, { ...options, eta })
  else stepInBatches(problem, stage, { ...options, eta })
  return client.theta().map((v, j) => ((theta[j]! - v) * samples) / (eta * steps))
}

function playedOtherwise(problem: Problem, stage: Stage, options: Play & { readonly other: Replay }): Float64Array {
  const { t, k, path, rates, other } = options
  const { records } = stage.casts[k % stage.casts.length]!
  const share = pathShare(problem, stage, options)
  const onStep = share > 0 ? { onStep: (at: Float64Array) => addTo(path!, at, share) } : {}
  const rng = options.rng.fork('round', t, 'play', k)
  return playOther(problem, other, { t, records, by: rates[t]!, rng, ...onStep })
}

/** The share of a step in the mean path, where a play counts in it; plays that are the same as this one count through it. */
function pathShare({ steps }: Problem, { firsts }: Stage, { k, plays, path }: Play): number {
  if (path === undefined) return 0
  const paths = Math.min(plays, mostPaths)
  return firsts.slice(0, paths).filter((first) => first === k).length / (steps * paths)
}

interface Steps extends Play {
  readonly eta: number
}

/** Every step on all records, in the order in which they are known. */
function stepOnAll(problem: Problem, stage: Stage, options: Steps): void {
  const { client } = stage
  const { steps, samples } = problem
  const everybody = Int32Array.from({ length: samples }, (_, i) => i)
  const share = pathShare(problem, stage, options)
  if (share === 0) {
    client.repeat(everybody, options.eta, steps)
    return
  }
  for (let s = 0; s < steps; s++) {
    addTo(options.path!, client.theta(), share)
    client.step(everybody, options.eta)
  }
}

/** Batches in a new order for every epoch; records that nobody knows are stood for by known ones. */
function stepInBatches(problem: Problem, stage: Stage, options: Steps): void {
  const { client } = stage
  const { steps, samples, candidates, view } = problem
  const { t, k, eta, path } = options
  const known = candidates.records
  const B = view.protocol.batchSize ?? samples
  const own = options.rng.fork('round', t, 'play', k)
  const others = Int32Array.from({ length: samples - known }, () => own.integer(known))
  const share = pathShare(problem, stage, options)
  let taken = 0
  for (let epoch = 0; taken < steps; epoch++) {
    const order = own
      .fork('epoch', epoch)
      .permutation(samples)
      .map((i) => (i < known ? i : others[i - known]!))
    for (let from = 0; from < samples && taken < steps; from += B, taken++) {
      if (share > 0) addTo(path!, client.theta(), share)
      client.step(order.subarray(from, from + B), eta, () => own.fork('step', taken))
    }
  }
}

function meanOfPlays(played: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(played[0]!.length)
  for (const one of played) addTo(mean, one, 1 / played.length)
  return mean
}

function addTo(sum: Float64Array, x: Float64Array, by: number): void {
  for (let j = 0; j < sum.length; j++) sum[j]! += by * x[j]!
}

/** Over the unknowns: 1 where a record has the value. */
function sharesOfValues(values: Int32Array, count: number): Float64Array {
  const n = values.length
  const p = new Float64Array(n * (count - 1))
  for (let i = 0; i < n; i++) if (values[i]! > 0) p[(values[i]! - 1) * n + i] = 1
  return p
}

function clippingOf(privacy: { maxNorm: number | null; noiseMultiplier: number | null }) {
  if (privacy.maxNorm === null) return undefined
  return { maxNorm: privacy.maxNorm, noiseMultiplier: privacy.noiseMultiplier ?? 0 }
}

/** The records with each one's guessed value in place. */
function guessed({ candidates }: Pick<Problem, 'candidates'>, guesses: Int32Array): Matrix {
  const { records, features } = candidates
  const { cols } = features[0]!
  const out = matrix(records, cols)
  for (let i = 0; i < records; i++) out.data.set(rowOf(features[guesses[i]!]!, i), i * cols)
  return out
}
