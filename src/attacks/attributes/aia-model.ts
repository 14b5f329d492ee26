/** Attributes from a model: of the values that an attribute can take, the one under which the model errs least. */
import { log } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'
import { choice, text } from '../../params.js'
import { claimed, type Detail, defineAttack } from '../attack.js'
import { explained, shuffledRecords, trueRecords } from './attribute-controls.js'
import { impliedShares } from './implied-shares.js'
import { agreement, labelOnlyRule } from './label-only.js'
import { attributeClaims, modelFrom, underModel } from './least-loss.js'
import {
  combinationsOf,
  energiesOfCombinations,
  type Found,
  type SearchOptions,
  searchValues,
} from './search-values.js'
import { type Unknowns, unknownsOf } from './unknown-columns.js'

export const aiaModel = defineAttack({
  id: 'aia-model',
  effort: 3,
  title: 'Attributes of least loss under a model',
  paper: 'aia',
  where: 'Eq. (3)',
  target: 'attribute',
  perRecord: true,
  needs: ['records', 'records.label', 'sensitive', 'model', 'loss', 'protocol', 'target'],
  params: {
    from: text({ default: 'last-returned', doc: 'the attack whose model is used' }),
    prior: choice({
      default: 'none',
      choices: ['none', 'frequency'],
      doc: 'frequency: the shares of the values that a standardised encoding betrays',
    }),
  },
  async run(view, context) {
    const { from, prior } = context.params
    const { theta, warnings } = await modelFrom(context, from)
    const unknowns = unknownsOf(view)
    const doubts = [...warnings]
    const logPriors = prior === 'frequency' ? logPriorsOf(unknowns, doubts) : []
    const options = { ...underModel(view, theta), logPriors, tick: context.tick }
    const found = searchValues(unknowns, options)
    return claimed(attributeClaims(unknowns.attributes, found.beliefs, view.target), {
      warnings: doubts,
      details: {
        from,
        search: found.how,
        meanConfidence: found.beliefs.map(({ confidence: p }) => meanOf(p)),
        ...(view.loss === 'mse'
          ? { residualScale: Math.sqrt(found.noise.scaleSq), residualFreedom: wordOf(found.noise.freedom) }
          : labelOnlyDetails(unknowns, found, options)),
      },
    })
  },
  async plant({ view, truth, params, rng }) {
    const records = await trueRecords(view, truth, view.target)
    const { theta, labels } = explained(view, records, rng)
    const model = { kind: 'model', client: view.target, theta } as const
    return { view: { ...view, 'records.label': labels }, claims: { [params.from]: claimed(model) } }
  },
  shuffle: shuffledRecords,
})

function logPriorsOf({ attributes }: Unknowns, doubts: string[]): (number[] | undefined)[] {
  return attributes.map(({ sensitive }) => {
    const shares = sensitive.kind === 'continuous' ? undefined : impliedShares(sensitive.values)
    if (shares === undefined) doubts.push(`the encoding of ${sensitive.name} implies no frequencies: no prior was used`)
    return shares?.map((share) => log(share))
  })
}

/** JSON has no infinity. */
const wordOf = (freedom: number): number | string => (Number.isFinite(freedom) ? freedom : 'normal')

/** How much of the attack a rule that looks at the label alone would say, for each attribute. */
function labelOnlyDetails(unknowns: Unknowns, found: Found, options: SearchOptions): Readonly<Record<string, Detail>> {
  if (found.how !== 'joint') return {}
  const { attributes, labels } = unknowns
  const combinations = combinationsOf(attributes)
  const rule = labelOnlyRule(labels, energiesOfCombinations(unknowns, { ...options, tick: () => {} }))
  if (rule === undefined) return {}
  const perAttribute = attributes.map(({ sensitive }, a): Detail => {
    const valueAt = (combination: number): number => combinations[combination]![a]!
    const agrees = agreement(rule, unknowns, { values: found.beliefs[a]!.values, valueAt })
    return { name: sensitive.name, labels: rule.labels, values: rule.picks.map(valueAt), agreement: agrees }
  })
  return { labelOnly: perAttribute }
}
