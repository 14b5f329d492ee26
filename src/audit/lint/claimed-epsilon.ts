/** A claimed epsilon computed anew, and which mistake would give just the figure that is claimed. */
import { epsilonBounds } from '../../accounting/loss-bounds.js'
import type { Mechanism, Neighbours } from '../../accounting/mechanism.js'
import { rdpEpsilon } from '../../accounting/rdp-account.js'
import { OverhearError } from '../../errors.js'
import { type Setup, type SetupClient, stepsOfTurn } from '../account/setup.js'
import { clientSteps } from '../account/spent.js'

export type Mistake = 'not-composed' | 'variance' | 'poisson' | 'unexplained'

export interface Understated {
  readonly claimed: number
  /** What is spent, at least. */
  readonly atLeast: number
  readonly client: string
  readonly mistake: Mistake
  /** What was left out or mixed up, in words. */
  readonly how: string
}

type Sampled = Extract<Mechanism, { sampleRate: number }>

/** Undefined where nothing is claimed, nothing can be computed, or the claim holds. */
export function understated(setup: Setup): Understated | undefined {
  const { privacy } = setup
  const claimed = privacy?.epsilon
  const delta = privacy?.delta ?? null
  if (claimed === undefined || delta === null || !(delta > 0 && delta < 1)) return undefined
  const busiest = [...setup.clients].sort((a, b) => b.turns - a.turns)[0]
  const steps = busiest === undefined ? undefined : known(setup, busiest)
  if (busiest === undefined || steps === undefined || !('sampleRate' in steps.mechanism)) return undefined
  const { mechanism, neighbours } = steps as { mechanism: Sampled; neighbours: Neighbours }
  const { lower } = epsilonBounds([mechanism], delta, { neighbours })
  // A claim may have been rounded.
  if (claimed >= 0.99 * lower) return undefined
  let best = { away: 0.03, mistake: 'unexplained' as Mistake, how: '' }
  for (const one of guesses(setup, busiest, mechanism)) {
    for (const figure of figuresOf(one.mechanism, delta)) {
      const away = Math.abs(figure / claimed - 1)
      if (away < best.away) best = { away, mistake: one.mistake, how: one.how }
    }
  }
  return { claimed, atLeast: lower, client: busiest.id, mistake: best.mistake, how: best.how }
}

function known(setup: Setup, client: SetupClient): ReturnType<typeof clientSteps> | undefined {
  try {
    const steps = clientSteps(setup, client)
    return 'steps' in steps.mechanism && steps.mechanism.steps === 0 ? undefined : steps
  } catch (error) {
    if (error instanceof OverhearError && (error.code === 'E_INPUT' || error.code === 'E_VALUE')) return undefined
    throw error
  }
}

interface Guess {
  readonly mistake: Mistake
  readonly how: string
  readonly mechanism: Sampled
}

/** The mistakes that have been seen in the field, as what would then have been accounted for. */
function guesses(setup: Setup, client: SetupClient, mechanism: Sampled): Guess[] {
  const { steps, noiseMultiplier: z } = mechanism
  const perTurn = stepsOfTurn(setup, client.records)
  const counts = [
    [1, 'that of a single step'],
    [perTurn, 'that of a single round'],
    [client.turns, 'that of one step a round'],
  ] as const
  const poisson: Sampled[] =
    setup.batchSize === null || client.records === null || perTurn === null || mechanism.kind !== 'gaussian'
      ? []
      : [
          {
            kind: 'gaussian',
            noiseMultiplier: z,
            sampleRate: Math.min(1, setup.batchSize / client.records),
            steps: client.turns * perTurn,
          },
        ]
  return [
    ...counts.flatMap(([count, how]): Guess[] =>
      count === null || count >= steps
        ? []
        : [{ mistake: 'not-composed', how, mechanism: { ...mechanism, steps: count } }],
    ),
    {
      mistake: 'variance',
      how: `that of a noise multiplier of ${z * z}, the square`,
      mechanism: { ...mechanism, noiseMultiplier: z * z },
    },
    ...(mechanism.sampleRate === 1 || mechanism.kind === 'fixed-size' ? poisson : []).map(
      (one): Guess => ({
        mistake: 'poisson',
        how: `that of Poisson batches at rate ${one.sampleRate.toPrecision(3)}`,
        mechanism: one,
      }),
    ),
  ]
}

/** What accountants would print for it: exactly, by Rényi divergences, by those with the older conversion. */
function figuresOf(mechanism: Sampled, delta: number): number[] {
  if (mechanism.noiseMultiplier < 0.05) return []
  const neighbours = mechanism.kind === 'fixed-size' ? 'replace' : 'add-remove'
  return [
    epsilonBounds([mechanism], delta, { neighbours }).upper,
    rdpEpsilon([mechanism], delta, { neighbours }).epsilon,
    rdpEpsilon([mechanism], delta, { neighbours, conversion: 'classic' }).epsilon,
  ]
}
