/** A scenario: what federation to simulate, what the adversary knows, what to run. One schema checks it and teaches it. */
import { z } from 'zod'
import { datasets } from '../data/index.js'
import { lookup, OverhearError } from '../errors.js'
import { models } from '../models/index.js'
import { partitions } from '../partition/index.js'
import { observers } from '../threat/observers.js'
import { check } from '../transcript/validate.js'
import { attackOrOracle } from './job.js'

const count = z.int().min(1)
const share = z.number().min(0).lt(1)
const params = z.record(z.string(), z.unknown()).default({})

const named = (what: string) =>
  z.looseObject({
    name: z.string().min(1).describe(`which ${what}`),
    params: params.describe(`parameters of the ${what}`),
  })

const dataSchema = named('dataset').extend({
  rows: count.nullable().default(null).describe('use only so many rows, drawn at random; null: all'),
  validation: share.default(0.1).describe('share of the rows kept back to measure the model'),
  auxiliary: share.default(0.1).describe('share of the rows that the adversary holds, of the same kind as the clients'),
})

/** Inputs and outputs come from the data. */
const modelSchema = z.looseObject({
  kind: z.enum(Object.keys(models) as [keyof typeof models, ...(keyof typeof models)[]]).describe('which model'),
  hidden: z.array(count).optional().describe('mlp: sizes of the hidden layers'),
  activation: z.enum(['relu', 'sigmoid', 'tanh']).optional(),
  outputActivation: z.enum(['identity', 'sigmoid']).optional(),
  bias: z.boolean().optional(),
  dropout: share.optional(),
  learningRate: z.number().positive().optional().describe("this model's own learning rate"),
})

const trainingSchema = z.looseObject({
  algorithm: z.enum(['fedavg', 'fedsgd', 'fedprox']).default('fedavg'),
  share: z.enum(['parameters', 'delta', 'gradient']).default('parameters').describe('what a client returns'),
  rounds: count.default(50),
  learningRate: z.number().positive().default(0.01),
  localEpochs: z.number().min(0).optional().describe('passes over its records a client makes in a turn; 1 unless told'),
  localSteps: count.optional().describe('steps a turn, instead of localEpochs'),
  batchSize: count.nullable().default(32).describe('null: all records of the client in one batch'),
  shuffle: z.enum(['epoch', 'round', 'never']).default('epoch'),
  momentum: z.number().min(0).lt(1).default(0),
  proxMu: z.number().min(0).default(0).describe('fedprox: weight of the squared distance to the global model'),
  weights: z.enum(['samples', 'equal']).default('samples').describe("the clients' weights in the mean"),
  sampling: named('sampling').default({ name: 'all', params: {} }).describe('who takes part in a round'),
  dropouts: share.default(0).describe('probability that a chosen client fails'),
  misbehaving: z
    .record(z.string(), named('misbehaviour'))
    .default({})
    .describe('clients, by id, that do not play fair'),
  precision: z.enum(['f32', 'f64']).default('f32').describe('of training; recordings are kept in f64'),
})

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
})

const attackSchema = z.union([z.string().min(1), z.looseObject({ id: z.string().min(1), params })])

const scenarioSchema = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
    .default('scenario'),
  seed: z.int().min(0).default(1),
  data: dataSchema,
  partition: named('partition').default({ name: 'iid', params: {} }).describe('how rows are dealt to clients'),
  models: z.array(modelSchema).min(1),
  training: trainingSchema.prefault({}),
  knowledge: knowledgeSchema.prefault({}),
  observers: z
    .union([z.literal('all'), z.array(z.string()).min(1)])
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

export type Scenario = z.output<typeof scenarioSchema>
export type ScenarioInput = z.input<typeof scenarioSchema>
export type ScenarioModel = z.output<typeof modelSchema>

/** Checks a scenario given as data; names, keys and numbers that are wrong are errors that say what is allowed. */
export function readScenario(json: unknown, where = 'scenario'): Scenario {
  const { value, warnings } = check(scenarioSchema, json, where)
  const unknown = warnings[0]
  if (unknown !== undefined)
    throw new OverhearError('E_INPUT', unknown.replace(' is kept and ignored', ''), 'see "overhear audit --help"')
  lookup(datasets, value.data.name, 'dataset')
  lookup(partitions, value.partition.name, 'partition')
  if (value.observers !== 'all') for (const name of value.observers) lookup(observers, name, 'observer')
  if (value.attacks !== 'all') for (const one of value.attacks) attackOrOracle(typeof one === 'string' ? one : one.id)
  return value
}

/** JSON Schema of a scenario, for editors. */
export function scenarioJsonSchema(): object {
  return z.toJSONSchema(scenarioSchema, { io: 'input' })
}
