/** The plan of an audit as a terminal shows it. */
import { figure } from '../audit/figures.js'
import type { AuditPlan } from '../audit/ladder/audit-plan.js'
import { harmless } from '../errors.js'

export function planText(plan: AuditPlan): string {
  const { repeats, trainings, attacks, seconds, bytes, memory, records, tests, leastSeen } = plan
  const time = (s: number): string => (s < 90 ? `${Math.ceil(s)} s` : `${Math.ceil(s / 60)} min`)
  const size = (n: number): string => (n < 1e6 ? `${Math.ceil(n / 1e3)} kB` : `${Math.ceil(n / 1e6)} MB`)
  const lines = [
    `trainings: ${trainings} (${repeats} repeats), about ${time(seconds.trainings)}; at most ${size(bytes)} of messages`,
    `attacks: ${attacks} jobs, about ${time(seconds.attacks)} on ${seconds.cores} cores (a rough guess)`,
    `memory: about ${size(memory)}`,
    `compared: ${records.trained} trained and ${records.heldBack} held-back records of the first target`,
    'what each test could say:',
    ...tests.map(({ name, candidates, level, leastP, untested }) => {
      const can = untested === null ? '' : ` - nothing: ${untested}`
      return `  ${name}: ${candidates} answers a training, least p ${figure(leastP)}, held to ${figure(level)}${can}`
    }),
    `would probably see: members from AUC ${figure(0.5 + leastSeen.members)}, an attribute from ${figure(leastSeen.attribute)} of AUC more on trained records`,
  ]
  return harmless(lines.join('\n'), '\n')
}
