/** A learning rate that falls along half a cosine, down to a share of what it was. */
import { cosPi } from '../../numeric/special/circular.js'
import { number, whole } from '../../params.js'
import { defineSchedule } from './schedule.js'

export const cosine = defineSchedule({
  id: 'cosine',
  title: 'falls along half a cosine, slowly at both ends, down to a share of what it was',
  params: {
    over: whole({ default: 50, min: 1, doc: 'rounds in which it falls', unit: 'rounds' }),
    least: number({ default: 0.01, above: 0, max: 1, doc: 'the share that is left then' }),
  },
  factor: (round, { over, least }) => least + ((1 - least) * (1 + cosPi(Math.min(1, round / over)))) / 2,
})
