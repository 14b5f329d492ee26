/** Scenarios from YAML files; the built-in one when none is named. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, YAMLParseError } from 'yaml'
import { readScenario } from '../../audit/read-scenario.js'
import { OverhearError } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { fromRoot } from '../package-root.js'

const defaultScenario = fileURLToPath(fromRoot('scenarios/default.yaml'))

export function loadScenario(path = defaultScenario): Scenario {
  return readScenario(parseYaml(readText(path), path), path)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = (error as { code?: string }).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new OverhearError('E_INPUT', `${path}: ${why}`, 'give a scenario in YAML; "overhear audit --help" shows one')
  }
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    throw new OverhearError('E_INPUT', `${path}: ${error.message.split('\n')[0]}`, 'the file is not YAML')
  }
}
