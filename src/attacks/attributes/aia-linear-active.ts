/** The same least squares for a server that may choose what it sends: models shaken a little tell records apart sooner. */
import { dot } from '../../numeric/linalg/vector.js'
import { choice, number, whole } from '../../params.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { claimed, defineAttack } from '../attack.js'
import { modelOf } from '../shared/evaluable-model.js'
import { turnOf } from '../shared/target-turns.js'
import { linearParams } from './aia-linear.js'
import { shuffledRecords } from './attribute-controls.js'
import { attributeClaims, modelFrom } from './least-loss.js'
import { inferAttributes } from './linear/infer-attributes.js'
import { exactTurns, stepsOn } from './one-step-control.js'

export const aiaLinearActive = defineAttack({
  id: 'aia-linear-active',
  effort: 40,
  title: 'Attributes from per-record gradients at models that the server shakes',
  paper: 'aia',
  where: 'beyond: Section 2.3, active',
  target: 'attribute',
  needs: ['channel', 'exchanges', 'target', 'records', 'records.label', 'sensitive', 'model', 'loss', 'protocol'],
  uses: ['samples'],
  params: {
    ...linearParams,
    sigma: number({
      default: 0.2,
      min: 0,
      max: 10,
      doc: 'shaking, in root mean squares of the model: what a client could notice',
    }),
    rounds: whole({ default: 10, min: 1, max: 1000, doc: 'models that are sent' }),
    heard: choice({
      default: 'sent',
      choices: ['sent', 'all'],
      doc: 'sent: only the answers to shaken models; all: what was heard before as well',
    }),
  },
  beyond: true,
  async run(view, context) {
    const { fuse, sigma, rounds, heard, ...params } = context.params
    modelOf(view) // an opaque model is refused before anything is sent
    const model = fuse === 'none' ? undefined : await modelFrom(context, fuse)
    const before = view.exchanges.rounds
    const last = await view.exchanges.read(before.at(-1)!)
    const { theta } = turnOf(last)
    const size = Math.sqrt(dot(theta, theta) / theta.length)
    const answers = new Map<number, Exchange>()
    for (let k = 0; k < rounds; k++) {
      context.tick(k, rounds)
      const noise = context.rng.fork('shaking', k).normals(theta.length, { mean: 0, std: sigma * size })
      const sent = theta.map((v, j) => v + noise[j]!)
      const returned = await view.channel(view.target, sent)
      const round = last.round + 1 + k
      const update = { kind: 'parameters', theta: returned } as const
      answers.set(round, { round, received: sent, update, learningRate: last.learningRate })
    }
    const protocol = { ...view.protocol, share: 'parameters' } as const
    const exchanges = {
      rounds: [...(heard === 'all' ? before : []), ...answers.keys()],
      read: async (round: number) => answers.get(round) ?? view.exchanges.read(round),
    }
    const settings = { ...params, rng: context.rng, tick: context.tick, fuse: model?.theta }
    const { records, sensitive, loss, samples } = view
    const known = { records, 'records.label': view['records.label'], sensitive, model: view.model, loss }
    const found = await inferAttributes(
      { ...known, protocol, exchanges, ...(samples !== undefined && { samples }) },
      settings,
    )
    return claimed(attributeClaims(found.unknowns.attributes, found.beliefs, view.target), {
      warnings: [...(model?.warnings ?? []), ...found.warnings],
      details: { ...found.details, fuse, sigma, sent: rounds, heard },
    })
  },
  async plant(input) {
    const { view } = await exactTurns(input)
    return { view: { ...view, channel: await stepsOn(view, input.truth) } }
  },
  shuffle: shuffledRecords,
})
