/**
 * A turn rehearsed on auxiliary inputs: errors are sought under which it ends as the client's did, so that what several
 * local steps added can be taken from what was heard; and other such clients are made up, to tell how far that holds.
 */

import { rowsOf } from '../../../../numeric/linalg/matrix.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import { log } from '../../../../numeric/special/elementary-functions.js'
import { normalCdf } from '../../../../numeric/special/normal.js'
import { meanOf, varianceOf } from '../../../../numeric/special/summaries.js'
import { Inapplicable } from '../../../attack.js'
import type { Fit } from '../../../claim.js'
import { oddShape } from '../../../shared/message-shape.js'
import { distinct, onlyAnswer, startsOf } from './only-answer.js'
import { type Rehearsing, type Solution, type Stage, solved, stageOf } from './rehearsal-stage.js'

export interface Rehearsed {
  /** The gradient at the model that was sent, as far as the rehearsal tells. */
  readonly grad: Float64Array
  readonly fit: Fit
  /** Standard error of the mean label by made-up clients. */
  readonly error: number
  /** By made-up client: what the gradient that was found for it is off by. */
  readonly strays: readonly Float64Array[]
  /** Errors are so many times what auxiliary labels say; undefined where that is about once, or nobody knows. */
  readonly otherScale: number | undefined
}

const mostSteps = 500

export function rehearsedGradient(asked: Rehearsing): Rehearsed {
  const { update } = asked
  if (update.steps > mostSteps) {
    throw new Inapplicable(['fewer local steps'], `${update.steps} local steps are more than are rehearsed`)
  }
  const stage = stageOf(asked)
  try {
    return rehearsedOn(stage, asked)
  } finally {
    stage.release()
  }
}

function rehearsedOn(stage: Stage, asked: Rehearsing): Rehearsed {
  const { update } = asked
  const found = theOnly(stage, update.grad)
  const made = madeUpClients(stage, found, asked)
  const odd = oddShape(
    update.grad,
    made.map(({ heard }) => heard),
  )
  if (odd !== undefined) {
    const why = `the update is not what plain steps leave: ${odd}`
    throw new Inapplicable(['a protocol that explains the update'], why)
  }
  const fit = likely(
    found.misfit,
    made.map(({ misfit }) => misfit),
  )
  const error = Math.sqrt(meanOf(made.map(({ miss }) => miss * miss)))
  const strays = made.map(({ stray }) => stray)
  return { grad: found.grad, fit, error, strays, otherScale: otherScale(stage, found, made) }
}

/** From the plain reading and from errors that are larger: drift hides them. Refused where two answers remain. */
function theOnly(stage: Stage, heard: Float64Array): Solution {
  const starts = startsOf(stage, stage.errorIn(heard))
  const rough = starts.map((start) => solved(stage, heard, { start, to: 'roughly' }))
  const ends = distinct(rough, stage.size).map(({ c }) => solved(stage, heard, { start: c }))
  return onlyAnswer(ends, stage.size)
}

/** How many times the errors that auxiliary labels have, where made-up clients do not scatter so far about it. */
function otherScale(stage: Stage, { c }: Solution, made: readonly MadeUp[]): number | undefined {
  if (!stage.labelled) return undefined
  const times = timesOf(stage, c)
  const spread = Math.sqrt(meanOf(made.map((one) => (one.times - times) * (one.times - times))))
  return Math.abs(times - 1) > 0.15 + 4 * spread ? times : undefined
}

/** The law's errors over those of the auxiliary labels, by least squares. */
function timesOf({ law, start }: Stage, c: Float64Array): number {
  const [known, now] = [law.errors(start), law.errors(c)]
  return dot(known, now) / Math.max(dot(known, known), Number.MIN_VALUE)
}

interface MadeUp {
  readonly heard: Float64Array
  readonly misfit: number
  /** What the mean label was missed by, and the gradient. */
  readonly miss: number
  readonly stray: Float64Array
  /** How many times the errors of the auxiliary labels it was found to have. */
  readonly times: number
}

/** Without labels nobody knows how far errors lie about the law: by so many times their size, from draw to draw. */
const scatters = [0.25, 0.4, 0.6, 1, 1.5, 2.5, 4]

/** Clients of K auxiliary records each, with errors by the law and about it, heard and solved like the real one. */
function madeUpClients(stage: Stage, { c }: Solution, asked: Rehearsing): MadeUp[] {
  const { recordsPerStep, rng, update } = asked
  const { predictions, features, records: K, labelled } = stage
  const errors = stage.law.errors(c)
  const size = Math.sqrt(meanOf(errors.map((e) => e * e)))
  return scatters.map((scatter, r): MadeUp => {
    const draw = rng.fork('rehearsal', r)
    const rows = Int32Array.from({ length: K }, () => draw.integer(features.rows))
    const std = labelled ? 0 : scatter * size
    const y = Float64Array.from(rows, (i) => predictions[i]! - errors[i]! + draw.normal({ std }))
    const batches = batchesOf(K, recordsPerStep, draw)
    const own = { features: rowsOf(features, rows), labels: y }
    const quiet = stage.turn(own, batches)
    const heard = update.noisy ? quiet.map((g, j) => g + draw.normal({ std: update.errorAt(j) })) : quiet
    const { grad, misfit, c: found } = solved(stage, heard, { start: c, to: 'roughly' })
    // A real client's records are not among those that it is rehearsed with.
    const outside = Math.sqrt(1 + K / features.rows)
    const miss = outside * (meanOf(predictions) - stage.errorIn(grad) - meanOf(y))
    const truth = stage.gradientOf(own)
    const stray = grad.map((g, j) => outside * (g - truth[j]!))
    return { heard, misfit: outside * misfit, miss, stray, times: timesOf(stage, found) }
  })
}

/** Which records a step reads: an epoch after the other, each in a new order. */
function batchesOf(K: number, B: number, rng: Rng): (step: number) => Int32Array {
  const perEpoch = Math.ceil(K / Math.min(B, K))
  let epoch = -1
  let order: Int32Array = new Int32Array(0)
  return (step) => {
    if (Math.floor(step / perEpoch) !== epoch) {
      epoch = Math.floor(step / perEpoch)
      order = rng.permutation(K)
    }
    const at = (step % perEpoch) * Math.min(B, K)
    return order.slice(at, Math.min(K, at + B))
  }
}

/** Misfits of made-up clients are taken as lognormal: few of them tell how unlikely a larger one is. */
function likely(misfit: number, others: readonly number[]): Fit {
  const logs = others.filter((m) => m > 0 && Number.isFinite(m)).map(log)
  if (logs.length < 2) return { misfit, expected: 0, p: misfit === 0 ? 1 : 0 }
  const centre = meanOf(logs)
  // As many draws as these may have come out too alike.
  const std = Math.max(0.25, Math.sqrt((varianceOf(logs) * logs.length) / (logs.length - 1)) * (1 + 1 / logs.length))
  const sorted = [...others].sort((a, b) => a - b)
  const expected = sorted[Math.floor(sorted.length / 2)]!
  return { misfit, expected, p: misfit > 0 ? normalCdf(-(log(misfit) - centre) / std) : 1 }
}
