/** Whether an attack found what was planted in a scenario's own federation. */
import type { Score } from '../../metrics/score.js'
import { meanOf, medianOf } from '../../numeric/special/summaries.js'
import { type AttackResult, type ControlResult, worstFinding } from '../attack-result.js'
import { noControl } from '../controls.js'

/** A claim about a plant, graded as questions are. */
export interface PlantedScore {
  readonly kind: string
  readonly score: Score
}

/** Who ranks is graded by the ranking, whatever threshold it would accuse by: a bad one is not missing information. */
export function plantedScore(result: AttackResult): PlantedScore | undefined {
  const finding = worstFinding(result)
  if (finding === undefined) return undefined
  const { claim, score } = finding
  const { AUC: value, lowAUC, highAUC } = score.also
  if (score.metric !== 'F1' || value === undefined) return { kind: claim.kind, score }
  const interval = lowAUC === undefined || highAUC === undefined ? null : ([lowAUC, highAUC] as const)
  return { kind: claim.kind, score: { ...score, metric: 'AUC', value, chance: 0.5, lift: 2 * value - 1, interval } }
}

/** Of what there is to find, or of the square of an error, an attack must get this share. */
const foundShare = 0.5

/** Errors are as long as their squares' roots: half of the square gone is less than half of the error. */
const ofErrors = 1 - Math.sqrt(1 - foundShare)

export const foundLiftOf = ({ metric }: Pick<Score, 'metric'>): number => (metric === 'MAE' ? ofErrors : foundShare)

/** Claims whose grade is one figure, of one number or one batch: by luck it may be right once. */
const ofOneFigure: ReadonlySet<string> = new Set(['label', 'label-mean', 'records', 'protocol'])

/**
 * By the strongest plant in which there was anything to find. Who is guilty is guilty in all of them alike, so all count
 * together; of claims that are one figure the middle one counts.
 */
export function judgePlants(weakestFirst: readonly PlantedScore[]): ControlResult {
  const told = weakestFirst.filter(({ score }) => score.lift !== null)
  const last = told.at(-1)
  if (last === undefined) return noControl('chance leaves no room above it')
  const lifts = told.map(({ score }) => score.lift!)
  const { kind, score } = last
  const lift = kind === 'property' ? meanOf(lifts) : ofOneFigure.has(kind) ? medianOf(lifts) : score.lift!
  const found = lift >= foundLiftOf(score)
  // Where all records have one value, an area under the curve tells nothing apart, however right every claim is.
  if (!found && score.accuracy === 1) return { ...noControl('found, but the records are too alike to tell'), score }
  const reason = found ? 'found what was planted' : 'a leak was planted and not found: the attack is broken here'
  return { status: found ? 'passed' : 'broken', score, reason }
}
