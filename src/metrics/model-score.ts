/**
 * Grades a model by its loss on the client's own records, against that of the last global model and of one fitted to
 * auxiliary data, with the share of right classes (or R2) beside it; the distance to the client's optimum, where it has only
 * one, is a second figure.
 */
import { norm } from '../numeric/linalg/vector.js'
import { log } from '../numeric/special/elementary-functions.js'
import type { Table } from '../transcript/encoded-table.js'
import { auxiliaryModel } from './cells/auxiliary-model.js'
import { modelCell } from './cells/model-cell.js'
import { type Known, lacks, metric, needed, recordsOf } from './grading.js'
import { finiteNumbers } from './number-lists.js'
import { type Guess, type Score, scoreOf } from './score.js'
import { whyNotUnique } from './theory/unique-optimum.js'

export const model = metric('model', 'the model that a client would train alone', async (claim, graded) => {
  const { truth, known } = graded
  const table = await recordsOf(claim.client, graded)
  const optimum = await truth.optimum(claim.client)
  if (known.functions !== undefined && table?.labels !== undefined) {
    const test = await graded.testRecords?.(claim.client)
    return byLoss(claim.theta, { known, table, optimum, test })
  }
  if (optimum !== undefined) return byDistance(claim.theta, { known, optimum })
  return lacks(...(known.functions === undefined ? [] : [labelsKey(claim.client, table)]), `optimum.${claim.client}`)
})

const labelsKey = (client: string, table: Table | undefined): string =>
  table === undefined ? `clients.${client}` : `clients.${client}.label`

interface Places {
  readonly known: Known
  readonly table: Table
  readonly optimum: Float64Array | undefined
  /** Records of the client that it did not train on, where there are some. */
  readonly test: Table | undefined
}

function byLoss(claimed: ArrayLike<number>, { known, table, optimum, test }: Places): Score {
  const [functions] = needed(['model', known.functions])
  const theta = finiteNumbers(claimed, 'theta', functions.size)
  const own = figuresOf(theta, { table, known })
  const at = (place: Float64Array | undefined, name: string) =>
    place && figuresOf(finiteNumbers(place, name, functions.size), { table, known })
  const [global, best] = [at(known.lastGlobal, 'lastGlobal'), at(optimum, 'optimum')]
  const unheard = known.auxiliary && at(auxiliaryModel(functions, known.auxiliary), 'the model of auxiliary data')
  const apart = optimum === undefined ? undefined : distanceOf(theta, { known, table, optimum })
  const { accuracy, ...others } = own.also
  return scoreOf({
    metric: 'loss',
    value: own.loss,
    ...(accuracy !== undefined && { accuracy }),
    better: 'lower',
    guesses: [
      ...(global === undefined ? [] : [{ words: 'the last global model', value: global.loss }]),
      ...(unheard === undefined ? [] : [{ words: 'a model fitted to auxiliary data', value: unheard.loss }]),
    ],
    ...(best !== undefined && { best: best.loss }),
    noGuess: 'no global model is known',
    notes: apart?.notes ?? [],
    also: {
      ...others,
      ...(best !== undefined && named('AtOptimum', best)),
      ...(global !== undefined && named('AtGlobal', global)),
      ...(test !== undefined && test.features.rows > 0 && named('OnTest', figuresOf(theta, { table: test, known }))),
      ...apart?.also,
    },
  })
}

interface Figures {
  readonly loss: number
  readonly also: Readonly<Record<string, number>>
}

function figuresOf(theta: Float64Array, asked: { readonly table: Table; readonly known: Known }): Figures {
  const cell = modelCell({ theta }, asked)
  const rows = Int32Array.from({ length: asked.table.features.rows }, (_, i) => i)
  return { loss: cell.on(rows), also: cell.also?.(rows) ?? {} }
}

/** The loss and the accuracy of another place, or of other records. */
const named = (where: string, { loss, also: { accuracy } }: Figures): Record<string, number> => ({
  [`loss${where}`]: loss,
  ...(accuracy !== undefined && { [`accuracy${where}`]: accuracy }),
})

type Placed = Pick<Places, 'known' | 'table'> & { readonly optimum: Float64Array }

/** Beside the loss: how far from the optimum, where there is only one. */
function distanceOf(theta: Float64Array, { known, table, optimum }: Placed): Pick<Score, 'also' | 'notes'> {
  const classes = known.classes !== undefined
  const why = whyNotUnique({ functions: known.functions!, table, classes, optimum })
  if (why !== undefined) return { also: {}, notes: [`no distance to the client's optimum: ${why}`] }
  const error = relativeErrorTo(optimum)
  const value = error.of(theta)
  return { also: { [error.metric === 'error' ? 'error' : 'relativeError']: value, digits: digitsOf(value) }, notes: [] }
}

/** Without the client's records, or of an opaque model: by the distance alone. */
function byDistance(claimed: ArrayLike<number>, { known, optimum }: Pick<Placed, 'known' | 'optimum'>): Score {
  const theta = finiteNumbers(claimed, 'theta', optimum.length)
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
    notes: ["graded by the distance to one optimum, as the client's records are not in the truth: there may be others"],
    also: { digits: digitsOf(value) },
  })
}

/** Decimal digits of the optimum that the claim has right, at most what a double holds. */
function digitsOf(relativeError: number): number {
  return -log(Math.max(relativeError, Number.EPSILON)) * Math.LOG10E
}

interface RelativeError {
  /** "relative error"; "error" when the truth is zero and has no length to measure by. */
  readonly metric: string
  of(guess: Float64Array): number
}

/** |guess - truth| / |truth|. */
function relativeErrorTo(truth: Float64Array): RelativeError {
  const length = norm(truth)
  const unit = length === 0 ? 1 : length
  return {
    metric: length === 0 ? 'error' : 'relative error',
    of: (guess) => norm(guess.map((x, i) => x - truth[i]!)) / unit,
  }
}
