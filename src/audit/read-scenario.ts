/** The door for scenarios: the world that one describes, and who listens to it and with what. */
import { z } from 'zod'
import { attacks } from '../attacks/index.js'
import { lookup } from '../errors.js'
import { readParams } from '../params.js'
import { readWorld, type Scenario, scenarioSchema } from '../scenario/scenario-schema.js'
import { observers } from '../threat/observers.js'
import { attackOrOracle } from './job.js'
import { oracles } from './oracles/index.js'

/** Checks a scenario given as data; names, keys and numbers that are wrong are errors that say what is allowed. */
export function readScenario(json: unknown, where = 'scenario'): Scenario {
  const scenario = readWorld(json, where)
  if (scenario.observers !== 'all') for (const name of scenario.observers) lookup(observers, name, 'observer')
  if (scenario.attacks !== 'all') scenario.attacks.forEach(checkAttack)
  return scenario
}

function checkAttack(one: Exclude<Scenario['attacks'], 'all'>[number]): void {
  const { id, params: given } = typeof one === 'string' ? { id: one, params: {} } : one
  const { attack, oracle } = attackOrOracle(id)
  readParams((attack ?? oracle).params, given, `attack ${id}`)
}

/** JSON Schema of a scenario, for editors. */
export function scenarioJsonSchema(): object {
  return z.toJSONSchema(scenarioSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // What is unknown is an error here, unlike in a recording.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
      const table = namesFor[jsonSchema.description ?? '']
      if (table !== undefined) jsonSchema.enum = Object.keys(table)
    },
  })
}

const namesFor: Readonly<Record<string, object>> = {
  'which attack': { ...attacks, ...oracles },
  'which observer': observers,
}
