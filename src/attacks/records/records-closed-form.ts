/** Whole records in closed form: a unit of the first layer that is active for one record holds it in its gradient. */
import { functionsOf } from '../../models/functions.js'
import type { Rng } from '../../numeric/random/rng.js'
import { whole } from '../../params.js'
import type { View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type ControlWorld, claimed, defineAttack, Inapplicable } from '../attack.js'
import type { Fit } from '../claim.js'
import {
  type AttackedUpdate,
  attackedUpdate,
  type UpdateView,
  updateNeeds,
  updateUses,
} from '../shared/attacked-update.js'
import { modelOf } from '../shared/evaluable-model.js'
import { type FirstLayer, firstLayerOf, singleInput } from '../shared/first-layer.js'
import { explains, fitOf, plainStepRule, unexplained } from '../shared/replayed-descent.js'
import { roundingOf } from '../shared/update-rounding.js'
import { type FirstLayerHeard, type Isolated, isolatedRecords } from './isolated-records.js'
import { labelsOfRecords, stacked } from './labels-of-records.js'
import { permutedUpdate, plantedRecords } from './record-controls.js'

export const recordsClosedForm = defineAttack({
  id: 'records-closed-form',
  title: "Records from the first layer's gradient, in closed form",
  paper: 'labels',
  where: 'Section 4.1 for a first layer; batches are ours',
  beyond: true,
  target: 'records',
  needs: [...updateNeeds, 'model', 'loss'],
  uses: updateUses,
  params: {
    largest: whole({ default: 12, min: 1, max: 64, doc: 'batches of more records are not attempted' }),
  },
  async run(view, { params }) {
    plainStepRule(view.protocol)
    const model = modelOf(view)
    const update = await attackedUpdate(view, { size: 'known' })
    const { recordCount: K, theta, grad, round } = update
    if (theta === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
    if (K > params.largest) {
      throw new Inapplicable([`a batch of at most ${params.largest} records`], `the update is of ${K}`)
    }
    const layer = firstLayerOf(model)
    if (layer === undefined) {
      throw new Inapplicable(['a first layer with biases'], 'without them a record is seen up to its size only')
    }
    const rounding = roundingOf(await view.exchanges.read(round), update)
    const heard = { model, layer, theta, grad, recordCount: K, rounding }
    const found = K === 1 ? theOnlyRecord(heard) : ofBatch(heard, update)
    if (found.records.length === 0) throw noneIsolated(found, K)
    const all = found.records.length === K && update.localSteps === 1
    const checked = all ? replayed(heard, found, view.loss) : { fit: spanFit(found, rounding), labels: [] }
    if (!explains(checked.fit)) throw unexplained(`${found.records.length} records`, checked.fit)
    return claimed(
      {
        ...{ kind: 'records', client: view.target, round, fit: checked.fit },
        features: found.records,
        labels: checked.labels,
      },
      {
        warnings: update.warnings,
        details: { recordCount: K, found: found.records.length, toldApart: found.rank, replayed: all },
      },
    )
  },
  plant: plantedApart,
  shuffle: permutedUpdate,
})

/** The true batch at parameters under which units tell its records apart, if some of a few draws are such. */
async function plantedApart<V extends UpdateView & View<'model' | 'loss'>>(planting: {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  const model = modelOf(planting.view)
  const layer = firstLayerOf(model)
  let world: ControlWorld<V> | undefined
  for (let draw = 0; draw < 12; draw++) {
    world = await plantedRecords({ ...planting, rng: planting.rng.fork('apart', draw) })
    const { theta, grad, recordCount: K } = await attackedUpdate(world.view, { size: 'known' })
    if (K === 1 || layer === undefined || model.dense?.activation !== 'relu' || model.dense.hidden.length === 0) break
    const { records } = isolatedRecords({ model, layer, theta: theta!, grad, recordCount: K, rounding: 1e-12 })
    if (records.length === K) break
  }
  return world!
}

/** Of one record every unit says the same, after any number of steps. */
function theOnlyRecord({ layer, grad, rounding }: FirstLayerHeard & { readonly layer: FirstLayer }): Isolated {
  const input = singleInput(grad, layer)
  if (input === undefined) return { records: [], rank: 0, misfit: 1 }
  // One unit agrees with itself, whatever it holds.
  if (layer.units === 1) {
    throw new Inapplicable(['several units in the first layer'], 'one unit holds a mixture as well as a record')
  }
  const fit = spanFit({ misfit: input.misfit }, rounding)
  if (!explains(fit)) throw unexplained('a single record', fit)
  return { records: [input.x], rank: 1, misfit: input.misfit }
}

function ofBatch(heard: FirstLayerHeard, { localSteps }: AttackedUpdate): Isolated {
  const { model } = heard
  if (model.dense === undefined || model.dense.hidden.length === 0 || model.dense.activation !== 'relu') {
    throw new Inapplicable(['rectified units'], 'every unit answers to every record: no row is of one alone')
  }
  if (localSteps !== 1) {
    throw new Inapplicable(['a single local step'], `${localSteps ?? 'an unknown number of'} steps on a batch`)
  }
  return isolatedRecords(heard)
}

export const spanFit = ({ misfit }: Pick<Isolated, 'misfit'>, rounding: number): Fit => {
  const expected = Math.max(1e-12, 100 * rounding)
  return { misfit, expected, p: misfit <= 1e3 * expected ? 1 : 0 }
}

/** All of them with their labels, and the gradient that they make. */
function replayed(
  heard: FirstLayerHeard,
  { records, misfit }: Isolated,
  loss: Parameters<typeof labelsOfRecords>[0]['loss'],
) {
  const { model, theta, grad, rounding } = heard
  const functions = functionsOf(model, { loss })
  const features = stacked(records)
  const labels = labelsOfRecords({ functions, loss, theta, grad, features })
  if (labels === undefined || labels.some((y) => !Number.isFinite(y))) {
    return { fit: spanFit({ misfit }, rounding), labels: [] }
  }
  const again = functions.gradient(theta, { features, labels }).grad
  const fit = fitOf(again, {
    ...{ heard: grad, noisy: false, fitted: features.data.length + labels.length },
    errorAt: (j) => Math.max(1e-12, 100 * rounding) * Math.abs(grad[j]!),
  })
  return { fit, labels }
}

function noneIsolated({ rank }: Isolated, K: number): Inapplicable {
  const why =
    rank < K
      ? `the units tell ${rank} of ${K} records apart: what they hold may be mixtures`
      : rank > K
        ? `the rows hold ${rank} records or more, not ${K}: the protocol is not as stated`
        : 'no unit is active for one record alone'
  return new Inapplicable(['units that tell the records apart'], why)
}
