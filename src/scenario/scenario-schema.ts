/** A scenario: what federation to simulate, what the adversary knows, what to run. One schema checks it and teaches it. */
import { z } from 'zod'
import { datasets } from '../data/index.js'
import { lookup, OverhearError } from '../errors.js'
import { localRules } from '../federation/local-rules/index.js'
import type { LocalRule } from '../federation/local-rules/local-rule.js'
import { modelEntry, models } from '../models/index.js'
import { readParams } from '../params.js'
import { type Entry, find, tableChanges } from '../registry.js'
import { allSettings, type SettingsIn, settingsIn, type TopSettings } from '../settings/index.js'
import { optionsOf } from '../settings/options-schema.js'
import { readSetting } from '../settings/read-settings.js'
import type { Chosen } from '../settings/setting.js'
import { nameIn, sectionSchema, withDefault } from '../settings/value-schema.js'
import { canonical } from '../transcript/canonical.js'
import { check } from '../transcript/validate.js'
import type { EmptyWorld } from './plants/empty-kinds.js'
import { openTables } from './world-tables.js'

/** Inputs and outputs come from the data; the options are those of the kind. */
const modelSchema = () =>
  z
    .object({
      kind: nameIn('model', 'which model'),
      ...optionsOf(models),
      learningRate: z
        .number()
        .positive()
        .optional()
        .describe("this model's own learning rate; unless told, that of the training"),
    })
    .catchall(z.any() as z.ZodType<unknown>)

/** Who listens and what is run is for whoever audits to check: nothing left of the transcript knows these tables. */
const attackId = z.string().min(1).describe('which attack')
const params = z.record(z.string(), z.unknown()).default({})
const attackSchema = z.union([
  attackId,
  z.looseObject({ id: attackId, params: params.describe('parameters of the attack') }),
])

/** What has a shape of its own. */
const others = (): Readonly<Record<string, z.ZodType>> => ({
  models: z.array(modelSchema()).min(1),
  attacks: z.union([z.literal('all'), z.array(attackSchema).min(1)]).default('all'),
})

type ScenarioSchema = z.ZodType<Scenario, ScenarioInput>
let last: { readonly changes: number; readonly schema: ScenarioSchema } | undefined

/** The schema of a scenario, from the tables as they are now: plug-ins add to them. Making it takes longer than using it. */
export function scenarioSchema(): ScenarioSchema {
  openTables()
  const changes = tableChanges()
  if (last?.changes !== changes) last = { changes, schema: madeSchema() }
  return last.schema
}

function madeSchema(): ScenarioSchema {
  const shaped = others()
  const top = Object.entries(settingsIn('')).map(([key, { value }]) => {
    const own = shaped[key]
    return [key, own === undefined ? withDefault(value, value.default) : own.describe(value.doc)] as const
  })
  const { data, training, knowledge } = {
    data: sectionSchema(settingsIn('data')).meta({ entriesOf: 'dataset' }).describe('what there is to learn from'),
    training: sectionSchema(settingsIn('training')).prefault({}).describe('how the clients train together'),
    knowledge: sectionSchema(settingsIn('knowledge'))
      .prefault({})
      .describe('what the adversary knows besides what it hears'),
  }
  const inOrder = top.flatMap(([key, schema]): [string, z.ZodType][] => {
    if (key === 'partition')
      return [
        ['data', data],
        [key, schema],
      ]
    if (key === 'defences')
      return [
        ['training', training],
        [key, schema],
        ['knowledge', knowledge],
      ]
    return [[key, schema]]
  })
  return z.looseObject(Object.fromEntries(inOrder)) as unknown as ScenarioSchema
}

/** An attack that is asked for: by its id, or with parameters. */
export type AskedAttack = z.output<typeof attackSchema>

/** A scenario that was checked, with every default filled in. */
export interface Scenario extends TopSettings {
  /** No setting of a file: whether it is a world in which there is nothing to find, made to see how often an alarm is raised. */
  readonly empty?: EmptyWorld
  readonly data: SettingsIn<'data'>
  readonly models: readonly ScenarioModel[]
  readonly training: SettingsIn<'training'>
  readonly knowledge: SettingsIn<'knowledge'>
  readonly attacks: 'all' | readonly AskedAttack[]
}

/** Parameters may be left out. */
type Written<T> = T extends Chosen
  ? { readonly name: string; readonly params?: Chosen['params'] }
  : T extends readonly Chosen[]
    ? readonly Written<Chosen>[]
    : T extends Readonly<Record<string, Chosen>>
      ? Readonly<Record<string, Written<Chosen>>>
      : T
type AllWritten<T> = { readonly [K in keyof T]?: Written<T[K]> }

/** A scenario as people write it. */
export interface ScenarioInput extends AllWritten<TopSettings> {
  readonly data: AllWritten<SettingsIn<'data'>> & { readonly name: string }
  readonly models: readonly ScenarioModel[]
  readonly training?: AllWritten<SettingsIn<'training'>>
  readonly knowledge?: AllWritten<SettingsIn<'knowledge'>>
  readonly attacks?: 'all' | readonly z.input<typeof attackSchema>[]
}
/** A model of a scenario: its kind, the options of that kind, and a learning rate of its own where it has one. */
export interface ScenarioModel {
  readonly kind: string
  readonly learningRate?: number | undefined
  readonly [option: string]: unknown
}

/** Checks what a scenario says of the world; the names of observers and attacks are left to `audit/read-scenario.ts`. */
export function readWorld(json: unknown, where = 'scenario'): Scenario {
  refuseOldKeys(json, where)
  const { value, warnings } = check(scenarioSchema(), json, where)
  const unknown = warnings[0]
  if (unknown !== undefined)
    throw new OverhearError('E_INPUT', unknown.replace(' is kept and ignored', ''), 'see "overhear audit --help"')
  find(datasets, value.data.name)
  for (const section of ['', 'training'] as const) {
    const given: Readonly<Record<string, unknown>> = section === '' ? { ...value } : { ...value[section] }
    const known = settingsIn(section)
    for (const [key, { value: declared }] of Object.entries(known)) {
      if (declared.kind !== 'texts')
        readSetting(declared, given[key], `${where}: ${section === '' ? key : `${section}.${key}`}`)
    }
  }
  refuseDisobeyed(value, where)
  return { ...value, models: value.models.map(readModel) }
}

/** A setting of a turn that the local rule would not obey must not stand there as if it did something. */
function refuseDisobeyed({ training }: Scenario, where: string): void {
  const { obeys, id } = find<LocalRule>(localRules, training.algorithm)
  for (const [key, { turn, value }] of Object.entries(settingsIn('training'))) {
    const given = (training as Readonly<Record<string, unknown>>)[key]
    if (turn !== true || obeys.includes(key) || given === null || same(given, value.default)) continue
    const found = `${where}: training.${key} is ${JSON.stringify(given)}, which ${id} does not obey`
    const others = Object.values<LocalRule>(localRules).filter((rule) => rule.obeys.includes(key))
    throw new OverhearError('E_INPUT', found, `leave it out, or take ${others.map((rule) => rule.id).join(' or ')}`)
  }
  const { localEpochs, localSteps } = training
  if (localSteps === null || localEpochs === null || localEpochs === 1) return
  const found = `${where}: training.localEpochs is ${localEpochs} and localSteps is ${localSteps}`
  throw new OverhearError('E_INPUT', found, 'give one of the two')
}

const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

/** A key of an earlier version is an error that names the new one. */
function refuseOldKeys(json: unknown, where: string): void {
  for (const { id, was = [] } of Object.values(allSettings)) {
    for (const old of was) {
      const value = old
        .split('.')
        .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as never)[key] : undefined), json)
      if (value === undefined) continue
      throw new OverhearError('E_INPUT', `${where}: ${old} is now called ${id}`, rangeOf(id))
    }
  }
}

const rangeOf = (id: string): string => {
  const { value } = find(allSettings, id)
  return value.kind === 'choice' ? `it takes ${value.choices.join(', ')}` : value.doc
}

/** A model with the options that its kind has; text is read as the number or list that it stands for. */
function readModel({ kind, learningRate, ...options }: ScenarioModel, i: number): ScenarioModel {
  const { params } = lookup<Entry>(models, kind, `model of models[${i}]`)
  for (const key of Object.keys(options)) {
    lookup({ ...params, kind, learningRate }, key, `option of models[${i}], which is ${kind}`)
  }
  const values: Readonly<Record<string, unknown>> = readParams(params, options, `models[${i}] (${kind})`)
  const given = Object.keys(options).map((key) => [key, values[key]])
  return { kind, ...Object.fromEntries(given), ...(learningRate !== undefined && { learningRate }) }
}

/** A model in a few letters, for tables and folders: "mlp-64"; the second that would be called so is "mlp-64#2". */
export function modelName({ models: all }: Pick<Scenario, 'models'>, model: number): string {
  const plain = ({ kind, learningRate: _, ...options }: ScenarioModel): string => {
    const { params, shortName } = modelEntry(kind)
    return shortName?.(readParams(params, options, kind)) ?? kind
  }
  const name = plain(all[model]!)
  const before = all.slice(0, model).filter((one) => plain(one) === name).length
  return before === 0 ? name : `${name}#${before + 1}`
}
