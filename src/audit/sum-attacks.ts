/** Attacks on the protocol of secure sums itself, as an audit asks for them: which of them the configured one stops. */

import { type SumAttack, trySums } from '../defences/openings/try-sums.js'
import { policyOf, secureAggregationEntry } from '../defences/secure-aggregation.js'
import { readParams } from '../params.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { pathsAt, type SimulatedPlace } from './audit-tasks.js'
import type { SumAttacks } from './document.js'
import { openRecording, type RecordingPorts } from './open-recording.js'

const observer = 'malicious-secagg-server'

export interface SumAttacksOptions {
  readonly observers: readonly string[]
  readonly ports: RecordingPorts
  /** The first training: how many clients a round asks is read from it. */
  readonly place: SimulatedPlace | undefined
}

/** None where nobody asks, or nothing is summed securely. */
export async function sumAttacks(
  { defences }: Pick<Scenario, 'defences'>,
  { observers, ports, place }: SumAttacksOptions,
): Promise<{ readonly sums?: SumAttacks }> {
  const defence = defences.find(({ name }) => name === secureAggregationEntry.id)
  if (defence === undefined || place === undefined || !observers.includes(observer)) return {}
  const values = readParams(secureAggregationEntry.params, defence.params, `defence ${defence.name}`)
  const { transcript } = pathsAt(place, place.trained.targets[0] ?? '')
  const rounds = (await openRecording({ transcript }, ports)).sources.transcript.rounds()
  const asked = rounds.map(({ participants, dropped }) => (participants?.length ?? 0) + dropped.length)
  const attacks = await trySums(Math.max(3, ...asked), { ...values, policy: policyOf(values) })
  return { sums: { observer, attacks } }
}

/** Each attack as one line. */
export const sumAttackLine = ({ attack, what, colluders, clients, opened, why }: SumAttack): string => {
  const with_ = colluders === 0 ? 'alone' : `with ${colluders} of ${clients} clients`
  const word = opened === null ? 'stopped' : opened === 1 ? 'opens one update' : `opens a sum of ${opened}`
  return `${attack}, ${with_}: ${word} (it ${what}; ${why})`
}
