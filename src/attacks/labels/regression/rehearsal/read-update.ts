/** An update as a gradient at the model that was sent: as it is, or moved there by a rehearsal, which also checks it. */
import type { Matrix } from '../../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import type { View } from '../../../../threat/granted-keys.js'
import { Inapplicable } from '../../../attack.js'
import type { Fit } from '../../../claim.js'
import { evaluable } from '../../../shared/evaluable-model.js'
import { plainStepRule } from '../../../shared/replayed-descent.js'
import { updateSize } from '../../../shared/update-size.js'
import { driftWarning, type RegressionUpdate } from '../mean-gradient.js'
import type { RegressionHead } from '../regression-head.js'
import { rehearsedGradient } from './rehearsed-gradient.js'

export interface ReadUpdate {
  readonly update: RegressionUpdate
  readonly fit?: Fit
  /** Standard error of the mean label that the rehearsal shows; 0 where nothing was to be rehearsed, null: unknown. */
  readonly error: number | null
  /** Errors of the whole gradient that the rehearsal shows, one by one; none where nothing was to be rehearsed. */
  readonly strays: readonly Float64Array[]
  /** Whether the protocol explains the update, as far as it was checked. */
  readonly explained: boolean
  readonly warnings: readonly string[]
}

/** Several steps stand for one, with a warning; nothing is checked. */
export const readPlainly = (update: RegressionUpdate): ReadUpdate => ({
  update,
  error: update.steps === 1 ? 0 : null,
  strays: [],
  explained: true,
  warnings: driftWarning(update),
})

interface Rehearsal {
  readonly head: RegressionHead
  readonly update: RegressionUpdate
  readonly features: Matrix
  readonly labels?: Float64Array | undefined
  readonly rng: Rng
}

type Known = View<'model' | 'loss' | 'protocol'> & Partial<View<'batchSize' | 'samples'>>

/** Above this many times what made-up clients leave, and this unlikely, the protocol is another. */
const absurd = { times: 2.5, p: 1e-4 }
const doubtful = 0.05

export function readRehearsed(view: Known, { head, update, features, labels, rng }: Rehearsal): ReadUpdate {
  if (update.grad.every((g) => g === 0)) return readPlainly(update)
  const rule = ruleOf(view)
  if (rule === undefined) return { ...readPlainly(update), error: null }
  const recordsPerStep = recordsAStep(view, update)
  const functions = evaluable(view)
  const { grad, fit, error, strays, otherScale } = rehearsedGradient({
    functions,
    head,
    update,
    rule,
    trained: { loss: view.loss, lossScale: view.protocol.lossScale },
    features,
    labels,
    recordsPerStep,
    rng,
  })
  const left = `the rehearsed turn leaves ${figure(fit.misfit)} of the update unexplained`
  const beside = `${left}, other such clients leave ${figure(fit.expected)}`
  const doubt: string[] = []
  if (fit.misfit > absurd.times * fit.expected && fit.p < absurd.p) {
    // A gradient that is sent as it is follows no recipe: records unlike the auxiliary ones leave as much of a true one.
    if (view.protocol.share !== 'gradient') {
      const why = `${beside}: the protocol is not as stated`
      throw new Inapplicable(['a protocol that explains the update'], why)
    }
    doubt.push(`${beside}: its records are unlike the auxiliary ones, or it is no plain gradient`)
  } else if (fit.p < doubtful) doubt.push(`the stated protocol hardly explains the update (p = ${figure(fit.p)})`)
  if (otherScale !== undefined) {
    const times = `errors are ${figure(otherScale)} times what the auxiliary labels say`
    doubt.push(`${times}: other labels than theirs, or another learning rate than was stated`)
  }
  const explained = doubt.length === 0
  if (update.steps === 1) return { update, fit, error: explained ? 0 : null, strays: [], explained, warnings: doubt }
  const { weightAt, width, biasAt } = head
  const moved = {
    ...update,
    grad,
    gradW: grad.subarray(weightAt, weightAt + width),
    gradB: biasAt === undefined ? Number.NaN : grad[biasAt]!,
  }
  const warning = `round ${update.round} is ${update.steps} local steps: rehearsed on other records, and what they added taken off`
  return { update: moved, fit, error: explained ? error : null, strays, explained, warnings: [warning, ...doubt] }
}

/** Undefined where dropout was different in every step: then nothing is checked, and no error stated. */
function ruleOf({ protocol }: Known) {
  const rule = plainStepRule({ ...protocol, dropout: 0 })
  return protocol.dropout > 0 ? undefined : rule
}

function recordsAStep(view: Known, { records, steps }: RegressionUpdate): number {
  if (steps === 1) return records ?? 1
  return updateSize(view, 'parameters').recordsPerStep ?? records ?? 1
}

const figure = (x: number): string => String(Number(x.toPrecision(2)))
