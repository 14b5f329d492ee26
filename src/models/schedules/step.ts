/** A learning rate that falls once every so many rounds. */
import { number, whole } from '../../params.js'
import { raised } from '../optimizers/optimizer.js'
import { defineSchedule } from './schedule.js'

export const step = defineSchedule({
  id: 'step',
  title: 'multiplied by a factor once every so many rounds',
  params: {
    every: whole({ default: 10, min: 1, doc: 'rounds between two falls', unit: 'rounds' }),
    factor: number({ default: 0.5, above: 0, max: 1, doc: 'what the rate is multiplied by then' }),
  },
  factor: (round, { every, factor }) => raised(factor, Math.floor(round / every)),
})
