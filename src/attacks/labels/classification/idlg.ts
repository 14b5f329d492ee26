/** iDLG: the label of a single record is the only class whose gradient points against the others; batches by the sums. */
import { type Matrix, multiply, transpose } from '../../../numeric/linalg/matrix.js'
import { defineAttack } from '../../attack.js'
import { plantedLabels, shiftedLabels } from './class-controls.js'
import { activationsParam, evidenceOf, rowSums } from './class-evidence.js'
import { classHead, headNeeds, headUses } from './class-head.js'
import { claimClasses, lowestClasses, takeParam } from './lowest-classes.js'

export const idlg = defineAttack({
  id: 'idlg',
  title: "Labels from the signs of the last layer's gradient (iDLG)",
  paper: 'labels',
  where: 'Eq. (3.8); batches as in Table 3.2',
  target: 'labels',
  needs: headNeeds,
  uses: headUses,
  params: { activations: activationsParam, take: takeParam },
  async run(view, { params }) {
    const head = await classHead(view, { size: 'any' })
    const { recordCount } = head.update
    const evidence = evidenceOf(head, view, params.activations)
    if (recordCount === 1 && evidence.from === 'projection') {
      const labels = opposedRows(head.gradW)
      if (labels.length === 1) return claimClasses(view, head, { labels, from: 'inner products', warnings: [] })
    }
    const labels = lowestClasses(rowSums(evidence.rows), { recordCount, take: params.take })
    return claimClasses(view, head, { labels, ...evidence })
  },
  plant: (input) => plantedLabels(input, { head: 'sure' }),
  shuffle: shiftedLabels,
})

/** [labels] Eq. (3.8): the rows whose inner product with no other row is above zero; the signs of a do not matter. */
export function opposedRows(gradW: Matrix): number[] {
  const n = gradW.rows
  const products = multiply(gradW, transpose(gradW)).data
  const opposed = (i: number): boolean => {
    for (let j = 0; j < n; j++) if (j !== i && products[i * n + j]! > 0) return false
    return products[i * n + i]! > 0
  }
  return Array.from({ length: n }, (_, i) => i).filter(opposed)
}
