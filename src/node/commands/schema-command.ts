/** `overhear schema`: the JSON Schema of a scenario or of one of the files, for editors; plug-ins included. */
import { scenarioJsonSchema } from '../../audit/read-scenario.js'
import { lookup, OverhearError } from '../../errors.js'
import { knowledgeJsonSchema } from '../../transcript/knowledge-file.js'
import { manifestJsonSchema } from '../../transcript/manifest.js'
import { truthJsonSchema } from '../../transcript/truth-file.js'
import { enterPlugins } from '../files/plugin-file.js'
import { print } from '../print.js'
import { commonFlags, parseNamed } from './arguments.js'

const schemas: Readonly<Record<string, () => object | Promise<object>>> = {
  scenario: scenarioJsonSchema,
  transcript: manifestJsonSchema,
  knowledge: knowledgeJsonSchema,
  truth: truthJsonSchema,
}

export async function runSchema(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, commonFlags)
  await enterPlugins(values.plugin ?? [], values['trust-plugins'])
  if (name === undefined) {
    throw new OverhearError('E_INPUT', 'the schema of what?', `known: ${Object.keys(schemas).join(', ')}`)
  }
  await print(JSON.stringify(await lookup(schemas, name, 'schema')(), null, 2))
  return 0
}
