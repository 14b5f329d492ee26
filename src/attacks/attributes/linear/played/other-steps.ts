/** Turns whose steps are not plain: played over as the protocol has them, and by how much they are shorter than plain ones. */

import type { ModelFunctions } from '../../../../models/functions.js'
import type { Held } from '../../../../models/trainer.js'
import type { Matrix } from '../../../../numeric/linalg/matrix.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import type { View } from '../../../../threat/granted-keys.js'
import { type Replay, replayer } from '../../../shared/replayed-turn.js'
import type { LinearRounds } from '../gradient-sums.js'
import type { Problem } from '../linear-problem.js'
import { travelled } from './plain-steps.js'

export interface OtherTurn {
  readonly t: number
  readonly records: Held
  /** What the believed rate is divided by. */
  readonly by: number
  readonly rng: Rng
  /** Told the models at which steps are taken. */
  onStep?(theta: Float64Array): void
}

/** Plays a turn as the protocol has it: what its message would say the sum of gradients is. */
export function playOther(problem: Problem, replay: Replay, { t, records, by, rng, onStep }: OtherTurn): Float64Array {
  const { samples, steps, candidates, view } = problem
  const { theta, rate, gain = 1, decay } = problem.rounds[t]!
  const known = candidates.records
  const eta = rate / by
  const rows = Int32Array.from({ length: samples }, (_, i) => (i < known ? i : rng.integer(known)))
  const change = replay.play({ theta, records, rows, rng, learningRate: eta, ...(onStep && { onStep }) })
  const length = gain * travelled(view.protocol.share === 'gradient' ? 1 : eta, steps, view.protocol)
  return change.map((v, j) => (-v / length - (decay?.[j] ?? 0)) * samples)
}

interface Guessed {
  readonly functions: ModelFunctions
  readonly samples: number
  readonly known: { readonly known: Matrix; readonly labels: Float64Array }
  readonly rng: Rng
}

const plays = 6

/** Clipped steps are shorter than their gradients: messages are lengthened by what plays on middling records say. */
export function lengthened<T extends LinearRounds>(
  view: View<'model' | 'loss' | 'protocol'>,
  turns: T,
  { functions, samples, known, rng }: Guessed,
): T {
  const { protocol } = view
  if (!protocol.clipNorm || !turns.rateKnown) return turns
  const replay = replayer(view, protocol)
  const records = replay.hold({ features: known.known, labels: known.labels })
  const rounds = turns.rounds.map((round, t) => {
    const { theta, at, rate, mean } = round
    const length = travelled(protocol.share === 'gradient' ? 1 : rate, turns.steps, protocol)
    const { grad } = functions.gradient(at, { features: known.known, labels: known.labels })
    let along = 0
    for (let k = 0; k < plays; k++) {
      const own = rng.fork('clipped', t, k)
      const rows = Int32Array.from({ length: samples }, (_, i) => (i < records.n ? i : own.integer(records.n)))
      along -= dot(grad, replay.play({ theta, records, rows, rng: own, learningRate: rate })) / plays
    }
    const gain = Math.min(1, Math.max(0.01, along / (length * dot(grad, grad)) || 1))
    return { ...round, gain, mean: mean.map((x) => x / gain), rounding: round.rounding.map((x) => x / gain) }
  })
  records.release()
  replay.release()
  return { ...turns, rounds }
}
