/** Turns of a problem played over with guessed values, beside what was heard of them: each guess is played once. */
import { trainer } from '../../../../models/trainer.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import { keptPlays } from '../../../shared/kept-plays.js'
import type { LinearRound } from '../gradient-sums.js'
import type { Problem } from '../linear-problem.js'
import { cheapByMoments, turnsByMoments } from './turns-by-moments.js'

export interface Stage {
  /** The messages of some rounds, and what rounding explains of them, one after another. */
  readonly heard: Float64Array
  readonly slack: Float64Array
  /** The models that they answer. */
  readonly thetas: readonly Float64Array[]
  /** The same messages by these values, less what was heard, in units of the slack; not to be written into. */
  leftBy(guesses: Int32Array): Float64Array
  release(): void
}

/** Rounds that are played at least, and equations for each unknown. */
const [leastRounds, perUnknown] = [3, 4]
/** Roundings that a turn gathers on its way, in units of the message's own. */
const gathered = 32
const [single, double] = [1 / 16777216, 1 / 9007199254740992]

export const roundsFor = (unknowns: number, size: number): number =>
  Math.max(leastRounds, Math.ceil((perUnknown * unknowns) / size))

export function stageOf(problem: Problem): Stage {
  const { candidates, rounds, gradients } = problem
  const count = Math.min(rounds.length, roundsFor(candidates.records * (gradients.values - 1), gradients.size))
  const used = Array.from({ length: count }, (_, t) => rounds[Math.floor((t * rounds.length) / count)]!)
  const heard = heardIn(used, problem)
  const turns = turnsOf(used)
  const player = heard.coarse && goesByMoments(problem) ? byMoments(problem, turns) : byTrainer(problem, turns)
  const kept = problem.plays.get(rounds) ?? keptPlays()
  problem.plays.set(rounds, kept)
  return {
    ...{ heard: heard.all, slack: heard.slack, thetas: turns.map(({ theta }) => theta) },
    leftBy: (guesses) => kept.of(guesses.join(), () => heard.beside(player.moved(guesses))),
    release: player.release,
  }
}

export const turnsOf = (rounds: readonly LinearRound[]): Turns => rounds.map(({ theta, rate }) => ({ theta, rate }))

export interface Heard {
  /** The messages one after another, and what rounding explains of them. */
  readonly all: Float64Array
  readonly slack: Float64Array
  /** Whether they are of single precision. */
  readonly coarse: boolean
  /** What turns leave of them that add so much to the models that were sent, in units of the slack; made of what is given. */
  beside(moved: Float64Array): Float64Array
}

export function heardIn(rounds: readonly LinearRound[], { steps, gradients: { size: P } }: Problem): Heard {
  const all = new Float64Array(rounds.length * P)
  const slack = new Float64Array(rounds.length * P)
  const units = rounds.map(({ rounding, mean }) => unitOf(rounding, mean))
  for (const [t, { mean, rounding }] of rounds.entries()) {
    const least = (gathered * units[t]! * Math.sqrt(dot(mean, mean))) / Math.sqrt(P)
    all.set(mean, t * P)
    for (let j = 0; j < P; j++) slack[t * P + j] = Math.sqrt((rounding[j]! * rounding[j]!) / 3 + least * least)
  }
  return {
    ...{ all, slack, coarse: units.every((unit) => unit === single) },
    beside(moved) {
      for (const [t, { rate }] of rounds.entries()) {
        const times = rate * steps
        for (let at = t * P; at < (t + 1) * P; at++) moved[at] = (all[at]! + moved[at]! / times) / slack[at]!
      }
      return moved
    },
  }
}

/** The unit of rounding that a message shows: that of single precision unless it is finer by far. */
function unitOf(rounding: Float64Array, mean: Float64Array): number {
  return rounding.some((x, j) => x > Math.abs(mean[j]!) / 1073741824) ? single : double
}

type Turns = readonly { readonly theta: Float64Array; readonly rate: number }[]

interface Player {
  /** What turns with these values add to the models that were sent, one after another. */
  moved(guesses: Int32Array): Float64Array
  release(): void
}

/** Step by step, to the last bit. */
function byTrainer({ candidates, functions, view, steps, gradients }: Problem, turns: Turns): Player {
  const { records: n, features, labels } = candidates
  const { lossScale, differentialPrivacy } = view.protocol
  const maxNorm = differentialPrivacy?.maxNorm ?? null
  const client = trainer(functions.model, {
    precision: 'f64',
    loss: view.loss,
    lossScale,
    ...(maxNorm !== null && { privacy: { maxNorm, noiseMultiplier: 0 } }),
  })
  // Row v n + i is record i with value v.
  const k = features[0]!.cols
  const all = matrix(n * features.length, k)
  const outputs = labels.length / n
  const allLabels = new Float64Array(n * features.length * outputs)
  for (const [v, own] of features.entries()) {
    all.data.set(own.data, v * n * k)
    allLabels.set(labels, v * n * outputs)
  }
  const records = client.hold({ features: all, labels: allLabels })
  client.use(records)
  const P = gradients.size
  return {
    moved(guesses) {
      const rows = guesses.map((value, i) => value * n + i)
      const out = new Float64Array(turns.length * P)
      for (const [t, { theta, rate }] of turns.entries()) {
        client.load(theta)
        client.repeat(rows, rate, steps)
        client.movedInto(out.subarray(t * P, (t + 1) * P), theta)
      }
      return out
    },
    release() {
      client.release()
      records.release()
    },
  }
}

/** The steps of an affine map's turn differ from those of moments by rounding in double precision alone. */
export function goesByMoments({ candidates, functions, view, gradients }: Problem): boolean {
  const { affine, outputs, dense } = functions.model
  const plain = affine === true && dense !== undefined && outputs === 1 && view.loss === 'mse'
  const clipped = (view.protocol.differentialPrivacy?.maxNorm ?? null) !== null
  return plain && !clipped && cheapByMoments(gradients.size, candidates.records)
}

export function byMoments({ candidates, functions, view, steps }: Problem, starts: Turns) {
  const { bias } = functions.model.dense!
  return turnsByMoments({ candidates, bias, lossScale: view.protocol.lossScale, steps, starts })
}
