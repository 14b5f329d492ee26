/** LLG*: as LLG, with slope and offsets read off the model by inputs that the attacker makes up. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { choice, whole } from '../../../params.js'
import { defineAttack } from '../../attack.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { meanEmbedding, plantedLabels, shiftedLabels } from './class-controls.js'
import { activationsParam, evidenceOf, rowSums } from './class-evidence.js'
import { classHead, headNeeds, headUses } from './class-head.js'
import { claimDrawn, drawLabels } from './draw-labels.js'
import {
  affineOf,
  embeddingsOf,
  type KnownModel,
  knownModel,
  meanReference,
  referenceOf,
} from './reference-gradients.js'

const kinds = ['zeros', 'ones', 'normal'] as const
type Kind = (typeof kinds)[number]

interface DummyOptions {
  readonly inputs: 'all' | Kind
  readonly draws: number
}

/** What the last layer reads for a blank input, a full one and some noise: one matrix a kind. */
function dummyEmbeddings(known: KnownModel, { inputs, draws }: DummyOptions, rng: Rng): Matrix[] {
  const cols = known.functions.model.inputs
  const made: { readonly [K in Kind]: () => Matrix } = {
    zeros: () => matrix(1, cols),
    ones: () => matrix(1, cols, new Float64Array(cols).fill(1)),
    normal: () => matrix(draws, cols, rng.fork('dummies').normals(draws * cols)),
  }
  return (inputs === 'all' ? kinds : [inputs]).map((kind) => embeddingsOf(known, made[kind]()))
}

export const llgStar = defineAttack({
  id: 'llg-star',
  effort: 3,
  title: 'Labels and their numbers, calibrated with made-up inputs (LLG*)',
  paper: 'labels',
  where: '3.2.3, LLG*',
  target: 'labels',
  needs: headNeeds,
  uses: headUses,
  params: {
    activations: activationsParam,
    inputs: choice({
      default: 'all',
      choices: ['all', ...kinds],
      doc: 'the made-up inputs; all: the mean over the three',
    }),
    draws: whole({ default: 10, min: 1, doc: 'normal inputs' }),
  },
  async run(view, { params, rng }) {
    const head = await classHead(view, { size: 'known' })
    const evidence = evidenceOf(head, view, params.activations)
    const known = knownModel(evaluable(view), head)
    // departs: one batch of inputs serves every class, as only the label differs: the gradient follows in closed form.
    const references = dummyEmbeddings(known, params, rng).map((A) => referenceOf(A, known.layer, evidence))
    const { recordCount } = head.update
    const affine = affineOf(new Array(head.place.classes).fill(meanReference(references)), recordCount)
    const labels = drawLabels(rowSums(evidence.rows), affine, recordCount)
    return claimDrawn(view, head, { labels, affine, evidence })
  },
  async plant(input) {
    const { view, params, rng } = input
    const head = await classHead(view, { size: 'known' })
    const known = knownModel(evaluable(view), head)
    const all = dummyEmbeddings(known, params, rng).map(meanEmbedding)
    const embedding = all[0]!.map((_, j) => meanOf(all.map((one) => one[j]!)))
    return plantedLabels(input, { embedding, head: 'blank' })
  },
  shuffle: shiftedLabels,
})
