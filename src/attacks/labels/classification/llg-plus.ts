/** LLG+: as LLG, with slope and offsets read off the model by labelled records like the client's. */
import type { ModelFunctions } from '../../../models/functions.js'
import type { Matrix } from '../../../numeric/linalg/matrix.js'
import { defineAttack, Inapplicable } from '../../attack.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { meanEmbedding, plantedLabels, shiftedLabels } from './class-controls.js'
import { activationsParam, evidenceOf, rowSums } from './class-evidence.js'
import { classHead, headNeeds, headUses } from './class-head.js'
import { claimDrawn, drawLabels } from './draw-labels.js'
import { affineOf, embeddingsOf, knownModel, referencesOf } from './reference-gradients.js'

export const llgPlus = defineAttack({
  id: 'llg-plus',
  title: 'Labels and their numbers, calibrated with auxiliary records (LLG+)',
  paper: 'labels',
  where: '3.2.3, LLG+',
  target: 'labels',
  needs: [...headNeeds, 'auxiliary', 'auxiliary.label'],
  uses: headUses,
  params: { activations: activationsParam },
  async run(view, { params }) {
    const head = await classHead(view, { size: 'known' })
    const evidence = evidenceOf(head, view, params.activations)
    const known = knownModel(evaluable(view), head)
    const n = head.place.classes
    const groupOf = classesIn(view['auxiliary.label'], n)
    const embeddings = embeddingsOf(known, readable(view.auxiliary.features, known.functions))
    const references = referencesOf(embeddings, { groupOf, groups: n }, { layer: known.layer, evidence })
    const { recordCount } = head.update
    const affine = affineOf(references, recordCount)
    const outcome = await claimDrawn(view, head, {
      labels: drawLabels(rowSums(evidence.rows), affine, recordCount),
      affine,
      evidence,
    })
    const absent = references.filter((one) => one === undefined).length
    if (absent === 0) return outcome
    return { ...outcome, warnings: [...outcome.warnings, `${absent} of ${n} classes have no auxiliary record`] }
  },
  async plant(input) {
    const { view } = input
    const known = knownModel(evaluable(view), await classHead(view, { size: 'known' }))
    const embedding = meanEmbedding(embeddingsOf(known, readable(view.auxiliary.features, known.functions)))
    return plantedLabels(input, { embedding, head: 'blank' })
  },
  shuffle: shiftedLabels,
})

function readable(features: Matrix, { model }: ModelFunctions): Matrix {
  if (features.rows === 0) throw new Inapplicable(['auxiliary'], 'there is no auxiliary record')
  if (features.cols !== model.inputs) {
    const found = `auxiliary records have ${features.cols} columns, the model reads ${model.inputs}`
    throw new Inapplicable(['auxiliary'], found)
  }
  return features
}

function classesIn(labels: Float64Array, classes: number): Float64Array {
  const bad = labels.findIndex((label) => !Number.isInteger(label) || label < 0 || label >= classes)
  if (bad < 0) return labels
  const found = `auxiliary record ${bad} has label ${labels[bad]}, classes are 0 to ${classes - 1}`
  throw new Inapplicable(['auxiliary.label'], found)
}
