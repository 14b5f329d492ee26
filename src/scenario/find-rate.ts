/** `learningRate: auto`: a short search for the step size at which each model of a scenario learns, and does not diverge. */
import { OverhearError } from '../errors.js'
import { federate, runToEnd } from '../federation/federate.js'
import { pooledRecords, utilityOf } from '../federation/utility.js'
import { modelName, type Scenario, type ScenarioModel } from './scenario-schema.js'
import { poolsOf, type SimulatePorts } from './simulate.js'
import { defencesOf, stageOf } from './simulate-model.js'

/** From what hardly any model bears to what hardly any model needs, each about a third of the one before. */
const rates = [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001]

/** Rounds that a rate is tried for. */
const mostRounds = 10

export interface FoundRate {
  readonly model: string
  readonly rate: number
  /** Each rate with the loss it came to; null where the training diverged. */
  readonly tried: readonly { readonly rate: number; readonly loss: number | null }[]
}

/** The scenario with a rate for each model that has none of its own, or for those at some places, and how they were found. */
export async function withFoundRates(
  scenario: Scenario,
  ports: Pick<SimulatePorts, 'clients' | 'dataset'>,
  searched: ReadonlySet<number> | 'all' = 'all',
): Promise<{ readonly scenario: Scenario; readonly found: readonly FoundRate[] }> {
  const found: FoundRate[] = []
  const models: ScenarioModel[] = []
  for (const [i, model] of scenario.models.entries()) {
    if (searched === 'all' ? model.learningRate !== undefined : !searched.has(i)) {
      models.push(model)
      continue
    }
    const one = await search(scenario, i, ports)
    found.push(one)
    models.push({ ...model, learningRate: one.rate })
  }
  return { scenario: { ...scenario, models }, found }
}

/** The rate with the least loss, and the next below: other deals of the records may bear less. */
async function search(
  scenario: Scenario,
  model: number,
  ports: Pick<SimulatePorts, 'clients' | 'dataset'>,
): Promise<FoundRate> {
  const name = modelName(scenario, model)
  const tried: { rate: number; loss: number | null }[] = []
  for (const rate of rates) {
    tried.push({ rate, loss: await lossAt(scenario, { model, rate }, ports) })
    const [last, before] = [tried.at(-1)!.loss, tried.at(-2)?.loss]
    // Past the best: smaller ones only learn less.
    if (last !== null && before != null && last > before) break
  }
  let best = -1
  for (const [i, { loss }] of tried.entries()) {
    if (loss !== null && (best < 0 || loss < tried[best]!.loss!)) best = i
  }
  if (best < 0) {
    const found = `learningRate: auto: ${name} diverges at every rate from ${rates[0]} to ${rates.at(-1)}`
    throw new OverhearError('E_NON_FINITE', found, 'scale the columns of the data, or give a learning rate')
  }
  return { model: name, rate: rates[Math.min(best + 1, rates.length - 1)]!, tried }
}

interface Attempt {
  readonly model: number
  readonly rate: number
}

/** The loss on what clients train on after a few rounds; null where that diverged. */
async function lossAt(
  scenario: Scenario,
  { model, rate }: Attempt,
  ports: Pick<SimulatePorts, 'clients' | 'dataset'>,
): Promise<number | null> {
  const models = scenario.models.map((one, i) => (i === model ? { ...one, learningRate: rate } : one))
  const pools = await poolsOf(scenario, ports)
  const { spec, population } = await stageOf({ ...scenario, models }, model, { pools })
  const short = { ...spec, rounds: Math.min(spec.rounds, mostRounds) }
  const defences = defencesOf(scenario)
  const pool = ports.clients(short, population, { exchanging: defences.some(({ exchange }) => exchange !== undefined) })
  try {
    const { theta } = await runToEnd(federate(short, { population, pool, ...(defences.length > 0 && { defences }) }))
    const loss = utilityOf(short, { train: pooledRecords(population) })(theta).train!.loss
    return Number.isFinite(loss) ? loss : null
  } catch (error) {
    if (error instanceof OverhearError && error.code === 'E_NON_FINITE') return null
    throw error
  } finally {
    await pool.close()
  }
}
