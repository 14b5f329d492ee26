/**
 * Confidence as the other trainings bear it out. Each of them is a rehearsal of this one: the dice fall anew on who is trained on,
 * or guilty, all turns are played by the engine, and the attack is asked again; a temperature is learned from what came true.
 * departs: the secret is not drawn from a prior that somebody would have to state, it is that of the client's own people.
 */
import {
  calibrationErrorOf,
  logOddsOf,
  type Reliability,
  reliabilityOf,
  type Sureness,
} from '../../metrics/confidence/sureness.js'
import { cooled, type Temperatures, temperaturesFrom } from '../../metrics/confidence/temperature.js'
import type { Answer } from './answer.js'

/** The share of wrong entries that a list of exposed records may be expected to have. */
const wrongShare = 0.05

/** From here on a claim counts as sure. */
const sureFrom = 0.95

/** What other trainings say of an attack's confidence. */
export interface Rehearsal {
  readonly temperatures: Temperatures
  /** Claims that it rests on. */
  readonly claims: number
  /** Those of them that a list may hold. */
  readonly listed: Sureness
}

/** Claims that are so sure and more, and how many of them were wrong. */
export interface SureClaims {
  readonly of: number
  readonly wrong: number
}

/** How an attack's confidence did, over all trainings, each judged by the others. */
export interface Confidence {
  readonly claims: number
  /** The middle one of the trainings' temperatures. */
  readonly temperature: number
  /** Expected calibration error as it was stated, and after rehearsal. */
  readonly error: readonly [stated: number, rehearsed: number]
  /** What it is made of, by ten bins of confidence: so that several audits can be put together. */
  readonly bins: readonly [stated: Reliability, rehearsed: Reliability]
  /** Claims of 0.95 and more, likewise. */
  readonly sure: readonly [stated: SureClaims, rehearsed: SureClaims]
  /** What a list of exposed ones would hold. */
  readonly exposed: SureClaims
}

type Answers = readonly (Answer | undefined)[]

/** From all trainings but this one, or from rehearsals of a recording; undefined where there is neither. */
export function rehearsalFor(answers: Answers, training: number): Rehearsal | undefined {
  const others = answers.flatMap((answer, s): Heard[] =>
    s === training || answer?.sureness === undefined ? [] : [answer],
  )
  if (others.length === 0) others.push(...(answers[training]?.rehearsals ?? []).map((sureness) => ({ sureness })))
  const heard = others.map(({ sureness }) => sureness!).filter(({ length }) => length > 0)
  if (heard.length === 0) return undefined
  const claims = heard.flat().reduce((sum, [, , of]) => sum + of, 0)
  return { temperatures: temperaturesFrom(heard), claims, listed: others.flatMap(listedOf) }
}

/** Claims that a list may hold: those about records, or those that accuse. */
const listedOf = ({ sureness = [], accusing = sureness }: Heard): Sureness => accusing

type Heard = Pick<Answer, 'sureness' | 'accusing'>

/** How probably a claim is right that an attack is so sure of. */
export const rehearsed = (sure: number, rehearsal: Rehearsal | undefined): number =>
  rehearsal === undefined ? sure : cooled(logOddsOf(sure), rehearsal.temperatures.middle)

/** The same with caution: where a training is as bad as one in ten. */
const atWorst = (sure: number, rehearsal: Rehearsal | undefined): number =>
  rehearsal === undefined ? sure : cooled(logOddsOf(sure), rehearsal.temperatures.high)

/**
 * How many of these, the surest first, may be listed: as many as keep the expected share of wrong ones small with caution, and of
 * claims as sure as the last one no larger a share was wrong in rehearsals.
 */
export function listable(surestFirst: readonly number[], rehearsal: Rehearsal | undefined): number {
  let [wrong, last] = [0, 0]
  for (const [i, sure] of surestFirst.entries()) {
    wrong += 1 - atWorst(sure, rehearsal)
    if (wrong <= wrongShare * (i + 1) && bornOut(sure, rehearsal)) last = i + 1
  }
  return last
}

/** Half a step of counting below, so that a claim is among those that it was counted with. */
const slack = 0.025

function bornOut(sure: number, rehearsal: Rehearsal | undefined): boolean {
  if (rehearsal === undefined) return true
  const { of, wrong } = atLeast(rehearsal.listed, logOddsOf(sure) - slack)
  return wrong <= wrongShare * of
}

function atLeast(claims: Sureness, odds: number): SureClaims {
  let [all, wrong] = [0, 0]
  for (const [l, right, of] of claims) {
    if (l < odds) continue
    all += of
    wrong += of - right
  }
  return { of: all, wrong }
}

/** Undefined where the attack does not say how sure it is, or there is one training alone. */
export function confidenceOf(answers: Answers): Confidence | undefined {
  const trainings = answers.flatMap((answer, s) => {
    const rehearsal = rehearsalFor(answers, s)
    return answer?.sureness === undefined || rehearsal === undefined
      ? []
      : [{ answer, own: answer.sureness, rehearsal }]
  })
  if (trainings.length === 0) return undefined
  const stated = trainings.flatMap(({ own }) => own)
  const after = trainings.flatMap(({ own, rehearsal: { temperatures } }) =>
    own.map(([l, right, of]) => [l / temperatures.middle, right, of] as const),
  )
  const lists = trainings.map(({ answer, rehearsal }) => listOf(listedOf(answer), rehearsal))
  const middles = trainings.map(({ rehearsal }) => rehearsal.temperatures.middle).sort((a, b) => a - b)
  const found = [reliabilityOf(stated), reliabilityOf(after)] as const
  const sure = (claims: Sureness): SureClaims => atLeast(claims, logOddsOf(sureFrom) - 1e-9)
  return {
    claims: stated.reduce((sum, [, , of]) => sum + of, 0),
    temperature: middles[middles.length >> 1]!,
    error: [calibrationErrorOf(found[0]), calibrationErrorOf(found[1])],
    bins: found,
    sure: [sure(stated), sure(after)],
    exposed: {
      of: lists.reduce((sum, { of }) => sum + of, 0),
      wrong: lists.reduce((sum, { wrong }) => sum + wrong, 0),
    },
  }
}

/** What would be listed of one training. */
function listOf(own: Sureness, rehearsal: Rehearsal): SureClaims {
  const claims = [...own].reverse().flatMap(([l, , of]) => Array<number>(of).fill(cooled(l, 1)))
  const most = listable(claims, rehearsal)
  let [of, wrong] = [0, 0]
  for (const [, right, all] of [...own].reverse()) {
    if (of + all > most) break
    of += all
    wrong += all - right
  }
  return { of, wrong }
}
