/** A learning rate that falls by the same amount every round, down to a share of what it was. */
import { number, whole } from '../../params.js'
import { defineSchedule } from './schedule.js'

export const linear = defineSchedule({
  id: 'linear',
  title: 'falls by the same amount every round, down to a share of what it was',
  params: {
    over: whole({ default: 50, min: 1, doc: 'rounds in which it falls', unit: 'rounds' }),
    least: number({ default: 0.01, above: 0, max: 1, doc: 'the share that is left then' }),
  },
  factor: (round, { over, least }) => 1 - (1 - least) * Math.min(1, round / over),
})
