/** The rungs of a question: the best attack's score in each cell, a mean over the trainings. */
import { studentQuantile } from '../../numeric/special/student-t.js'
import { meanOf, squaresAbout } from '../../numeric/special/summaries.js'
import type { Answer } from './answer.js'
import type { AskedAttack, AskedQuestion } from './asked-results.js'
import type { AttackLadder, Ladder, Question, Rung } from './question.js'
import { signed } from './question-rows.js'
import { confidenceOf } from './rehearsed-confidence.js'

type Cell = Exclude<Rung, 'guess'>

/** Members have no rung without the target's messages but chance; clients that are ranked have one rung alone. */
const cells: Readonly<Record<Cell, (answer: Answer) => number | undefined>> = {
  federation: ({ federation }) => federation,
  client: ({ held, how }) => (how === 'clients' ? undefined : held[0]),
  record: ({ trained }) => trained[0],
  everybody: ({ everybody }) => everybody,
}

export interface Rungs {
  readonly ladder: Ladder
  readonly by: Question['by']
  readonly attacks: readonly AttackLadder[]
}

/** Undefined where no attack answered in any training. */
export function rungsOf({ attacks, target }: AskedQuestion): Rungs | undefined {
  const first = attacks.flatMap(({ answers }) => answers).find((one) => one !== undefined)
  if (first === undefined) return undefined
  const { metric, better, best } = first
  const values: Partial<Record<Rung, number>> = {}
  const by: Partial<Record<Rung, string>> = {}
  for (const cell of Object.keys(cells) as Cell[]) {
    const found = bestIn(attacks, cells[cell])
    if (found === undefined) continue
    values[cell] = found.value
    by[cell] = found.by
  }
  const guess = guessOf(attacks)
  if (guess !== undefined) {
    values.guess = guess.value
    by.guess = guess.words
  } else if (target === null || first.kind === 'members') values.guess = metric === 'AUC' ? 0.5 : 0
  const rung = (name: Rung): number | null => values[name] ?? null
  return {
    ladder: {
      metric,
      better,
      best,
      guess: rung('guess'),
      guesser: guess?.words ?? null,
      federation: rung('federation'),
      client: rung('client'),
      record: rung('record'),
      everybody: rung('everybody'),
    },
    by,
    attacks: attacks.map(ladderOf).filter(({ cells: own }) => Object.keys(own).length > 0),
  }
}

/** The mean over trainings of the best score, and the attack that has the best mean. */
function bestIn(
  attacks: readonly AskedAttack[],
  of: (answer: Answer) => number | undefined,
): { readonly value: number; readonly by: string } | undefined {
  const repeats = attacks[0]?.answers.length ?? 0
  const perTraining = Array.from({ length: repeats }, (_, s) => {
    const scores = attacks.flatMap(({ answers }) => {
      const [answer, value] = [answers[s], answers[s] && of(answers[s])]
      return answer === undefined || value === undefined ? [] : [{ value, worth: signed(value, answer) }]
    })
    return scores.reduce<(typeof scores)[number] | undefined>(
      (a, b) => (a === undefined || b.worth > a.worth ? b : a),
      undefined,
    )
  }).flatMap((one) => one ?? [])
  if (perTraining.length === 0) return undefined
  let winner: { id: string; worth: number } | undefined
  for (const { id, answers } of attacks) {
    const own = answers.flatMap((answer) => {
      const value = answer && of(answer)
      return answer === undefined || value === undefined ? [] : [signed(value, answer)]
    })
    if (own.length === 0) continue
    const worth = meanOf(own)
    if (winner === undefined || worth > winner.worth) winner = { id, worth }
  }
  return { value: meanOf(perTraining.map(({ value }) => value)), by: winner!.id }
}

/** Beyond this the federation is ahead of the guess by more than the trainings' own spread. */
const ahead = 0.95

/** Whether a federation without the client tells more than a guess, training by training, and not by luck. */
export function federationTells({ attacks }: AskedQuestion): boolean {
  const repeats = attacks[0]?.answers.length ?? 0
  const apart = Array.from({ length: repeats }, (_, s) => {
    const answers = attacks.flatMap(({ answers }) => answers[s] ?? [])
    const [first] = answers
    const guess = answers.find((one) => one.guess !== undefined)?.guess
    const heard = answers.flatMap((one) => (one.federation === undefined ? [] : [signed(one.federation, one)]))
    return guess === undefined || heard.length === 0 ? [] : [Math.max(...heard) - signed(guess.held, first!)]
  }).flat()
  if (apart.length < 2) return apart.length === 1 && apart[0]! > 0
  const mean = meanOf(apart)
  const error = Math.sqrt(squaresAbout(apart, mean) / (apart.length - 1) / apart.length)
  return mean > studentQuantile(ahead, apart.length - 1) * error
}

/** The best guess of each training on its held-back records; what it is called, most often. */
function guessOf(attacks: readonly AskedAttack[]): { readonly value: number; readonly words: string } | undefined {
  const repeats = attacks[0]?.answers.length ?? 0
  const found = Array.from({ length: repeats }, (_, s) =>
    attacks.map(({ answers }) => answers[s]?.guess).find((one) => one !== undefined),
  ).flatMap((one) => one ?? [])
  if (found.length === 0) return undefined
  const counts = new Map<string, number>()
  for (const { words } of found) counts.set(words, (counts.get(words) ?? 0) + 1)
  const [words] = [...counts].sort(([, a], [, b]) => b - a)[0]!
  return { value: meanOf(found.map(({ held }) => held)), words }
}

function ladderOf({ id, params, answers }: AskedAttack): AttackLadder {
  const own: Partial<Record<Cell, number>> = {}
  for (const cell of Object.keys(cells) as Cell[]) {
    const values = answers.flatMap((one) => (one === undefined ? [] : (cells[cell](one) ?? [])))
    if (values.length > 0) own[cell] = meanOf(values)
  }
  const confidence = confidenceOf(answers)
  return { attack: id, params, cells: own, ...(confidence !== undefined && { confidence }) }
}
