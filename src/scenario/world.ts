/** The data side of a scenario: who holds which rows, and everything encoded by what the clients' rows taught. */
import { type Dataset, encodeSource, type FittedSource, fitSource, inputsOf, type Source } from '../data/dataset.js'
import type { LoadContext } from '../data/dataset-entry.js'
import type { Rule } from '../data/encoder.js'
import { loadDataset } from '../data/index.js'
import { columnOf, levelsOf } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { createModel, type ModelSpec, modelEntry } from '../models/index.js'
import type { Loss, Model } from '../models/model.js'
import { rng } from '../numeric/random/rng.js'
import { holdOut } from '../partition/hold-out.js'
import { dealRows } from '../partition/index.js'
import type { Scenario, ScenarioModel } from './scenario-schema.js'
import { withHolders } from './targets.js'

export interface World {
  readonly source: Source
  readonly fitted: FittedSource
  /** Rows of the source by client. */
  readonly clients: readonly { readonly id: string; readonly rows: Int32Array }[]
  readonly validation: Int32Array
  /** The row that property membership asks about. */
  readonly record?: number
  /** What the adversary holds; no client has these. */
  readonly auxiliary: Int32Array
  /** Encoded rows. */
  encode(rows: ArrayLike<number>): Dataset
}

/** A pure function of the scenario: the same rows go to the same clients whoever asks. */
export async function buildWorld(scenario: Scenario, files?: LoadContext['files']): Promise<World> {
  const { data, partition, seed } = scenario
  const root = rng(seed).fork('scenario')
  const context = { rng: root.fork('data'), ...(files !== undefined && { files }) }
  const source = withCodeBook(await loadDataset(data.name, context, data.params))
  const n = source.table.rows
  const used = data.rows === null || data.rows >= n ? all(n) : root.fork('rows').sample(n, data.rows)
  const { held: auxiliary, train: others } = holdOut(used, { share: data.auxiliary, rng: root.fork('auxiliary') })
  const { held: validation, train } = holdOut(others, { share: data.validation, rng: root.fork('validation') })
  const deal = dealRows(partition.name, { source, rng: root.fork('partition'), rows: train }, partition.params)
  const dealt = deal.ids.map((id, k) => ({ id, rows: deal.clients[k]! }))
  const { clients, record } = withHolders(dealt, scenario)
  // Encoders learn from what clients train on, and from nothing else.
  const fitted = fitSource(
    source,
    clients.flatMap(({ rows }) => Array.from(rows)),
  )
  return {
    source,
    fitted,
    validation,
    auxiliary,
    clients,
    ...(record !== undefined && { record }),
    encode: (rows) => encodeSource(source, { rows, fit: fitted }),
  }
}

/** Which words a column may hold is the questionnaire's and known to all; how often they occur is the clients'. */
function withCodeBook(source: Source): Source {
  const known = (rule: Rule): Rule => {
    if ((rule.encode !== 'one-hot' && rule.encode !== 'codes') || rule.levels !== undefined) return rule
    return { ...rule, levels: levelsOf(columnOf(source.table, rule.column)) }
  }
  return { ...source, label: known(source.label), rules: source.rules.map(known) }
}

const all = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i)

export interface ModelChoice {
  readonly spec: ModelSpec
  readonly model: Model
  readonly loss: Loss
  readonly learningRate: number
}

/** A model of the scenario with the sizes that the data ask for. */
export function chooseModel(choice: ScenarioModel, { source, fitted }: World, learningRate: number): ModelChoice {
  const { kind, learningRate: own, ...options } = choice
  const classes = source.task === 'classification' ? fitted.label.rules[0]!.levels.length : undefined
  const inputs = inputsOf(fitted)
  const labels = fitted.label.rules.length
  const sizes = modelEntry(kind).sizes({ inputs, picture: fitted.pixels?.shape, classes, labels })
  if ('refused' in sizes) {
    throw new OverhearError('E_INPUT', `model ${kind} on dataset "${source.name}", ${sizes.refused}`, sizes.hint)
  }
  const spec = { kind, ...options, ...sizes } as unknown as ModelSpec
  const model = createModel(spec)
  if (model.inputs !== inputs) {
    const found = `model ${kind} takes ${model.inputs} inputs, dataset "${source.name}" has ${inputs}`
    throw new OverhearError('E_SHAPE', found, 'take another model')
  }
  return { spec, model, loss: lossFor(model, classes), learningRate: own ?? learningRate }
}

function lossFor(model: Model, classes: number | undefined): Loss {
  if (classes === undefined) return 'mse'
  return model.defaultLoss === 'binary-cross-entropy' ? 'binary-cross-entropy' : 'cross-entropy'
}
