/** Turns played over with guessed records: how far local training strays from the sum of gradients at one point, and how it scatters. */
import { type Held, type Trainer, trainer } from '../../../models/trainer.js'
import { type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { type Replay, replayer } from '../../shared/replayed-turn.js'
import type { Problem } from './linear-problem.js'
import { sumsAt } from './message-residuals.js'
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

/** A trainer that stands for the client, and the records it trains on, once for each draw of their values. */
interface Stage {
  readonly client: Trainer
  /** Who plays instead, where steps are not plain. */
  readonly other: Replay | undefined
  readonly casts: readonly { readonly records: Held; readonly p: Float64Array }[]
}

/**
 * Draws that differ where records are in doubt put that doubt into the scatter: a message depends on the records along the
 * whole path, the sum of gradients on one point of it.
 */
export function rehearse(problem: Problem, options: RehearsalOptions): Rehearsal {
  const { rounds } = problem
  const { plays, tick } = options
  const stage = stageOf(problem, options.draws)
  const shares = stage.casts.map(({ p }) => p)
  const offsets: Float64Array[] = []
  const messages: Float64Array[] = []
  const paths = rounds.map(({ theta, at }) => (options.settled ? at : new Float64Array(theta.length)))
  if (!options.settled) problem.factors?.keep(paths)
  const scatter: Float64Array[] = []
  for (const [t, path] of paths.entries()) {
    tick?.(t, rounds.length)
    const played = Array.from({ length: plays }, (_, k) =>
      play(problem, stage, { ...options, t, k, path: options.settled ? undefined : path }),
    )
    messages.push(meanOfPlays(played))
    const sums = sumsAt(problem, path, shares)
    for (const [k, one] of played.entries()) addTo(one, sums[k % sums.length]!, -1)
    const mean = meanOfPlays(played)
    const full = Math.sqrt(plays / (plays - 1))
    for (const one of played) scatter.push(one.map((v, j) => (v - mean[j]!) * full))
    offsets.push(mean)
  }
  stage.client.release()
  for (const { records } of stage.casts) records.release()
  stage.other?.release()
  return { offsets, messages, scatter, paths }
}

function stageOf(problem: Problem, draws: readonly Int32Array[]): Stage {
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
  return { client, other, casts }
}

interface Play extends Pick<RehearsalOptions, 'plays' | 'rates' | 'rng'> {
  readonly t: number
  readonly k: number
  /** Where the mean of the models of the first plays is added up. */
  readonly path: Float64Array | undefined
}

/** Plays turn t for the k-th time: what its message would say the sum of gradients is. */
function play(
  problem: Problem,
  { client, other, casts }: Stage,
  { t, k, path, plays, rates, rng }: Play,
): Float64Array {
  const { samples, steps, candidates, view } = problem
  const { theta, rate } = problem.rounds[t]!
  const known = candidates.records
  const B = view.protocol.batchSize ?? samples
  const eta = rate / rates[t]!
  const own = rng.fork('round', t, 'play', k)
  if (other !== undefined) {
    const adds = (at: Float64Array, taken: number): void => addTo(path!, at, 1 / (taken * Math.min(plays, mostPaths)))
    const onStep = k < mostPaths && path !== undefined ? { onStep: adds } : {}
    return playOther(problem, other, {
      t,
      records: casts[k % casts.length]!.records,
      by: rates[t]!,
      rng: own,
      ...onStep,
    })
  }
  // Records that nobody knows are stood for by known ones.
  const others = Int32Array.from({ length: samples - known }, () => own.integer(known))
  client.use(casts[k % casts.length]!.records)
  client.load(theta)
  let taken = 0
  for (let epoch = 0; taken < steps; epoch++) {
    const order = own
      .fork('epoch', epoch)
      .permutation(samples)
      .map((i) => (i < known ? i : others[i - known]!))
    for (let from = 0; from < samples && taken < steps; from += B, taken++) {
      if (k < mostPaths && path !== undefined) addTo(path, client.theta(), 1 / (steps * Math.min(plays, mostPaths)))
      client.step(order.subarray(from, from + B), eta, () => own.fork('step', taken))
    }
  }
  return client.theta().map((v, j) => ((theta[j]! - v) * samples) / (eta * steps))
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
