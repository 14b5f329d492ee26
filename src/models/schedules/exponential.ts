/** A learning rate that shrinks by one factor a round. */
import { number } from '../../params.js'
import { raised } from '../optimizers/optimizer.js'
import { defineSchedule } from './schedule.js'

export const exponential = defineSchedule({
  id: 'exponential',
  title: 'multiplied by a factor every round',
  params: { factor: number({ default: 0.95, above: 0, max: 1, doc: 'what the rate is multiplied by every round' }) },
  factor: (round, { factor }) => raised(factor, round),
})
