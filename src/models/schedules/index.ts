/** The table of schedules, one line each. */
import { chosen, table } from '../../registry.js'
import { constant } from './constant.js'
import { cosine } from './cosine-decay.js'
import { exponential } from './exponential.js'
import { linear } from './linear-decay.js'
import type { Schedule } from './schedule.js'
import { step } from './step.js'

export const schedules = table('schedule', [constant, step, exponential, linear, cosine])

/** What the learning rate is multiplied by in a round. */
export function scheduleOf(spec: {
  readonly name: string
  readonly [param: string]: unknown
}): (round: number) => number {
  const { entry, values } = chosen<Schedule>(schedules, spec)
  return (round) => entry.factor?.(round, values) ?? 1
}
