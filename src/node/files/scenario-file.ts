/** Scenarios from YAML files; the built-in one when none is named. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, YAMLParseError } from 'yaml'
import { loadPlugins } from '../../audit/plugins.js'
import type { AuditPorts } from '../../audit/ports.js'
import { readScenario } from '../../audit/read-scenario.js'
import { OverhearError } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { withSettings } from '../../settings/set-by-text.js'
import { fromRoot } from '../package-root.js'

const defaultScenario = fileURLToPath(fromRoot('scenarios/default.yaml'))

export interface LoadOptions {
  readonly ports: AuditPorts
  /** Files of plug-ins besides the scenario's own. */
  readonly plugins?: readonly string[]
  /** Settings that stand in for those of the file, by their paths: "training.rounds". */
  readonly set?: Readonly<Record<string, string>>
}

/** Reads a scenario, once its plug-ins are loaded: they lie beside it. */
export async function loadScenario(path = defaultScenario, options: LoadOptions): Promise<Scenario> {
  const json = parseYaml(readText(path), path)
  const named = typeof json === 'object' && json !== null ? (json as { plugins?: unknown }).plugins : undefined
  const plugins = Array.isArray(named)
    ? named.map((one) => (typeof one === 'string' ? resolve(dirname(path), one) : one))
    : named
  const files = Array.isArray(plugins) ? plugins.filter((one) => typeof one === 'string') : []
  await loadPlugins([...(options.plugins ?? []), ...files], options.ports)
  const whole = plugins === undefined ? json : { ...(json as object), plugins }
  return readScenario(withSettings(whole, options.set ?? {}), path)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = (error as { code?: string }).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new OverhearError('E_INPUT', `${path}: ${why}`, 'give a scenario in YAML; "overhear audit --help" shows one')
  }
}

export function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    throw new OverhearError('E_INPUT', `${path}: ${error.message.split('\n')[0]}`, 'the file is not YAML')
  }
}
