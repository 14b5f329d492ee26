/** One learning rate for all rounds. */
import { defineSchedule } from './schedule.js'

export const constant = defineSchedule({ id: 'constant', title: 'one learning rate for all rounds', params: {} })
