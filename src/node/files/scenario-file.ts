/** Scenarios from YAML files; the built-in one when none is named. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { loadPlugins } from '../../audit/plugins.js'
import type { AuditPorts } from '../../audit/ports.js'
import { readScenario } from '../../audit/read-scenario.js'
import { OverhearError } from '../../errors.js'
import { withFoundRates } from '../../scenario/find-rate.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { withSettings } from '../../settings/set-by-text.js'
import { fromRoot } from '../package-root.js'
import { requireRegular } from './regular-file.js'

export const defaultScenario = fileURLToPath(fromRoot('scenarios/default.yaml'))

export interface LoadOptions {
  readonly ports: AuditPorts
  /** Files of plug-ins besides the scenario's own. */
  readonly plugins?: readonly string[]
  /** Settings that stand in for those of the file, by their paths: "training.rounds". */
  readonly set?: Readonly<Record<string, string>>
  /** Whether nothing is told on stderr. */
  readonly quiet?: boolean
}

/** Reads a scenario, once its plug-ins are loaded: they lie beside it. */
export async function loadScenario(path = defaultScenario, options: LoadOptions): Promise<Scenario> {
  return scenarioFrom(parseYaml(readText(path), path), path, options)
}

/** A scenario that stands in a file, whole or as a part of it. */
export async function scenarioFrom(json: unknown, path: string, options: LoadOptions): Promise<Scenario> {
  const named = typeof json === 'object' && json !== null ? (json as { plugins?: unknown }).plugins : undefined
  const plugins = Array.isArray(named)
    ? named.map((one) => (typeof one === 'string' ? resolve(dirname(path), one) : one))
    : named
  const files = Array.isArray(plugins) ? plugins.filter((one) => typeof one === 'string') : []
  await loadPlugins([...(options.plugins ?? []), ...files], options.ports)
  const whole = plugins === undefined ? json : { ...(json as object), plugins }
  const { json: given, set, auto } = withoutAuto(whole, options.set ?? {})
  const scenario = besideIt(readScenario(withSettings(given, set), path), path)
  return auto === undefined ? scenario : settleRates(scenario, auto, options)
}

/** Checks a scenario given as data, without looking for anything that it leaves to be found. */
export function checkScenario(json: unknown, where: string): Scenario {
  const { json: given, set } = withoutAuto(json, {})
  return readScenario(withSettings(given, set), where)
}

const rateKey = 'training.learningRate'

/** Models, by their places, whose rates are to be found; all that have none of their own. */
type Searched = ReadonlySet<number> | 'all'

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** A scenario and settings without the word that asks for a search, in the training or in single models. */
export function withoutAuto(json: unknown, { [rateKey]: asked, ...set }: Readonly<Record<string, string>>) {
  const { training, models, ...rest } = fieldsOf(json)
  const { learningRate, ...others } = fieldsOf(training)
  const list: readonly unknown[] = Array.isArray(models) ? models : []
  const places = new Set([...list.keys()].filter((i) => fieldsOf(list[i]).learningRate === 'auto'))
  const everywhere = (asked ?? learningRate) === 'auto'
  const kept = asked === undefined || asked === 'auto' ? set : { ...set, [rateKey]: asked }
  if (!everywhere && places.size === 0) return { json, set: kept, auto: undefined }
  const bare = list.map((model, i) => {
    const { learningRate: _, ...own } = fieldsOf(model)
    return places.has(i) ? own : model
  })
  const stripped = { ...rest, ...(models !== undefined && { models: places.size > 0 ? bare : models }) }
  const trained = everywhere ? others : training
  const auto: Searched = everywhere ? 'all' : places
  return { json: { ...stripped, ...(trained !== undefined && { training: trained }) }, set: kept, auto }
}

/** The scenario with the rates that were found, which are told. */
async function settleRates(
  scenario: Scenario,
  searched: Searched,
  { ports, quiet = false }: LoadOptions,
): Promise<Scenario> {
  const { clients } = ports.threads
  const { dataset } = ports.files
  const around = { clients, ...(dataset !== undefined && { dataset }) }
  const { scenario: settled, found } = await withFoundRates(scenario, around, searched)
  const words = found.map(({ model, rate }) => `${model} ${rate}`)
  if (!quiet && words.length > 0) process.stderr.write(`learningRate: auto found ${words.join(', ')}\n`)
  return settled
}

/** The scenario with the file of its dataset as it is named from here, where it lies beside the scenario. */
export function besideIt(scenario: Scenario, path: string): Scenario {
  const { file, ...params } = scenario.data.params as { readonly file?: unknown }
  if (typeof file !== 'string' || file === '' || isAbsolute(file)) return scenario
  const beside = join(dirname(path), file)
  if (!existsSync(beside)) return scenario
  return { ...scenario, data: { ...scenario.data, params: { ...params, file: beside } } }
}

export function readText(path: string): string {
  try {
    if (existsSync(path)) requireRegular(path, 'a scenario in YAML')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof OverhearError) throw error
    const why = (error as { code?: string }).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new OverhearError('E_INPUT', `${path}: ${why}`, 'give a scenario in YAML; "overhear audit --help" shows one')
  }
}

export function parseYaml(text: string, path: string): unknown {
  let value: unknown
  try {
    // What the library would warn of goes to the terminal as it stands.
    value = parse(text, { logLevel: 'error' })
  } catch (error) {
    // Aliases that unfold without end and brackets in brackets are errors of other kinds.
    const why = (error as Error).message.split('\n')[0]!
    throw new OverhearError('E_INPUT', `${path}: ${why}`, 'the file is not YAML that can be read')
  }
  if (value !== null) return value
  const found = `${path} is ${text.trim() === '' ? 'empty' : 'without any setting'}`
  throw new OverhearError('E_INPUT', found, 'a scenario is needed; "overhear audit --help" shows one')
}
