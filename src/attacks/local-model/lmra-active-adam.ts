/** A malicious server that lets a client compute the gradients of an Adam which the server runs. [aia] Alg. 4 */
import { choice, number, numbers, whole } from '../../params.js'
import { type Context, claimed, defineAttack } from '../attack.js'
import { detectability, latestModel, recorded } from './active/active-line.js'
import { permutedChannel, plantedChannel } from './active/channel-controls.js'
import { emulateAdam, type Line } from './active/emulated-server.js'
import { activeRounds, roundsParam } from './active/sending-rounds.js'
import { observableObjective, type Tuned, tuneAdam } from './active/tune-adam.js'
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
      default: 'observable',
      choices: ['none', 'observable'],
      doc: "Adam's settings as given, or the best of trials by the size of the client's last update",
    }),
    trials: whole({ default: 50, min: 1, max: 1e5, doc: 'trials of tuning=observable' }),
    rates: numbers({ default: [0.1, 50], min: 1e-12, doc: 'least and largest learning rate that is tried' }),
    betas: numbers({ default: [0.6, 0.999], min: 0, max: 0.999999, doc: 'least and largest beta1 and beta2' }),
    learningRate: number({ default: 0.1, min: 1e-12, doc: 'of tuning=none' }),
    beta1: number({ default: 0.9, min: 0, max: 0.999999, doc: 'of tuning=none' }),
    beta2: number({ default: 0.999, min: 0, max: 0.999999, doc: 'of tuning=none' }),
  },
  async run(view, context) {
    const { channel, target: client } = view
    if (channel === undefined) return recorded(view)
    const rounds = activeRounds(context.params.rounds)
    const line = { channel, client, start: await latestModel(view), rounds }
    const { setting, tuned, warnings } = await settle(line, context)
    const { theta, sent, norms } = await emulateAdam({ ...line, tick: context.tick }, setting)
    const [first, last] = [norms[0]!, norms.at(-1)!]
    if (rounds.length > 1 && !(last < first)) {
      warnings.push(
        `the client's update grew from ${short(first)} to ${short(last)} in size: the emulated Adam has not come nearer ` +
          `to where it would stay (learning rate ${short(setting.learningRate)})`,
      )
    }
    return claimed(
      { kind: 'model', client, theta },
      {
        warnings,
        details: {
          rounds: rounds.length,
          ...setting,
          tuning: tuned === undefined ? 'none' : 'observable',
          ...(tuned && { trials: context.params.trials, failedTrials: tuned.failed, tunedUpdate: tuned.value }),
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
  readonly tuning: 'none' | 'observable'
  readonly trials: number
  readonly rates: readonly number[]
  readonly betas: readonly number[]
  readonly learningRate: number
  readonly beta1: number
  readonly beta2: number
}

interface Settled {
  readonly setting: Tuned['setting']
  readonly tuned?: Tuned
  readonly warnings: string[]
}

async function settle(line: Line, { params, rng, tick }: Context<Asked>): Promise<Settled> {
  const { tuning, trials, rates, betas, learningRate, beta1, beta2 } = params
  const setting = { learningRate, beta1, beta2 }
  if (tuning === 'none') return { setting, warnings: [] }
  const given = `Adam's settings stay as given (learning rate ${learningRate})`
  if (line.channel.restart === undefined) {
    return { setting, warnings: [`the channel cannot be started again, which trials need: ${given}`] }
  }
  const objective = observableObjective(line.client)
  const tuned = await tuneAdam({ line: { ...line, tick }, trials, rng: rng.fork('tuning'), objective, rates, betas })
  if (tuned === undefined) return { setting, warnings: [`the client diverged in all ${trials} trials: ${given}`] }
  const warnings: string[] = []
  const edge = rates.find((rate) => Math.abs(tuned.setting.learningRate / rate - 1) < 0.05)
  if (edge !== undefined) {
    warnings.push(`the best learning rate lies at the edge of the range (${edge}): widen it by rates=`)
  }
  return { setting: tuned.setting, tuned, warnings }
}
