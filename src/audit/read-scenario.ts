/** The door for scenarios: the world that one describes, and who listens to it and with what. */
import { z } from 'zod'
import { attacks } from '../attacks/index.js'
import { readParams } from '../params.js'
import { type Entry, type Kind, tableOf } from '../registry.js'
import { readWorld, type Scenario, scenarioSchema } from '../scenario/scenario-schema.js'
import { withDefault } from '../settings/value-schema.js'
import { observerCalled } from '../threat/observers.js'
import { attackOrOracle } from './job.js'
import { oracles } from './oracles/index.js'

/** Checks a scenario given as data; names, keys and numbers that are wrong are errors that say what is allowed. */
export function readScenario(json: unknown, where = 'scenario'): Scenario {
  const scenario = readWorld(json, where)
  if (scenario.observers !== 'all') for (const name of scenario.observers) observerCalled(name)
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
  return z.toJSONSchema(scenarioSchema(), {
    io: 'input',
    override: ({ jsonSchema }) => {
      // What is unknown is an error here, unlike in a recording.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
      if (jsonSchema.description === 'which attack') jsonSchema.enum = Object.keys({ ...attacks, ...oracles })
      const { entriesOf, ...rest } = jsonSchema as typeof jsonSchema & { entriesOf?: Kind }
      if (entriesOf === undefined) return
      delete (jsonSchema as { entriesOf?: Kind }).entriesOf
      jsonSchema.oneOf = Object.values(tableOf(entriesOf)).map((one) => entryJsonSchema(one, rest))
    },
  })
}

/** What may stand beside the name of one entry: its parameters. */
function entryJsonSchema({ id, title, params }: Entry, { properties = {} }: { properties?: object }) {
  const shape = Object.fromEntries(Object.entries(params).map(([key, one]) => [key, withDefault(one, one.default)]))
  const { $schema: _, ...own } = z.toJSONSchema(z.object(shape), { io: 'input' })
  return {
    title: id,
    description: title,
    properties: {
      ...Object.fromEntries(Object.keys(properties).map((key) => [key, {}])),
      name: { const: id },
      params: own,
    },
  }
}
