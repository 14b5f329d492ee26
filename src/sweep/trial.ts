/** A trial: one point with one seed. It is a pure function of its configuration, and its id is the hash of that. */
import { hashOf } from '../audit/hash.js'
import type { Scenario, ScenarioInput } from '../scenario/scenario-schema.js'
import { withValue } from './axes.js'
import type { Point } from './points.js'
import { effortOf } from './trial-effort.js'

/** The files of a dataset by their paths, each with the hash of what is in it. */
export type FileMarks = Readonly<Record<string, string>>

export interface Trial {
  readonly id: string
  /** In the order of the sweep. */
  readonly number: number
  readonly seed: number
  readonly point: Point
  /** How long it may take beside others, by guess. */
  readonly effort: number
}

/** What trials depend on besides their scenario. */
export interface TrialContext {
  /** The scenario that the axes change, checked and with every default. */
  readonly base: Scenario
  readonly versions: { readonly overhear: string; readonly kernels: string }
  /** Of what a scenario's dataset is made. */
  filesOf(data: Scenario['data']): Promise<FileMarks>
}

/** The scenario of a point; what is wrong in it is found by whoever reads it. */
export function scenarioAt(base: Scenario, { set }: Pick<Point, 'set'>, seed: number): ScenarioInput {
  let json: unknown = base
  for (const [path, value] of Object.entries(set)) json = withValue(json, path, value)
  return { ...(json as ScenarioInput), seed }
}

/** The trial of a point with a seed. */
export async function trialAt(
  point: Point,
  { number, seed }: { readonly number: number; readonly seed: number },
  { base, versions, filesOf }: TrialContext,
): Promise<Trial> {
  const scenario = scenarioAt(base, point, seed)
  const { name: _, ...world } = scenario
  const files = await filesOf(scenario.data as Scenario['data'])
  const id = await hashOf({ world, files, versions })
  return { id, number, seed, point, effort: effortOf(scenario) }
}
