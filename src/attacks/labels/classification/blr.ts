/** Batch label restoration: the classes whose gradient holds the lowest single entries, each claimed once. */
import { defineAttack } from '../../attack.js'
import { plantedLabels, shiftedLabels } from './class-controls.js'
import { activationsParam, evidenceOf, rowMinima } from './class-evidence.js'
import { classHead, headNeeds, headUses } from './class-head.js'
import { claimClasses, lowestClasses, takeParam } from './lowest-classes.js'

export const blr = defineAttack({
  id: 'blr',
  title: "Labels from the lowest entries of the last layer's gradient (BLR)",
  paper: 'labels',
  where: 'Eq. (3.11)',
  target: 'labels',
  needs: headNeeds,
  uses: headUses,
  params: { activations: activationsParam, take: takeParam },
  async run(view, { params }) {
    const head = await classHead(view, { size: 'any' })
    const evidence = evidenceOf(head, view, params.activations)
    const { recordCount } = head.update
    const labels = lowestClasses(rowMinima(evidence.rows), { recordCount, take: params.take })
    return claimClasses(view, head, { labels, ...evidence })
  },
  plant: (input) => plantedLabels(input, { head: 'sure' }),
  shuffle: shiftedLabels,
})
