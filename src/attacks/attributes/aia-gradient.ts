/** Attributes by matching gradients: values whose gradients point where the client's updates went. */
import { choice, number, numbers, type ValuesOf, whole } from '../../params.js'
import type { Channel, View } from '../../threat/granted-keys.js'
import { type Context, claimed, defineAttack, Inapplicable } from '../attack.js'
import type { AttributeClaim } from '../claim.js'
import { turnsOf } from '../shared/target-turns.js'
import { shuffledRecords } from './attribute-controls.js'
import { bestByCosine, gradientCandidates, type MatchOptions } from './gradient/match-gradients.js'
import type { Message } from './gradient/matched-message.js'
import { exactTurns } from './one-step-control.js'

export const gradientParams = {
  variant: choice({
    default: 'straight-through',
    choices: ['straight-through', 'soft'],
    doc: 'whole values forward and smooth ones backward, or smooth both ways',
  }),
  start: choice({ default: 'normal', choices: ['normal', 'zero'], doc: 'first logits: standard normal, or all zero' }),
  draws: whole({
    default: 1,
    min: 0,
    max: 2,
    doc: 'Gumbel draws for two values: 2 is the right relaxation, 1 the published one, 0 none',
  }),
  temperature: number({ default: 1, min: 1e-3, max: 1e3, doc: 'of the relaxation' }),
  rates: numbers({ default: [1e2, 1e3, 1e4, 1e5, 1e6], min: 0, doc: 'learning rates to try' }),
  fractions: numbers({
    default: [0.01, 0.05, 0.1, 0.2, 0.5, 1],
    min: 0,
    max: 1,
    doc: 'shares of the rounds to try, from the first on',
  }),
  iterations: whole({ default: 100, min: 1, max: 100_000, doc: 'steps of each try' }),
  echo: whole({
    default: 0,
    min: 0,
    max: 1000,
    doc: "rounds in which the client's own model is sent back to it (malicious server)",
  }),
} as const

type Values = ValuesOf<typeof gradientParams>

/** Messages and the sets of them that [aia] B.4 tries: first shares of the rounds, and of the echoed ones. */
export async function messagesOf(
  view: View<'exchanges' | 'target'> & Partial<View<'channel'>>,
  { fractions, echo }: Pick<Values, 'fractions' | 'echo'>,
): Promise<{ readonly messages: readonly Message[]; readonly sets: MatchOptions['sets'] }> {
  const turns = await turnsOf(view)
  const heard: Message[] = turns.filter(({ descent }) => descent.some((x) => x !== 0))
  if (heard.length === 0)
    throw new Inapplicable(['exchanges'], 'no model changed in any turn: there is no direction to match')
  const echoed = echo === 0 ? [] : await echoes(view, turns.at(-1)!.returned, echo)
  const setsOf = (first: number, count: number, name: string): MatchOptions['sets'] =>
    [...new Set(fractions.map((f) => Math.max(1, Math.floor(f * count))))].map((size) => ({
      name: `first ${size} of ${count} ${name}`,
      places: Array.from({ length: size }, (_, k) => first + k),
    }))
  const sets = [...setsOf(0, heard.length, 'heard'), ...(echo > 0 ? setsOf(heard.length, echoed.length, 'echoed') : [])]
  return { messages: [...heard, ...echoed], sets }
}

/** [aia] Section 2.3: the active adversary of the baseline sends back what came. */
async function echoes(
  view: Partial<View<'channel'>> & View<'target'>,
  from: Float64Array,
  count: number,
): Promise<Message[]> {
  const channel: Channel | undefined = view.channel
  if (channel === undefined) throw new Inapplicable(['channel'], 'echo needs a line to the client')
  const answers: Message[] = []
  let theta = from
  for (let k = 0; k < count; k++) {
    const returned = await channel(view.target, theta)
    const sent = theta
    answers.push({ theta: sent, descent: sent.map((v, j) => v - returned[j]!) })
    theta = returned
  }
  return answers
}

/** The whole grid, for the attack and for the oracle that picks by accuracy. */
export async function matchGrid(
  view: Parameters<typeof gradientCandidates>[0] & Parameters<typeof messagesOf>[0],
  { params, rng, tick }: Pick<Context<Values>, 'params' | 'rng' | 'tick'>,
): Promise<ReturnType<typeof gradientCandidates>> {
  const { messages, sets } = await messagesOf(view, params)
  return gradientCandidates(view, messages, { ...params, sets, rng, tick })
}

export const aiaGradient = defineAttack({
  id: 'aia-gradient',
  effort: 40,
  title: 'Attributes whose gradients point where the updates went',
  paper: 'aia',
  where: 'Eq. (2)',
  target: 'attribute',
  needs: ['exchanges', 'target', 'records', 'records.label', 'sensitive', 'model', 'loss', 'protocol'],
  uses: ['channel'],
  params: gradientParams,
  async run(view, context) {
    const { unknowns, candidates } = await matchGrid(view, context)
    const best = bestByCosine(candidates)
    const claims = unknowns.attributes.map(
      ({ sensitive }, a): AttributeClaim => ({
        kind: 'attribute',
        client: view.target,
        name: sensitive.name,
        values: best.guesses[a]!,
      }),
    )
    // departs: no confidence is claimed; logits grow with the rate, not with what is known.
    return claimed(claims, {
      warnings:
        best.cosine < 0.5
          ? [`the best cosine is ${best.cosine.toFixed(3)}: the guesses hardly explain the messages`]
          : [],
      details: {
        variant: context.params.variant,
        set: best.set,
        rate: best.rate,
        cosine: best.cosine,
        tried: candidates.length,
      },
    })
  },
  plant: exactTurns,
  shuffle: shuffledRecords,
})
