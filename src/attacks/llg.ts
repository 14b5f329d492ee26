/** LLG: how often each label occurs, from the gradient alone; offsets are taken for nothing, as in an untrained model. */
import { defineAttack } from './attack.js'
import { classHead, headNeeds, headUses } from './labels/class-head.js'
import { claimDrawn, drawLabels, slopeOfNegatives } from './labels/draw-labels.js'
import { activationsParam, evidenceOf, rowSums } from './labels/evidence.js'
import { plantedLabels, shiftedLabels } from './labels/label-controls.js'

export const llg = defineAttack({
  id: 'llg',
  title: "Labels and their numbers from the last layer's gradient (LLG)",
  paper: 'labels',
  where: '3.2.3, LLG',
  target: 'labels',
  needs: headNeeds,
  uses: headUses,
  params: { activations: activationsParam },
  async run(view, { params }) {
    const head = await classHead(view, { size: 'any' })
    const evidence = evidenceOf(head, view, params.activations)
    const { recordCount } = head.update
    const g = rowSums(evidence.rows)
    const affine = { slope: slopeOfNegatives(g, recordCount) }
    return claimDrawn(view, head, { labels: drawLabels(g, affine, recordCount), affine, evidence })
  },
  plant: (input) => plantedLabels(input, { head: 'sure' }),
  shuffle: shiftedLabels,
})
