/** The features by which turns are told from others, of messages beside the plays that a rehearsal has made anyway. */
import type { Rng } from '../../../../numeric/random/rng.js'
import { checkedFit } from '../../../shared/predictive-check.js'
import { judged, type Stage } from '../../../shared/recipe-fit.js'
import type { Problem } from '../linear-problem.js'
import type { Rehearsal } from './rehearsed-turns.js'

export interface Rehearsed {
  readonly problem: Problem
  readonly rehearsal: Pick<Rehearsal, 'messages' | 'scatter'>
  /** By round: the sum of gradients that its message states. */
  readonly heard: readonly Float64Array[]
  readonly plays: number
  /** Nothing is drawn from it, as the plays are there. */
  readonly rng: Rng
}

/** How rarely plays differ from one another as the messages differ from them, and by what; see `predictive-check.ts`. */
export function featuresFit({ problem, rehearsal, heard, plays, rng }: Rehearsed): {
  readonly p: number
  readonly by: string
} {
  const { rounds, functions, view } = problem
  const full = Math.sqrt((plays - 1) / plays)
  const played = rounds.map((_, t) =>
    Array.from({ length: plays }, (_, k) => {
      const mean = rehearsal.messages[t]!
      return rehearsal.scatter[t * plays + k]!.map((v, j) => mean[j]! + full * v)
    }),
  )
  let at = 0
  const parts = functions.model.parameters.map(({ shape }): [number, number] => {
    const from = at
    at += shape.reduce((n, s) => n * s, 1)
    return [from, at]
  })
  const stage: Omit<Stage, 'supposed' | 'view'> = {
    turns: rounds.map(({ round, theta }, t) => ({ round, theta, change: heard[t]!, learningRate: null })),
    parts,
    rng,
  }
  return checkedFit(stage, judged(stage, view.protocol, { plays: played, noiseVar: 0 }), { fitted: true })
}
