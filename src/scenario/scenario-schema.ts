/** A scenario: what federation to simulate, what the adversary knows, what to run. One schema checks it and teaches it. */
import { z } from 'zod'
import { datasets } from '../data/index.js'
import { createDefence, type DefenceSpec, defences } from '../defences/index.js'
import { lookup, OverhearError } from '../errors.js'
import { misbehaviours } from '../federation/misbehaviour/index.js'
import { samplings } from '../federation/sampling/index.js'
import { modelEntry, models } from '../models/index.js'
import { readParams } from '../params.js'
import { partitions } from '../partition/index.js'
import type { Entry } from '../registry.js'
import { optionsOf } from '../transcript/param-schema.js'
import { check } from '../transcript/validate.js'

const count = z.int().min(1)
const share = z.number().min(0).lt(1)
const params = z.record(z.string(), z.unknown()).default({})

/** A name of a table: for editors the names, here any text, so that a wrong one is answered with the nearest. */
const nameIn = (table: object, words: string) =>
  z
    .string()
    .min(1)
    .meta({ enum: Object.keys(table), description: words })

const named = (what: string, table: object) =>
  z.looseObject({
    name: nameIn(table, `which ${what}`),
    params: params.describe(`parameters of the ${what}`),
  })

const dataSchema = named('dataset', datasets).extend({
  rows: count.nullable().default(null).describe('use only so many rows, drawn at random; null: all'),
  validation: share.default(0.1).describe('share of the rows kept back to measure the model'),
  auxiliary: share.default(0.1).describe('share of the rows that the adversary holds, of the same kind as the clients'),
})

/** Inputs and outputs come from the data; the options are those of the kind. */
const modelSchema = z
  .object({
    kind: nameIn(models, 'which model'),
    ...optionsOf(models),
    learningRate: z
      .number()
      .positive()
      .optional()
      .describe("this model's own learning rate; unless told, that of the training"),
  })
  .catchall(z.any() as z.ZodType<unknown>)

const trainingSchema = z.looseObject({
  algorithm: z
    .enum(['fedavg', 'fedsgd', 'fedprox'])
    .default('fedavg')
    .describe('what a client does in its turn; fedsgd: one step on all of its records, without epochs and batches'),
  share: z
    .enum(['parameters', 'delta', 'gradient'])
    .default('parameters')
    .describe('what a client returns; gradient: with fedsgd only'),
  rounds: count.default(50).describe('number of rounds'),
  learningRate: z.number().positive().default(0.01).describe('step size of local SGD'),
  localEpochs: count.optional().describe('passes over its records that a client makes in a turn; 1 unless told'),
  localSteps: count.optional().describe('steps that a client makes in a turn, instead of localEpochs'),
  batchSize: count.nullable().default(32).describe('records per step; null: all that the client holds'),
  shuffle: z.enum(['epoch', 'round', 'never']).default('epoch').describe('how often a client reorders its records'),
  momentum: z.number().min(0).lt(1).default(0).describe('weight of the previous step, forgotten between turns'),
  proxMu: z.number().min(0).default(0).describe('fedprox: weight of the squared distance to the global model'),
  weights: z.enum(['samples', 'equal']).default('samples').describe("the clients' weights in the mean"),
  sampling: named('sampling', samplings).default({ name: 'all', params: {} }).describe('who takes part in a round'),
  dropouts: share.default(0).describe('probability that a chosen client fails'),
  misbehaving: z
    .record(z.string(), named('misbehaviour', misbehaviours))
    .default({})
    .describe('clients, by id, that do not play fair'),
  precision: z.enum(['f32', 'f64']).default('f32').describe('of training; recordings are kept in f64'),
})

const defencesSchema = z
  .array(named('defence', defences))
  .default([])
  .describe('what protects the clients, in this order')

const knowledgeSchema = z.looseObject({
  targets: z
    .union([z.literal('all'), z.array(z.string()).min(1)])
    .default(['0'])
    .describe('ids of the clients to attack'),
  sensitive: z
    .union([z.literal('first'), z.array(z.string())])
    .default('first')
    .describe('columns that the adversary does not know and wants to'),
  records: z.boolean().default(true).describe("whether the rest of the target's records is known"),
  labels: z.boolean().default(true).describe('whether the labels of these records are known'),
  auxiliary: z.boolean().default(true).describe('whether the adversary holds the auxiliary rows'),
  metaclassCounts: z.boolean().default(false).describe('whether it knows how many records of each metaclass there are'),
  candidates: z.int().min(0).default(0).describe('how many records to ask about: half of them members'),
  property: z.string().nullable().default(null).describe('property of clients to look for: membership, inversion, ...'),
  holders: z
    .array(z.string())
    .default([])
    .describe('property membership: ids of clients that hold the record asked about, which is one of the first target'),
})

/** Who listens and what is run is for whoever audits to check: nothing left of the transcript knows these tables. */
const attackId = z.string().min(1).describe('which attack')
const attackSchema = z.union([
  attackId,
  z.looseObject({ id: attackId, params: params.describe('parameters of the attack') }),
])

export const scenarioSchema = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
    .default('scenario')
    .describe("the run's folder is named after it"),
  seed: z.int().min(0).default(1).describe('of all randomness: the same seed gives the same bits'),
  data: dataSchema.describe('what there is to learn from'),
  partition: named('partition', partitions)
    .default({ name: 'iid', params: {} })
    .describe('how rows are dealt to clients'),
  models: z.array(modelSchema).min(1).describe('each is trained and attacked by itself'),
  training: trainingSchema.prefault({}).describe('how the clients train together'),
  defences: defencesSchema,
  knowledge: knowledgeSchema.prefault({}).describe('what the adversary knows besides what it hears'),
  observers: z
    .union([z.literal('all'), z.array(z.string().min(1).describe('which observer')).min(1)])
    .default('all')
    .describe('where the adversary stands'),
  attacks: z
    .union([z.literal('all'), z.array(attackSchema).min(1)])
    .default('all')
    .describe('which attacks, with their parameters'),
  activeRounds: count.default(10).describe('messages that a malicious server may send to one client'),
  secondsPerAttack: z.number().positive().nullable().default(60).describe('an attack that takes longer is stopped'),
  controls: z.boolean().default(true).describe('test each attack on a planted leak and in a shuffled world'),
})

/** A scenario that was checked, with every default filled in. */
export type Scenario = z.output<typeof scenarioSchema>
/** A scenario as people write it. */
export type ScenarioInput = z.input<typeof scenarioSchema>
export type ScenarioModel = z.output<typeof modelSchema>

/** Checks what a scenario says of the world; the names of observers and attacks are left to `audit/read-scenario.ts`. */
export function readWorld(json: unknown, where = 'scenario'): Scenario {
  const { value, warnings } = check(scenarioSchema, json, where)
  const unknown = warnings[0]
  if (unknown !== undefined)
    throw new OverhearError('E_INPUT', unknown.replace(' is kept and ignored', ''), 'see "overhear audit --help"')
  lookup(datasets, value.data.name, 'dataset')
  lookup(partitions, value.partition.name, 'partition')
  for (const { name, params } of value.defences) createDefence({ name, ...params } as DefenceSpec)
  return { ...value, models: value.models.map(readModel) }
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
