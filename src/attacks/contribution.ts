/** How much each client's updates help, under secure aggregation: its part of what every sum gains on held-out records. */
import { OverhearError } from '../errors.js'
import { dot } from '../numeric/vector.js'
import { whole } from '../params.js'
import { claimed, defineAttack } from './attack.js'
import { localTraining } from './properties/local-training.js'
import { propertyNeeds } from './properties/property-attack.js'
import { strangersRounds } from './properties/property-controls.js'
import { separability } from './properties/separable.js'
import { shrunkShares } from './properties/shrunk-shares.js'
import { sumsOf } from './properties/sums.js'

export const contribution = defineAttack({
  id: 'contribution',
  title: "How much each client's updates help, from sums alone",
  paper: 'prolin',
  where: 'Section 7, future work; docs/property-inference.md',
  target: 'contribution',
  beyond: true,
  needs: propertyNeeds,
  uses: ['sampleCounts'],
  params: {
    validation: whole({ default: 1000, min: 1, doc: 'auxiliary records that help is measured on, at most' }),
    rounds: whole({ default: 0, min: 0, doc: 'use only the first so many rounds; 0: all' }),
  },
  /**
   * With h_r the descent direction of the auxiliary loss at theta_r, h_r . b_r is what the sum gains to first order, and
   * linear in the updates. An honest step gains about ||h_r||^2 times a constant, so that y_r = h_r . b_r / ||h_r||^2 can
   * be compared over rounds.
   */
  async run(view, { params, rng, tick }) {
    const sums = sumsOf(view, params.rounds)
    const { ids, A, rounds, unit } = sums
    const training = localTraining(view)
    const rows = rng.fork('validation').sample(training.records, Math.min(params.validation, training.records))
    const y = new Float64Array(rounds.length)
    try {
      for (const [r, round] of rounds.entries()) {
        tick(r, rounds.length)
        training.begin(await view.globals.read(round))
        const h = training.gradient(rows, rng.fork('round', round))
        const size = dot(h, h)
        if (!(size > 0 && size < Number.POSITIVE_INFINITY)) {
          const found = `round ${round}: the gradient on the auxiliary records has a squared norm of ${size}`
          throw new OverhearError('E_NON_FINITE', found, 'use earlier rounds')
        }
        const { dThetaSum } = await view.aggregates.read(round)
        y[r] = -dot(h, dThetaSum) / (unit * size)
      }
    } finally {
      training.release()
    }
    const { x, common, ratio } = shrunkShares(A, y)
    const { rank, inseparable } = separability(A)
    const warnings: string[] = []
    if (inseparable.length > 0) warnings.push(`${inseparable.length} clients cannot be told apart by these rounds`)
    if (ratio >= 300) warnings.push('the sums hardly show that clients differ')
    return claimed(
      { kind: 'contribution', clients: ids.map((id, i) => ({ id, score: x[i]! })) },
      {
        warnings,
        details: {
          ...{ rounds: rounds.length, clients: ids.length, rank, common, noiseRatio: ratio },
          inseparable: inseparable.map((i) => ids[i]!),
        },
      },
    )
  },
  plant: { none: 'true contributions come from training without a client: the truth holds none to plant' },
  shuffle: strangersRounds,
})
