/** A malicious server at work on one client: it sends, hears what comes back, and decides what to send next. */
import { OverhearError } from '../../../errors.js'
import { firstNonFinite, norm } from '../../../numeric/linalg/vector.js'
import { type AdamOptions, adam } from '../../../numeric/optimise/adam.js'
import type { Channel } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'

export interface Line {
  readonly channel: Channel
  readonly client: string
  /** What is sent first. */
  readonly start: Float64Array
  /** When messages are sent: rounds from 0 on, rising. */
  readonly rounds: readonly number[]
  /** The round of the last message that was sent before; none unless told. */
  readonly after?: number
  tick?(done: number, total: number): void
}

export interface Emulated {
  /** What would be sent next: the estimate of the client's own optimum. */
  readonly theta: Float64Array
  readonly sent: readonly Float64Array[]
  /** |sent - returned| of each message: all that the attacker sees of its progress. */
  readonly norms: readonly number[]
}

/** Sends a message in each of `rounds`; `next` makes each from the one before and what came back. */
export async function converse(
  { channel, client, start, rounds, after = -1, tick }: Line,
  next: (sent: Float64Array, returned: Float64Array) => Float64Array,
): Promise<Emulated> {
  const sent: Float64Array[] = []
  const norms: number[] = []
  let theta: Float64Array = start.slice()
  for (const [t, round] of rounds.entries()) {
    passTo({ channel }, rounds[t - 1] ?? after, round)
    const returned = await answer(channel, client, theta)
    sent.push(theta)
    norms.push(norm(pseudoGradient(theta, returned)))
    theta = next(theta, returned)
    tick?.(t + 1, rounds.length)
  }
  return { theta, sent, norms }
}

/** Lets the honest rounds pass that lie between two. */
export function passTo({ channel }: Pick<Line, 'channel'>, last: number, next: number): void {
  const between = next - last - 1
  if (between <= 0) return
  if (channel.pass === undefined) {
    throw new Inapplicable(['channel'], 'the line cannot let honest rounds pass: send in consecutive ones')
  }
  channel.pass(between)
}

/** [aia] Alg. 4: Adam on the pseudo-gradients, starting with empty moments. */
export async function emulateAdam(line: Line, options: AdamOptions): Promise<Emulated> {
  const method = adam(options)
  const state = method.init(line.start.length)
  return converse(line, (sent, returned) => {
    const theta = sent.slice()
    method.stepInto(theta, pseudoGradient(sent, returned), state)
    return theta
  })
}

/** [aia] Section 4.2, first paragraph: the client gets its own model back. */
export function emulateEcho(line: Line): Promise<Emulated> {
  return converse(line, (_, returned) => returned)
}

/** Sends models that were chosen before, one a round. */
export async function answerEach(
  line: Line,
  models: readonly Float64Array[],
): Promise<readonly { readonly sent: Float64Array; readonly returned: Float64Array }[]> {
  const answers: { sent: Float64Array; returned: Float64Array }[] = []
  await converse({ ...line, start: models[0]! }, (sent, returned) => {
    answers.push({ sent, returned })
    return models[answers.length] ?? sent
  })
  return answers
}

/** One message and its answer, which must be a model. */
export async function answer(channel: Channel, client: string, theta: Float64Array): Promise<Float64Array> {
  const returned = await channel(client, theta.slice())
  if (returned.length !== theta.length) {
    throw new OverhearError('E_SHAPE', `client "${client}" returned ${returned.length} values for ${theta.length}`)
  }
  const bad = firstNonFinite(returned)
  if (bad >= 0) {
    const found = `client "${client}" returned ${returned[bad]} at ${bad}`
    throw new OverhearError('E_NON_FINITE', found, 'what it was sent made its training diverge: send smaller steps')
  }
  return returned
}

export const pseudoGradient = (sent: Float64Array, returned: Float64Array): Float64Array =>
  sent.map((v, j) => v - returned[j]!)
