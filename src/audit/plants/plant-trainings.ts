/** Trainings of a scenario in which a leak was planted, weaker and stronger: one of each grade and model. */
import { OverhearError } from '../../errors.js'
import { plants, plantsAgain } from '../../scenario/plants/grades.js'
import { rowsOf } from '../../scenario/pools.js'
import { modelName, type Scenario } from '../../scenario/scenario-schema.js'
import { poolsOf } from '../../scenario/simulate.js'
import { type Trained, type TrainingOptions, trainingsIn } from '../ladder/trainings.js'
import type { JobPool, Planted, PlantReply } from '../ports.js'
import { trainPlant } from './train-plant.js'

/** Which plants a scenario gets: none where nobody wants them. */
export const plantsOf = ({ controls }: Pick<Scenario, 'controls'>): readonly number[] => (controls ? plants : [])

export interface PlantOptions extends Pick<TrainingOptions, 'ports' | 'signal' | 'repair' | 'emit' | 'repeats'> {
  /** The run's folder. */
  readonly run: string
  /** Another thread that trains what is small; all is trained here where there is none. */
  readonly elsewhere?: JobPool['plant']
}

/** Trainings that are asked for, or were begun already. */
export interface PlantsBegun {
  /** Those of the models that were not given up, in order. */
  finished(without: ReadonlySet<string>): AsyncGenerator<Trained>
}

/** A dataset of more rows would be copied for longer than a training takes. */
const mostRows = 20_000

/**
 * Begins them in other threads where there are some: whatever is trained here meanwhile. `again` says how often plants were drawn before,
 * and `among` which models are trained, all unless told. One that diverges is left out: whoever looks for it there is told by the weaker ones.
 */
export async function beginPlants(
  scenario: Scenario,
  { run, elsewhere, ...options }: PlantOptions,
  { again = 0, among = () => true }: { readonly again?: number; among?(model: string): boolean } = {},
): Promise<PlantsBegun> {
  const { emit, repeats, ports, repair = false } = options
  const all = plantsOf(scenario).length === 0 ? [] : plantsAgain(again)
  const before = trainingsIn(scenario, repeats)
  const models = [...scenario.models.keys()].filter((model) => among(modelName(scenario, model)))
  const asked = await begunElsewhere(scenario, { run, elsewhere, ports, repair }, { all, models })
  async function* finished(without: ReadonlySet<string>): AsyncGenerator<Trained> {
    for (const plant of all) {
      emit({ kind: 'training', number: before + plant + 1, total: before + all.at(-1)! + 1 })
      for (const model of models) {
        if (without.has(modelName(scenario, model))) continue
        const reply = await asked?.get(keyOf({ plant, model }))
        if (reply?.kind === 'diverged') continue
        if (reply?.kind === 'made') {
          reply.events.forEach(emit)
          yield reply.trained
          continue
        }
        const trained = await trainPlant(scenario, { plant, model }, options)
        if (!(trained instanceof OverhearError)) yield trained
      }
    }
  }
  return { finished }
}

const keyOf = ({ plant, model }: Planted): string => `${plant} ${model}`

interface Elsewhere extends Pick<PlantOptions, 'run' | 'ports'> {
  readonly elsewhere: PlantOptions['elsewhere']
  readonly repair: boolean
}

/** What is asked of other threads, by plant and model; undefined where nothing is. */
async function begunElsewhere(
  scenario: Scenario,
  { elsewhere, run, ports, repair }: Elsewhere,
  { all, models }: { readonly all: readonly number[]; readonly models: readonly number[] },
): Promise<ReadonlyMap<string, Promise<PlantReply>> | undefined> {
  if (elsewhere === undefined || all.length === 0) return undefined
  const pools = await poolsOf(scenario, ports)
  if (pools.source.table.rows > mostRows) return undefined
  const rows = rowsOf(pools)
  const asked = all.flatMap((plant) =>
    models.map((model) => {
      const reply = elsewhere({ scenario, pools: rows, run, planted: { plant, model }, repair })
      reply.catch(() => {}) // it is heard when its turn comes
      return [keyOf({ plant, model }), reply] as const
    }),
  )
  return new Map(asked)
}
