/** Whether an attack found what was planted in a scenario's own federation: found, broken, or blind to such a leak here. */

import type { Score } from '../../metrics/score.js'
import { meanOf, medianOf } from '../../numeric/special/summaries.js'
import { type AttackResult, type ControlResult, type GradedFinding, worstFinding } from '../attack-result.js'
import { chanceExcluded, noControl } from '../controls.js'
import { nameOf } from '../ladder/asked-results.js'

/** A claim about a plant, graded as questions are. */
export interface PlantedScore {
  readonly kind: string
  /** The attribute or the property. */
  readonly name: string | null
  /** Which plant, the weakest first. */
  readonly plant: number
  readonly score: Score
}

/** Of a result on a plant; undefined where nothing was graded. */
export function plantedScore(result: AttackResult): PlantedScore | undefined {
  const finding = worstFinding(result)
  if (finding === undefined) return undefined
  const { claim } = finding
  return { kind: claim.kind, name: nameOf(claim), plant: result.plant ?? 0, score: rankedScore(finding) }
}

/** Who ranks is graded by the ranking, whatever threshold it would accuse by: a bad one is not missing information. */
function rankedScore({ score }: GradedFinding): Score {
  const { AUC: value, lowAUC, highAUC } = score.also
  if (score.metric !== 'F1' || value === undefined) return score
  const interval = lowAUC === undefined || highAUC === undefined ? null : ([lowAUC, highAUC] as const)
  return { ...score, metric: 'AUC', value, chance: 0.5, lift: 2 * value - 1, interval }
}

/**
 * Of what there is to find, or of the square of an error, an attack must get this share: more than it misses. That is what is asked of an attack
 * whose silence is to count, not a level of a test; whether it falls short by luck is tested below.
 */
const foundShare = 0.5

/** Errors are as long as their squares' roots: half of the square gone is less than half of the error. */
const ofErrors = 1 - Math.sqrt(1 - foundShare)

export const foundLiftOf = ({ metric }: Pick<Score, 'metric'>): number => (metric === 'MAE' ? ofErrors : foundShare)

/** Claims whose grade is one figure, of one number or one batch: by luck it may be right once. */
const ofOneFigure: ReadonlySet<string> = new Set(['label', 'label-mean', 'records', 'protocol'])

/** Claims about many records, or about all numbers of a model: what one batch or one ranking of few clients shows may be luck. */
const ofMany: ReadonlySet<string> = new Set(['attribute', 'members', 'model'])
const mayBeLuck = (kind: string): boolean => !ofMany.has(kind)

/** One attack on all plants in which there was anything to find, and whether it found it. */
export interface Tried {
  readonly told: readonly PlantedScore[]
  readonly found: boolean
}

/**
 * By the strongest plant in which there was anything to find. Who is guilty is guilty in all of them alike, so all count
 * together; of claims that are one figure the middle one counts.
 */
export function triedOn(weakestFirst: readonly PlantedScore[]): Tried | undefined {
  const told = weakestFirst.filter(({ score }) => score.lift !== null)
  const last = told.at(-1)
  if (last === undefined) return undefined
  const lifts = told.map(({ score }) => score.lift!)
  const { kind, score } = last
  const lift = kind === 'property' ? meanOf(lifts) : ofOneFigure.has(kind) ? medianOf(lifts) : score.lift!
  return { told, found: lift >= foundLiftOf(score) }
}

/** What else is known of an attack that did not find a plant. */
export interface Beside {
  /** Other attacks of the same observer on the same plants. */
  readonly others: readonly Tried[]
  /** How it did on the audit's own records. */
  readonly real: AttackResult
}

/**
 * Broken is what does certainly worse than somebody who found the same plants, and finds nothing in the audit's own
 * training either. Where nobody found them, or it does find what is there, such a leak may be out of its sight: it is blind here.
 */
export function judgePlants(tried: Tried | undefined, { others, real }: Beside): ControlResult {
  const last = tried?.told.at(-1)
  if (tried === undefined || last === undefined) return noControl('chance leaves no room above it')
  const { score } = last
  if (tried.found) return { status: 'passed', score, reason: 'found what was planted' }
  // Where all records have one value, an area under the curve tells nothing apart, however right every claim is.
  if (score.accuracy === 1) return { ...noControl('found, but the records are too alike to tell'), score }
  const missed = 'a leak was planted and not found'
  const seeing = others.filter((one) => one.found && sameQuestion(one.told.at(-1)!, last))
  if (seeing.length === 0) return { status: 'blind', score, reason: `${missed}, by no other attack either` }
  if (!seeing.some((one) => certainlyWorse(tried, one)))
    return { ...noControl(`${missed}, but the records are too few to tell it from an attack that found it`), score }
  if (works(real)) return { status: 'blind', score, reason: `${missed}, though the attack finds what there is` }
  return { status: 'broken', score, reason: `${missed}, and another attack found it: this one is broken here` }
}

const sameQuestion = (a: PlantedScore, b: PlantedScore): boolean =>
  a.kind === b.kind && a.name === b.name && a.score.metric === b.score.metric

/** Of a normal distribution, one side in twenty. */
const oneInTwenty = 1.6448536269514722

/**
 * By the sum over the plants of what one got more than the other, in its own deviations where all figures have intervals (they are
 * about the same records, so that these are no smaller than they should be); else where it got less in each of them and found none.
 */
function certainlyWorse(one: Tried, other: Tried): boolean {
  const pairs = one.told.flatMap((own) => {
    const theirs = other.told.find(({ plant }) => plant === own.plant)
    return theirs === undefined ? [] : [[own.score, theirs.score] as const]
  })
  if (pairs.length === 0) return false
  const less = pairs.map(([own, theirs]) => theirs.lift! - own.lift!)
  const deviations = pairs.flat().map(deviationOf)
  if (deviations.some((d) => d === undefined)) return less.every((x) => x > 0) && !foundOnce(one)
  const spread = Math.sqrt(deviations.reduce((sum: number, d) => sum + d! * d!, 0))
  return less.reduce((sum, x) => sum + x, 0) > oneInTwenty * spread
}

/** Whether it found some plant, stronger or weaker, and not by luck. */
const foundOnce = ({ told }: Tried): boolean =>
  told.some(({ kind, score }) => !mayBeLuck(kind) && score.lift! >= foundLiftOf(score))

/** Of a lift, from the interval of 95 % of the figure behind it. */
function deviationOf({ interval, value, chance, lift, better }: Score): number | undefined {
  if (interval === null || chance === null || lift === null) return undefined
  const perLift = lift === 0 ? Math.abs((better === 'higher' ? 1 : 0) - chance) : Math.abs((value - chance) / lift)
  return (interval[1] - interval[0]) / (2 * 1.959963984540054) / perLift
}

/** The same share of what an area could tell more than a coin, whatever could be guessed besides. */
const tellingArea = 0.5 + 0.5 * foundShare

/** Whether it finds what there is in the audit's own training, and not by luck. */
function works(real: AttackResult): boolean {
  const finding = worstFinding(real)
  if (finding === undefined || mayBeLuck(finding.claim.kind)) return false
  const score = rankedScore(finding)
  if (score.metric.toLowerCase() === 'auc')
    return score.value >= tellingArea && chanceExcluded({ ...score, chance: 0.5 })
  return score.lift !== null && score.lift >= foundLiftOf(score) && chanceExcluded(score)
}
