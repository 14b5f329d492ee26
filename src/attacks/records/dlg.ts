/** DLG: whole records, by moving made-up ones until their gradient is the one that was heard. */
import { OverhearError } from '../../errors.js'
import { type Loss, labelColumns, type Model } from '../../models/model.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { type Minimum, minimise } from '../../numeric/optimise/optimiser.js'
import { number, text, whole } from '../../params.js'
import { type Context, claimed, defineAttack, Inapplicable, type Outcome } from '../attack.js'
import { attackedUpdate, updateNeeds, updateUses } from '../shared/attacked-update.js'
import { evaluable } from '../shared/evaluable-model.js'
import { type Matching, matchingOf } from './gradient-matching.js'
import { permutedUpdate, plantedRecords } from './record-controls.js'

/** A relative distance above this means that no record was found that explains the gradient. */
const explained = 1e-5

export const dlg = defineAttack({
  id: 'dlg',
  effort: 60,
  title: 'Records and labels by matching gradients (DLG)',
  paper: 'zhu2019',
  where: 'Alg. 1; labels 3.1.1',
  target: 'records',
  needs: [...updateNeeds, 'model', 'loss'],
  uses: updateUses,
  params: {
    labels: text({ default: 'own', doc: 'own: sought with the records; or an attack whose claimed labels are taken' }),
    restarts: whole({ default: 3, min: 1, doc: 'starts at most; the one that matches best is claimed' }),
    iterations: whole({ default: 300, min: 1, doc: 'L-BFGS iterations a start' }),
    memory: whole({ default: 100, min: 1, doc: 'steps that L-BFGS remembers' }),
    fixedStep: number({
      default: 0,
      min: 0,
      doc: '0: a line search; else each step is this times the direction (1: as published)',
    }),
    spread: number({ default: 1, min: 0, doc: 'standard deviation of the normal values a start is made of' }),
    tolerance: number({
      default: 1e-14,
      min: 0,
      doc: 'relative squared distance at which a start, and the search, ends',
    }),
    largest: whole({ default: 8, min: 1, doc: 'batches of more records are not attempted' }),
  },
  async run(view, context) {
    const { params } = context
    const functions = evaluable(view)
    const { model } = functions
    const update = await attackedUpdate(view, { size: 'known' })
    const { recordCount, theta, grad, round } = update
    if (theta === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
    if (recordCount > params.largest) {
      throw new Inapplicable([`a batch of at most ${params.largest} records`], `the update is of ${recordCount}`)
    }
    if (grad.every((v) => v === 0)) {
      throw new Inapplicable(['a gradient other than zero'], 'the gradient is zero: any record explains it')
    }
    const given =
      params.labels === 'own'
        ? undefined
        : labelRows(labelsFrom(params.labels, await context.claimOf(params.labels), recordCount), {
            model,
            loss: view.loss,
          })
    const problem = { functions, loss: view.loss, theta, grad, recordCount }
    const matching = matchingOf({ ...problem, ...(given !== undefined && { givenLabels: given }) })
    const starts = search(matching, context)
    const best = starts.reduce((least, one) => (one.value < least.value || Number.isNaN(least.value) ? one : least))
    if (!Number.isFinite(best.value)) {
      throw new OverhearError(
        'E_NON_FINITE',
        `${starts.length} starts end at a distance of ${best.value}`,
        'lower spread',
      )
    }
    const warnings = [...update.warnings]
    if (!(best.value <= explained)) {
      warnings.push(
        `the best of ${starts.length} starts matches the gradient to ${best.value} only: no record explains it`,
      )
    }
    return claimed(
      {
        kind: 'records',
        client: view.target,
        round,
        features: matching.features(best.x),
        labels: claimedLabels(matching.labels(best.x), { model, loss: view.loss }),
      },
      {
        warnings,
        details: {
          recordCount,
          distance: best.value,
          iterations: best.iterations,
          stopped: best.reason,
          restarts: starts.length,
          distances: starts.map(({ value }) => value),
          labels: params.labels,
        },
      },
    )
  },
  plant: plantedRecords,
  shuffle: permutedUpdate,
})

type Settings = Readonly<Record<'restarts' | 'iterations' | 'memory' | 'fixedStep' | 'spread' | 'tolerance', number>>

/** Starts until one matches to the tolerance or there were enough. */
function search(matching: Matching, { params, rng, tick }: Context<Settings>): Minimum[] {
  const { restarts, iterations, memory, fixedStep, spread, tolerance } = params
  // departs: [zhu2019] takes full steps; here a line search unless told.
  const method = lbfgs({ memory, ...(fixedStep > 0 && { fixedStep }) })
  const starts: Minimum[] = []
  while (starts.length < restarts) {
    const done = starts.length * iterations
    const start = rng.fork('start', starts.length).normals(matching.size, { std: spread })
    const found = minimise(method, matching.objective, start, {
      maxIterations: iterations,
      keep: 'best',
      aborted({ iteration, value }) {
        tick(done + iteration, restarts * iterations)
        return value <= tolerance
      },
    })
    starts.push(found)
    if (found.value <= tolerance) break
  }
  return starts
}

/** The labels that another attack claims, one per record. */
function labelsFrom(id: string, outcome: Outcome, recordCount: number): Float64Array {
  if (outcome.status !== 'claimed') throw new Inapplicable(outcome.missing, `${id} claims no labels`)
  const [claim] = outcome.claims
  let labels: number[] = []
  if (claim?.kind === 'labels') labels = Array.from(claim.labels)
  if (claim?.kind === 'label') labels = [claim.value]
  if (claim?.kind === 'label-counts') {
    labels = Array.from(claim.counts).flatMap((k, label) => new Array<number>(k).fill(label))
  }
  if (labels.length !== recordCount) {
    throw new Inapplicable([`${recordCount} labels`], `${id} claims ${labels.length} for ${recordCount} records`)
  }
  return Float64Array.from(labels)
}

/** Class numbers as one-hot rows; numbers as they are. */
function labelRows(labels: Float64Array, { model, loss }: { model: Model; loss: Loss }): Float64Array {
  const c = labelColumns(model)
  if (c === 1) return labels
  if (loss === 'mse') throw new Inapplicable(['one label a record'], `the model has ${c} outputs that are no classes`)
  const rows = new Float64Array(labels.length * c)
  for (const [i, label] of labels.entries()) {
    if (!Number.isInteger(label) || label < 0 || label >= c) {
      throw new Inapplicable(['labels that are classes'], `label ${label} of ${c} classes`)
    }
    rows[i * c + label] = 1
  }
  return rows
}

/** Classes by the largest share; a binary label by the nearer of 0 and 1; numbers as they were found. */
function claimedLabels(
  rows: Float64Array,
  { model, loss }: { readonly model: Model; readonly loss: Loss },
): Float64Array {
  if (loss === 'mse') return rows
  if (loss === 'binary-cross-entropy') return rows.map((p) => (p > 0.5 ? 1 : 0))
  const c = labelColumns(model)
  return Float64Array.from({ length: rows.length / c }, (_, i) => {
    let best = 0
    for (let k = 1; k < c; k++) if (rows[i * c + k]! > rows[i * c + best]!) best = k
    return best
  })
}
