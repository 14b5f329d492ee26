/** A sweep from a YAML file: its scenario, axes and limits, checked before anything runs. */
import { dirname, resolve } from 'node:path'
import { askedAttacks } from '../../audit/asked-attacks.js'
import { catalogue } from '../../audit/catalogue.js'
import type { AuditPorts } from '../../audit/ports.js'
import { readScenario } from '../../audit/read-scenario.js'
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import type { Scenario, ScenarioInput } from '../../scenario/scenario-schema.js'
import { type Axis, axesOf } from '../../sweep/axes.js'
import { pointSource } from '../../sweep/points.js'
import type { SweepPlan } from '../../sweep/sweep.js'
import { readSweep, type SweepFile } from '../../sweep/sweep-schema.js'
import { scenarioAt, type Trial } from '../../sweep/trial.js'
import { scoreReader } from '../../sweep/trial-score.js'
import { loadScenario, parseYaml, readText, scenarioFrom } from '../files/scenario-file.js'
import { version } from '../version.js'
import { type DatasetMarks, datasetMarks } from './dataset-marks.js'

export interface SweepFileOptions {
  readonly ports: AuditPorts
  readonly dataDir?: string
  readonly quiet?: boolean
  /** In the place of the scenario's seed, and of the file's number of them. */
  readonly seed?: number
  readonly seeds?: number
}

/** A sweep that is ready to run. */
export interface ReadySweep {
  readonly file: SweepFile
  readonly plan: SweepPlan
  /** Names of the axes, in their order. */
  readonly axes: readonly string[]
  readonly data: DatasetMarks
  scenarioOf(trial: Trial): ScenarioInput
}

/** Reads the file; what is wrong in it, in its scenario or in a value of an axis is an error that says where. */
export async function loadSweep(path: string, options: SweepFileOptions): Promise<ReadySweep> {
  const json = parseYaml(readText(path), path)
  const file = readSweep(json, path)
  const base = await baseOf(file, path, options)
  const axes = axesOf(file, path)
  checkPlaces(axes, base, path)
  const data = datasetMarks(options.dataDir)
  const { search, seeds: often } = file
  const plan: SweepPlan = {
    name: file.name,
    base,
    versions: { overhear: version, kernels: kernelHash },
    filesOf: (one) => data.marksOf(one),
    source: pointSource(axes, { search, seed: base.seed }),
    seeds: Array.from({ length: options.seeds ?? often }, (_, i) => base.seed + i),
    attempts: file.attempts,
    ...searched(file, path),
  }
  return {
    file,
    plan,
    axes: axes.map(({ name }) => name),
    data,
    scenarioOf: ({ point, seed }) => scenarioAt(base, point, seed),
  }
}

function searched({ search }: SweepFile, path: string): Pick<SweepPlan, 'score'> {
  if (search === undefined) return {}
  if (search.score === undefined) {
    if (search.method !== 'tpe') return {}
    const hint = 'say what it looks at, such as attribute.record or utility.value'
    throw new OverhearError('E_INPUT', `${path}: search.score is missing, and tpe needs one`, hint)
  }
  const attacks = askedAttacks({ attacks: 'all', activeRounds: 1 }).map(({ attack }) => attack.id)
  const kinds = catalogue.metrics().map(({ id }) => id)
  return { score: scoreReader(search.score, { attacks, kinds }) }
}

/** The scenario that the axes change. */
async function baseOf(file: SweepFile, path: string, options: SweepFileOptions): Promise<Scenario> {
  const { ports, quiet = false, seed } = options
  const read =
    typeof file.scenario === 'string'
      ? await loadScenario(resolve(dirname(path), file.scenario), { ports, quiet })
      : await scenarioFrom(file.scenario, path, { ports, quiet })
  if (read.plugins.length > 0) {
    throw new OverhearError(
      'E_INPUT',
      `${path}: its scenario has plug-ins`,
      'a sweep runs what the package brings alone',
    )
  }
  const { attacks, observers } = file
  const asked = { ...(attacks !== undefined && { attacks }), ...(observers !== undefined && { observers }) }
  const whole = readScenario({ ...read, ...asked, ...(seed !== undefined && { seed }) }, path)
  if (whole.secondsPerAttack === null) return whole
  const found = `${path}: its scenario has secondsPerAttack ${whole.secondsPerAttack}`
  const hint = 'set it to null, and give secondsPerTrial: what a trial finds must not depend on a clock'
  throw new OverhearError('E_INPUT', found, hint)
}

/** So many places of an axis are tried on the scenario before anything runs: reading one takes some milliseconds. */
const mostChecked = 24

/** Refuses values that the scenario does not take, each by itself; what does not go together fails as a trial. */
function checkPlaces(axes: readonly Axis[], base: Scenario, path: string): void {
  for (const { name, places, dimension } of axes) {
    const ends = dimension.kind === 'choice' ? [] : [dimension.low, dimension.high]
    const all = places ?? ends.map((value) => ({ shown: value, set: { [name]: value } }))
    const some = all.length <= mostChecked ? all : [...all.slice(0, mostChecked - 1), all.at(-1)!]
    for (const { shown, set } of some) {
      readScenario(scenarioAt(base, { set }, base.seed), `${path}: axes.${name}, ${JSON.stringify(shown)}`)
    }
  }
}
