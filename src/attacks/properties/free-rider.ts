/** Free riders under secure aggregation: clients who return nothing, noise, or an old change of the global model. */
import { choice } from '../../params.js'
import { type Claimed, claimed, type Detail, defineAttack, type Outcome } from '../attack.js'
import { bestForF1 } from './f1-decision.js'
import { fewInnocent } from './false-accusations.js'
import {
  actingParam,
  attackProperty,
  detectorParams,
  type Estimator,
  featureOptions,
  propertyNeeds,
  propertyUses,
} from './property-attack.js'
import { plantedSums, strangersRounds } from './property-controls.js'
import { byPosterior } from './property-estimators.js'
import { samplerParams } from './property-posterior.js'

const property = 'free-rider'
const ridings = ['zero', 'noise', 'stale'] as const
type Riding = (typeof ridings)[number]

export const freeRider = defineAttack({
  id: property,
  effort: 20,
  title: 'Free riders, by their posterior given features of the sums',
  paper: 'prolin',
  where: 'Section 7, future work; docs/property-inference.md',
  target: 'property',
  beyond: true,
  needs: propertyNeeds,
  uses: propertyUses,
  params: {
    ...detectorParams,
    acting: actingParam,
    riding: choice({
      default: 'any',
      choices: ['any', ...ridings],
      doc: 'what riders return: nothing, noise, the last change of the global model; any: each is looked for',
    }),
    ...samplerParams,
  },
  /** Riders of each kind look different, and one detector for all sees none of them: each kind has its own. */
  async run(view, context) {
    const { riding } = context.params
    // What others return differs from round to round, and with it their detectors.
    const estimateOf =
      (kind: Riding): Estimator =>
      (sums, tools) =>
        byPosterior(sums, { ...context.params, steady: kind === 'zero' }, tools)
    if (riding !== 'any') return attackProperty(view, context, { property, riding, estimate: estimateOf(riding) })
    const found: [Riding, Claimed][] = []
    for (const [k, kind] of ridings.entries()) {
      const own = {
        ...context,
        rng: context.rng.fork(kind),
        tick: (done: number, total: number) => context.tick(k * total + done, ridings.length * total),
      }
      const outcome = await attackProperty(view, own, { property, riding: kind, estimate: estimateOf(kind) })
      if (outcome.status !== 'claimed') return outcome
      found.push([kind, outcome])
    }
    return likeliest(found, context.params.decision)
  },
  plant: (input) => {
    const riding = input.params.riding === 'any' ? 'zero' : input.params.riding
    return plantedSums(input, featureOptions(input.view, input.params, { property, riding }))
  },
  shuffle: strangersRounds,
})

/** The curves of one kind of riding: there are none of all kinds together. */
function curvesOf({ claims: [claim] }: Claimed): Readonly<Record<string, Detail>> {
  return claim?.kind === 'property' && claim.exposure !== undefined ? { exposure: { ...claim.exposure } } : {}
}

/**
 * Of each client the kind of riding that it is likeliest guilty of, among the kinds that explain the sums about as well as
 * the best one: where riders are of another kind, the sums vary more than detectors know, and what they accuse is chance.
 */
function likeliest(found: readonly (readonly [Riding, Claimed])[], decision: 'fdr' | 'f1'): Outcome {
  const figure = (x: Detail | undefined): number => (typeof x === 'number' ? x : 0)
  const unlike = ({ details }: Claimed): number => figure(details.extra) + Math.max(0, figure(details.rho) - 1)
  const least = Math.min(...found.map(([, one]) => unlike(one)))
  const fitting = found.filter(([, one]) => unlike(one) <= 2 * least + 0.5)
  const lists = fitting.map(([, { claims }]) => {
    const [claim] = claims
    return claim?.kind === 'property' ? claim.clients : []
  })
  // Three chances to look like a rider: each kind has a third of the odds that it would have alone.
  const third = (p: number): number => p / (p + ridings.length * (1 - p))
  const probability = Float64Array.from(lists[0]!, (_, i) => {
    return Math.max(...lists.map((list) => third(list[i]!.probability ?? 0)))
  })
  const positive = decision === 'f1' ? bestForF1(probability) : fewInnocent(probability)
  const clients = lists[0]!.map(({ id }, i) => ({ id, probability: probability[i]!, positive: positive[i]! }))
  return claimed(
    { kind: 'property', property, clients },
    {
      warnings: [...new Set(fitting.flatMap(([, { warnings }]) => warnings))],
      details: {
        fitting: fitting.map(([kind]) => kind),
        ...Object.fromEntries(found.map(([kind, one]) => [kind, { ...one.details, ...curvesOf(one) }])),
      },
      ...(fitting[0]?.[1].workings !== undefined && { workings: fitting[0][1].workings }),
    },
  )
}
