/** The data side of a scenario: who trains on which rows and who holds which back, and everything encoded alike. */
import { type Dataset, encodeSource, type FittedSource, fitSource, inputsOf, type Source } from '../data/dataset.js'
import type { LoadContext } from '../data/dataset-entry.js'
import type { Records } from '../data/records.js'
import { OverhearError } from '../errors.js'
import { createModel, type ModelSpec, modelEntry } from '../models/index.js'
import type { Loss, Model } from '../models/model.js'
import { dealPool } from './dealt-halves.js'
import { emptyPlaces, redealtTable } from './plants/empty-worlds.js'
import { withCulprit } from './plants/planted-culprit.js'
import { plantedPools, relabelled } from './plants/planted-pools.js'
import { loadPools, type Pools } from './pools.js'
import type { Scenario, ScenarioModel } from './scenario-schema.js'
import { guiltyIn, type Seats, withHolders } from './targets.js'

export interface WorldClient {
  readonly id: string
  /** Rows of the source that it trains on. */
  readonly rows: Int32Array
  /** Its other rows, kept out of the training at random. */
  readonly heldBack: Int32Array
}

/** Which of a scenario's worlds. */
export interface Dealing {
  /** 0 unless told: each repeat deals trained and held-back rows anew, and trains anew. */
  readonly repeat?: number
  /** Whether who misbehaves, and who holds the record that is asked about, is drawn anew as well; not unless told. */
  readonly redraw?: boolean
  /** Which leak is planted in it, from 0; none unless told. */
  readonly plant?: number
}

export interface World extends Seats {
  readonly source: Source
  readonly fitted: FittedSource
  readonly repeat: number
  readonly clients: readonly WorldClient[]
  readonly validation: Int32Array
  /** The row that property membership asks about. */
  readonly record?: number
  /** What the adversary holds; no client has these. */
  readonly auxiliary: Int32Array
  /** Encoded rows. */
  encode(rows: ArrayLike<number>): Dataset
  /** All that clients train on in one set of records, and the places of each client's rows in it. */
  trained(): { readonly records: Records; readonly places: readonly Int32Array[] }
}

/** A pure function of the scenario and the repeat. */
export async function buildWorld(scenario: Scenario, files?: LoadContext['files'], dealing?: Dealing): Promise<World> {
  return dealWorld(scenario, await loadPools(scenario, files), dealing)
}

/** One repeat of the world: within each client's pool, who is trained on and who is held back. */
export function dealWorld(given: Scenario, loaded: Pools, { repeat = 0, redraw = false, plant }: Dealing = {}): World {
  const planted = plant === undefined ? undefined : plantedPools(given, loaded, { plant, repeat })
  const pools: Pools = planted ?? loaded
  const scenario = planted === undefined ? given : withCulprit(given, pools.clients)
  const { source, validation, auxiliary } = pools
  const { heldBack: share } = scenario
  const guilty = guiltyIn(scenario, { clients: pools.clients, repeat: redraw ? repeat : undefined })
  const dealt = pools.clients.map(({ id, rows }): WorldClient => ({ id, ...dealPool(scenario, { id, rows, repeat }) }))
  const { clients, record } = withHolders(dealt, { scenario, guilty, repeat })
  // Of pools alone the encoders would be the same in all repeats; a world that holds nothing back is as it ever was.
  const own = share === 0 && record !== undefined
  const fitted = own
    ? fitSource(
        source,
        clients.flatMap(({ rows }) => Array.from(rows)),
      )
    : pools.fitted
  const told =
    scenario.empty === 'redrawn'
      ? { ...source, table: redealtTable(source.table, source.sensitive, { clients, seed: scenario.seed, repeat }) }
      : source
  const encode = (rows: ArrayLike<number>): Dataset => {
    const made = encodeSource(told, { rows, fit: fitted })
    if (planted === undefined) return made
    const labels = relabelled(made.records.labels, rows, planted.labelOf)
    return { ...made, records: { ...made.records, labels } }
  }
  return {
    ...guilty,
    source,
    fitted,
    repeat,
    validation,
    auxiliary,
    clients,
    ...(record !== undefined && { record }),
    encode,
    trained() {
      if (own) return inOneSet(clients, encode)
      const { records, placeOf } = pools.encoded()
      const places = clients.map(({ rows }) => rows.map((row) => placeOf.get(row)!))
      return { records, places: emptyPlaces(scenario, { clients, repeat }, places) }
    },
  }
}

function inOneSet(clients: readonly WorldClient[], encode: World['encode']): ReturnType<World['trained']> {
  let start = 0
  const places = clients.map(({ rows }) => {
    const from = start
    start += rows.length
    return rows.map((_, i) => from + i)
  })
  return { records: encode(clients.flatMap(({ rows }) => Array.from(rows))).records, places }
}

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
