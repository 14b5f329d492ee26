/** iLRG: how many records each class has, by solving for the counts that explain the bias's gradient. */
import { choice } from '../params.js'
import { claimed, defineAttack, Inapplicable } from './attack.js'
import { classEmbeddings, roundedTo, solveCounts, splitEmbeddings } from './labels/class-counts.js'
import { classHead, headNeeds, headUses } from './labels/class-head.js'
import { plantedLabels, shiftedLabels } from './labels/label-controls.js'

export const ilrg = defineAttack({
  id: 'ilrg',
  title: "Numbers of labels from the last layer's weights, bias and their gradients (iLRG)",
  paper: 'labels',
  where: '3.2.4, Eq. (3.21)',
  target: 'label-counts',
  needs: headNeeds,
  uses: headUses,
  params: {
    // departs: the published class embeddings have a pole where a class has just its expected share of the batch.
    embeddings: choice({
      default: 'split',
      choices: ['split', 'class'],
      doc: 'class: as published; split: ours, with what other classes put into a row taken out',
    }),
  },
  async run(view, { params }) {
    const { update, place, gradW, gradB, layer } = await classHead(view, { size: 'known' })
    const { recordCount, round } = update
    if (gradB === undefined) {
      throw new Inapplicable(['a bias in the last layer'], "iLRG divides by the bias's gradient")
    }
    if (layer === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
    if (gradB.every((v) => v === 0)) {
      throw new Inapplicable(['a gradient other than zero'], "the bias's gradient is zero: it says nothing of labels")
    }
    const gradient = { gradW, gradB, recordCount }
    const embeddings = params.embeddings === 'class' ? classEmbeddings(gradient) : splitEmbeddings(gradient, layer)
    const { X, conditionEstimate, trustedDigits, minimumNorm, residualNormSq } = solveCounts(
      embeddings,
      layer,
      gradient,
    )
    const counts = roundedTo(recordCount, X.data)
    const warnings = [...update.warnings]
    if (minimumNorm) warnings.push('many counts explain the gradient equally well: the shortest is claimed')
    else if (trustedDigits < 3)
      warnings.push(`the system is ill-conditioned (${conditionEstimate}): counts are guesses`)
    const furthest = counts.reduce((most, k, i) => Math.max(most, Math.abs(k - X.data[i]!)), 0)
    if (furthest > 0.5)
      warnings.push(`a count was moved by ${furthest} to be whole, not negative and of sum ${recordCount}`)
    return claimed(
      { kind: 'label-counts', client: view.target, round, counts },
      {
        warnings,
        details: {
          ...{ recordCount, classes: place.classes, embeddings: params.embeddings, furthestRounding: furthest },
          ...{
            unrounded: Array.from(X.data),
            conditionEstimate,
            trustedDigits,
            residual: Math.sqrt(residualNormSq[0]!),
          },
        },
      },
    )
  },
  plant: (input) => plantedLabels(input, { head: 'blank' }),
  shuffle: shiftedLabels,
})
