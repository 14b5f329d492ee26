/** Grades a model: its distance to the client's own optimum, against that of the last global model. */

import { log } from '../numeric/special/elementary-functions.js'
import type { Table } from '../transcript/encoded-table.js'
import { type Known, metric, needed, recordsOf } from './grading.js'
import { finiteNumbers } from './number-lists.js'
import { relativeErrorTo } from './relative-error.js'
import { type Guess, liftOf, scoreOf } from './score.js'

export const model = metric('model', 'the model that a client would train alone', async (claim, graded) => {
  const { truth, known } = graded
  const [optimum] = needed([`optimum.${claim.client}`, await truth.optimum(claim.client)])
  const theta = finiteNumbers(claim.theta, 'theta', optimum.length)
  const error = relativeErrorTo(optimum)
  const value = error.of(theta)
  const global = known.lastGlobal && finiteNumbers(known.lastGlobal, 'lastGlobal', optimum.length)
  const guesses: Guess[] = global === undefined ? [] : [{ words: 'the last global model', value: error.of(global) }]
  return scoreOf({
    metric: error.metric,
    value,
    better: 'lower',
    guesses,
    noGuess: 'no global model is known',
    also: {
      digits: digitsOf(value),
      ...losses({ theta, optimum, global }, await recordsOf(claim.client, graded), known),
    },
  })
})

/** Decimal digits of the optimum that the claim has right, at most what a double holds. */
function digitsOf(relativeError: number): number {
  return -log(Math.max(relativeError, Number.EPSILON)) * Math.LOG10E
}

interface Places {
  readonly theta: Float64Array
  readonly optimum: Float64Array
  readonly global: Float64Array | undefined
}

/** The client's trained loss at the three models, and how much of the way down from the global one the claim went. */
function losses({ theta, optimum, global }: Places, table: Table | undefined, known: Known): Record<string, number> {
  const labels = table?.labels
  if (table === undefined || labels === undefined || known.functions === undefined) return {}
  const { functions } = known
  const lossAt = (place: Float64Array): number => functions.loss(place, { features: table.features, labels })
  const [lossAtClaim, lossAtOptimum] = [lossAt(theta), lossAt(optimum)]
  if (global === undefined) return { lossAtClaim, lossAtOptimum }
  const lossAtGlobal = lossAt(global)
  const lift = liftOf({ value: lossAtClaim - lossAtOptimum, chance: lossAtGlobal - lossAtOptimum, better: 'lower' })
  return { lossAtClaim, lossAtOptimum, lossAtGlobal, ...(lift !== null && { lossLift: lift }) }
}
