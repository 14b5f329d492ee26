/** iLRG: how many records each class has, by solving for the counts that explain the bias's gradient. */
import { trustedDigits } from '../../../numeric/linalg/condition.js'
import { choice } from '../../../params.js'
import { claimed, defineAttack, Inapplicable } from '../../attack.js'
import { plantedLabels, shiftedLabels } from './class-controls.js'
import {
  type BiasedGradient,
  classEmbeddings,
  type SolvedCounts,
  solveCounts,
  splitEmbeddings,
} from './class-counts.js'
import { classHead, headNeeds, headUses, type Layer } from './class-head.js'
import { sumsFit } from './class-sums-fit.js'

export const ilrg = defineAttack({
  id: 'ilrg',
  effort: 2,
  title: "Numbers of labels from the last layer's weights, bias and their gradients (iLRG)",
  paper: 'labels',
  where: '3.2.4, Eq. (3.21)',
  target: 'label-counts',
  needs: headNeeds,
  uses: headUses,
  params: {
    // departs: the published embeddings have a pole where a class has just its expected share of the batch.
    embeddings: choice({
      default: 'auto',
      choices: ['auto', 'class', 'split'],
      doc: 'class: as published; split: ours, without what other classes put into a row; auto: what explains the gradient',
    }),
  },
  async run(view, { params }) {
    const head = await classHead(view, { size: 'known' })
    const { update, place, gradW, gradB, layer } = head
    const { recordCount, round } = update
    if (gradB === undefined) {
      throw new Inapplicable(['a bias in the last layer'], "iLRG divides by the bias's gradient")
    }
    if (layer === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
    if (gradB.every((v) => v === 0)) {
      throw new Inapplicable(['a gradient other than zero'], "the bias's gradient is zero: it says nothing of labels")
    }
    const gradient = { gradW, gradB, recordCount }
    const best = solvedBy(params.embeddings, layer, gradient)
    const { counts, unrounded, misfit, minimumNorm, conditionAtLeast } = best
    const digits = trustedDigits(conditionAtLeast)
    const sums = await sumsFit(view, head)
    const warnings = [...update.warnings, ...sums.warnings]
    if (minimumNorm) warnings.push('many counts explain the gradient equally well: the shortest is claimed')
    else if (digits < 3)
      warnings.push(`the system is ill-conditioned (${conditionAtLeast} or more): counts are guesses`)
    if (misfit > doubtful) warnings.push(`these counts leave ${misfit} of the weights' gradient unexplained`)
    const furthest = counts.reduce((most, k, i) => Math.max(most, Math.abs(k - unrounded[i]!)), 0)
    if (furthest > 0.5) {
      warnings.push(`a count was moved by ${furthest} to be whole, not negative and of sum ${recordCount}`)
    }
    return claimed(
      { kind: 'label-counts', client: view.target, round, counts },
      {
        warnings,
        fit: sums.fit,
        details: {
          recordCount,
          classes: place.classes,
          embeddings: best.kind,
          misfit,
          furthestRounding: furthest,
          unrounded: Array.from(unrounded),
          conditionAtLeast,
          trustedDigits: digits,
        },
      },
    )
  },
  plant: (input) => plantedLabels(input, { head: 'blank' }),
  shuffle: shiftedLabels,
})

/** Up to here the published embeddings are taken without trying ours. */
const explained = 0.1
/** Measured: right counts leave up to 0.2 of the gradient of untrained models, wrong ones more. */
const doubtful = 0.25

type Kind = 'class' | 'split'

/** The counts by one kind of embedding; `auto`: by the one that leaves less of the weights' gradient unexplained. */
function solvedBy(
  wanted: 'auto' | Kind,
  layer: Layer,
  gradient: BiasedGradient,
): SolvedCounts & { readonly kind: Kind } {
  const by = (kind: Kind) => {
    const embeddings = kind === 'class' ? classEmbeddings(gradient) : splitEmbeddings(gradient, layer)
    return { kind, ...solveCounts(embeddings, layer, gradient) }
  }
  if (wanted !== 'auto') return by(wanted)
  const published = by('class')
  if (published.misfit <= explained) return published
  const ours = by('split')
  return ours.misfit < published.misfit ? ours : published
}
