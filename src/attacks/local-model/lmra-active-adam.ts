/** A malicious server that lets a client compute the gradients of an Adam which the server runs. [aia] Alg. 4 */
import { choice, number, numbers, whole } from '../../params.js'
import type { Channel } from '../../threat/granted-keys.js'
import { type Context, claimed, defineAttack } from '../attack.js'
import { detectability, latestModel, recorded } from './active/active-line.js'
import { emulateAdaptive } from './active/adaptive-adam.js'
import { permutedChannel, plantedChannel } from './active/channel-controls.js'
import { type Emulated, emulateAdam, type Line } from './active/emulated-server.js'
import { activeRounds, roundsParam } from './active/sending-rounds.js'
import { type Tuned, tuneOnLine } from './active/tune-adam.js'
import { short } from './optimum-error.js'

export const lmraActiveAdam = defineAttack({
  id: 'lmra-active-adam',
  effort: 10,
  title: 'The client is sent the iterates of an Adam run on its own updates',
  paper: 'aia',
  where: 'Alg. 4',
  target: 'model',
  needs: ['exchanges', 'target', 'tampered'],
  uses: ['channel', 'globals'],
  params: {
    rounds: roundsParam,
    tuning: choice({
      default: 'adaptive',
      choices: ['adaptive', 'observable', 'none'],
      doc: "Adam's rate set by the answers, the best of trials by the size of the client's last update, or as given",
    }),
    trials: whole({
      default: 5,
      min: 1,
      max: 1e5,
      doc: 'trials of tuning=observable; their messages are among the rounds',
    }),
    rates: numbers({ default: [0.1, 50], min: 1e-12, doc: 'least and largest learning rate that a trial takes' }),
    betas: numbers({
      default: [0.6, 0.999],
      min: 0,
      max: 0.999999,
      doc: 'least and largest beta1 and beta2 of a trial',
    }),
    learningRate: number({ default: 0.1, min: 1e-12, doc: 'of tuning=none' }),
    beta1: number({ default: 0.9, min: 0, max: 0.999999, doc: 'of tuning=none' }),
    beta2: number({ default: 0.999, min: 0, max: 0.999999, doc: 'of tuning=none' }),
  },
  async run(view, context) {
    const { channel, target: client } = view
    if (channel === undefined) return recorded(view)
    const { tick, params } = context
    const rounds = activeRounds(params.rounds)
    const { line: counted, sent } = listened(channel)
    const start = await latestModel(view)
    const { reached, details, warnings } = await emulated({ channel: counted, client, start, rounds, tick }, context)
    const [first, last] = [reached.norms[0]!, reached.norms.at(-1)!]
    if (reached.norms.length > 1 && !(last < first)) {
      warnings.push(
        `the client's update grew from ${short(first)} to ${short(last)} in size: the emulated Adam has not come nearer ` +
          `to where it would stay (learning rate ${short(details.learningRate)})`,
      )
    }
    return claimed(
      { kind: 'model', client, theta: reached.theta },
      {
        warnings,
        details: {
          messages: sent.length,
          rounds: reached.norms.length,
          tuning: params.tuning,
          ...details,
          firstUpdate: first,
          lastUpdate: last,
          ...(await detectability(view, sent)),
        },
      },
    )
  },
  plant: (input) => plantedChannel(input),
  shuffle: (input) => permutedChannel(input),
})

interface Asked {
  readonly tuning: 'adaptive' | 'none' | 'observable'
  readonly trials: number
  readonly rates: readonly number[]
  readonly betas: readonly number[]
  readonly learningRate: number
  readonly beta1: number
  readonly beta2: number
}

interface Reached {
  readonly reached: Emulated
  readonly details: { readonly learningRate: number } & Readonly<Record<string, number>>
  readonly warnings: string[]
}

async function emulated(line: Line, { params, rng }: Context<Asked>): Promise<Reached> {
  const { tuning, trials, rates, betas, learningRate, beta1, beta2 } = params
  if (tuning === 'adaptive') {
    const { learningRate: reachedRate, ...reached } = await emulateAdaptive(line)
    return { reached, details: { learningRate: reachedRate }, warnings: [] }
  }
  const given = { learningRate, beta1, beta2 }
  if (tuning === 'none') return { reached: await emulateAdam(line, given), details: given, warnings: [] }
  const { tuned, rest, spent } = await tuneOnLine({ line, trials, rng: rng.fork('tuning'), rates, betas })
  const setting = tuned?.setting ?? given
  const reached = await emulateAdam(rest, setting)
  const found = tuned === undefined ? {} : { failedTrials: tuned.failed, tunedUpdate: tuned.value }
  const details = { ...setting, trials, messagesInTrials: spent, ...found }
  return { reached, details, warnings: doubts(tuned, { trials, rates, learningRate }) }
}

function doubts(
  tuned: Tuned | undefined,
  { trials, rates, learningRate }: Pick<Asked, 'trials' | 'rates' | 'learningRate'>,
) {
  if (tuned === undefined) {
    return [
      `the client diverged in all ${trials} trials: Adam's settings stay as given (learning rate ${learningRate})`,
    ]
  }
  const edge = rates.find((rate) => Math.abs(tuned.setting.learningRate / rate - 1) < 0.05)
  if (edge === undefined) return []
  return [`the best learning rate lies at the edge of the range (${edge}): widen it by rates=`]
}

/** The same line, and everything that was sent on it. */
function listened(channel: Channel): { readonly line: Channel; readonly sent: Float64Array[] } {
  const sent: Float64Array[] = []
  const line = (client: string, theta: Float64Array): Promise<Float64Array> => {
    sent.push(theta.slice())
    return channel(client, theta)
  }
  return { line: Object.assign(line, channel.pass && { pass: (rounds: number) => channel.pass!(rounds) }), sent }
}
