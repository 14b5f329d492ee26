/** Attributes by least squares: a client's update is a sum of per-record gradients, so it is linear in who has which value. */
import { choice, text, whole } from '../../params.js'
import { claimed, defineAttack } from '../attack.js'
import { shuffledRecords } from './attribute-controls.js'
import { attributeClaims, modelFrom } from './least-loss.js'
import { heardAttributes } from './linear/heard-attributes.js'
import { exactTurns } from './one-step-control.js'

export const linearParams = {
  passes: whole({
    default: 2,
    min: 1,
    max: 10,
    doc: 'least-squares passes; from the second on in the metric of the residuals',
  }),
  rehearsals: whole({
    default: 8,
    min: 0,
    max: 20,
    doc: 'most passes with turns played over on the guessed records; they end when no guess changes; four from 500 unknowns on',
  }),
  directions: whole({ default: 20, min: 0, max: 200, doc: 'directions of common error that the metric may damp' }),
  rate: choice({
    default: 'auto',
    choices: ['auto', 'known', 'one', 'each'],
    doc: 'learning rate: as stated, one factor off, or one factor a round; auto: as stated where it is',
  }),
  fuse: text({ default: 'none', doc: 'an attack whose model speaks too, by the losses of aia-model' }),
} as const

export const aiaLinear = defineAttack({
  id: 'aia-linear',
  effort: 40,
  title: 'Attributes from per-record gradients by least squares',
  paper: 'aia',
  where: 'beyond: Eq. (2) made linear',
  target: 'attribute',
  needs: ['exchanges', 'target', 'records', 'records.label', 'sensitive', 'model', 'loss', 'protocol'],
  uses: ['samples'],
  params: linearParams,
  beyond: true,
  async run(view, context) {
    const { fuse, ...params } = context.params
    const model = fuse === 'none' ? undefined : await modelFrom(context, fuse)
    const found = await heardAttributes(view, {
      ...params,
      rng: context.rng,
      tick: context.tick,
      fuse: model?.theta,
      derive: context.derive,
    })
    return claimed(attributeClaims(found.unknowns.attributes, found.beliefs, view.target), {
      warnings: [...(model?.warnings ?? []), ...found.warnings],
      details: { ...found.details, fuse },
      fit: found.fit,
    })
  },
  plant: exactTurns,
  shuffle: shuffledRecords,
})
