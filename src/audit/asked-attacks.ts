/** What a scenario asks for by name, as entries of the tables. */
import { attacks } from '../attacks/index.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { type ObserverName, observers } from '../threat/observers.js'
import { attackOrOracle } from './job.js'
import { oracles } from './oracles/index.js'

export const allObservers = (): ObserverName[] => Object.keys(observers)

/** The attacks that a scenario asks for; all of them, oracles too, unless it lists some. */
export function askedAttacks({ attacks: asked, activeRounds }: Pick<Scenario, 'attacks' | 'activeRounds'>) {
  const list = asked === 'all' ? [...Object.keys(attacks), ...Object.keys(oracles)] : asked
  return list.map((one) => {
    const { id, params } = typeof one === 'string' ? { id: one, params: {} } : one
    const { attack, oracle } = attackOrOracle(id)
    const found = attack ?? oracle
    const active = found.needs.includes('channel') || found.uses.includes('channel')
    const rounds = active && 'rounds' in found.params ? { rounds: activeRounds } : {}
    return { attack: found, params: { ...rounds, ...params } }
  })
}
