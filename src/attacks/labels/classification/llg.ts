/** LLG: how often each label occurs, from the gradient alone; offsets are taken for nothing, as in an untrained model. */
import { defineAttack } from '../../attack.js'
import { plantedLabels, shiftedLabels } from './class-controls.js'
import { activationsParam, evidenceOf, rowSums } from './class-evidence.js'
import { classHead, headNeeds, headUses } from './class-head.js'
import { claimDrawn, drawLabels, slopeOfNegatives } from './draw-labels.js'

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
