/** Whether an attack found what was planted in a scenario's own federation: found, broken, or blind to such a leak here. */

import type { Score } from '../../metrics/score.js'
import { meanOf, medianOf } from '../../numeric/special/summaries.js'
import { gradeOf, plants } from '../../scenario/plants/grades.js'
import { type AttackResult, type ControlResult, type Retold, worstFinding } from '../attack-result.js'
import { noControl } from '../controls.js'
import { type Compared, rankedScore } from './compared-shares.js'

/** A claim about a plant, graded as questions are. */
export interface PlantedScore {
  readonly kind: string
  /** Which plant, the weakest first. */
  readonly plant: number
  readonly score: Score
}

/** Of a result on a plant; undefined where nothing was graded. */
export function plantedScore(result: AttackResult): PlantedScore | undefined {
  const finding = worstFinding(result)
  if (finding === undefined) return undefined
  return { kind: finding.claim.kind, plant: result.plant ?? 0, score: rankedScore(finding) }
}

/**
 * Of what there is to find, or of the square of an error, an attack must get this share: more than it misses. That is what is asked of an attack
 * whose silence is to count, not a level of a test.
 */
const foundShare = 0.5

/** Errors are as long as their squares' roots: half of the square gone is less than half of the error. */
const ofErrors = 1 - Math.sqrt(1 - foundShare)

export const foundLiftOf = ({ metric }: Pick<Score, 'metric'>): number => (metric === 'MAE' ? ofErrors : foundShare)

/** Claims whose grade is one figure, of one number or one batch: by luck it may be right once. */
const ofOneFigure: ReadonlySet<string> = new Set(['label', 'label-mean', 'records', 'protocol'])

/** One attack on all plants in which there was anything to find, and whether it found it. */
export interface Tried {
  readonly told: readonly PlantedScore[]
  readonly found: boolean
}

/**
 * By the strongest plants in which there was anything to find, or by all of them together. Who is guilty is guilty in all alike, so that
 * there all count; of claims that are one figure the middle one does.
 */
export function triedOn(scores: readonly PlantedScore[]): Tried | undefined {
  const told = scores.filter(({ score }) => score.lift !== null)
  const [first] = told
  if (first === undefined) return undefined
  const lifts = told.map(({ score }) => score.lift!)
  const { kind } = first
  const least = foundLiftOf(first.score)
  if (kind === 'property') return { told, found: meanOf(lifts) >= least }
  if (ofOneFigure.has(kind)) return { told, found: medianOf(lifts) >= least }
  const grade = Math.max(...told.map(({ plant }) => gradeOf(plant)))
  const strongest = told.filter(({ plant }) => gradeOf(plant) === grade).map(({ score }) => score.lift!)
  return { told, found: meanOf(strongest) >= least || meanOf(lifts) >= least }
}

/** What else is known of an attack. */
export interface Beside {
  /** Beside the best attack that is handed no more than this one, and its name. */
  readonly compared?: (Compared & { readonly attack: string }) | undefined
  readonly retold?: Retold | undefined
}

/**
 * Broken is what claims otherwise of the same evidence told otherwise, or certainly gets less than half of what another attack gets that is
 * handed no more. Where it did not find the plants, and neither is certain, such a leak may be out of its sight: it is blind here.
 */
export function judgePlants(tried: Tried | undefined, { compared, retold }: Beside): ControlResult {
  // What is shown is the strongest of the first plants: those that were drawn again are for attacks in doubt alone.
  const score = (tried?.told.findLast(({ plant }) => plants.includes(plant)) ?? tried?.told.at(-1))?.score ?? null
  if (retold?.follows === false) return { status: 'broken', score, reason: unsteady[retold.how] }
  if (tried === undefined || score === null) return noControl('chance leaves no room above it')
  if (compared?.word === 'less') {
    const share = (x: number): string => x.toFixed(2)
    const reason = `got ${share(compared.own)} of what was planted where ${compared.attack} got ${share(compared.other)} from no more: this one is broken here`
    return { status: 'broken', score, reason }
  }
  if (tried.found) return { status: 'passed', score, reason: 'found what was planted' }
  // Where all records have one value, an area under the curve tells nothing apart, however right every claim is.
  if (score.accuracy === 1) return { ...noControl('found, but the records are too alike to tell'), score }
  return { status: 'blind', score, reason: 'a leak was planted and not found' }
}

const unsteady: Readonly<Record<Retold['how'], string>> = {
  reordered: 'told the same records and columns in another order, it claims otherwise: this one is broken here',
  labels: 'it needs the labels of the records, and claims the very same with others: this one is broken here',
  later: 'it hangs on the first message of the client and not on the last: this one is broken here',
  fewer:
    'told of half of the records, it claims otherwise of these, though it says that others make no difference: this one is broken here',
}
