/** The rows of the test that a question has: the best attack's scores under every candidate, training by training. */
import { rng } from '../../numeric/random/rng.js'
import { largestMagnitude } from '../../numeric/special/summaries.js'
import { match, matchings } from '../../verdict/matchings.js'
import type { Deal, Row, Step } from '../../verdict/tables.js'
import type { Answer } from './answer.js'
import type { AskedQuestion } from './asked-results.js'

/** The most matchings that a client step is held against, where they are not all listed. */
const mostMatchings = 999

/** Differences of scores that are smaller, beside the scores, are none. */
const rounding = 1e-12

/** All rows of one question; none where no attack answered. */
export function rowsOf(question: AskedQuestion, id: string): Row[] {
  const { attacks } = question
  const repeats = attacks[0]?.answers.length ?? 0
  const byTraining = Array.from({ length: repeats }, (_, s) => attacks.flatMap(({ answers }) => answers[s] ?? []))
  const ranked = question.target === null
  return [
    ...rowOf(`${id} ${ranked ? 'clients' : 'records'}`, ranked ? 'property' : 'record', {
      how: ranked ? 'clients' : 'relabel',
      byTraining,
    }),
    ...rowOf(`${id} lists`, 'record', { how: 'swap', byTraining }),
    ...matchingRow(`${id} matching`, byTraining),
  ]
}

interface From {
  readonly how: Answer['how']
  readonly byTraining: readonly (readonly Answer[])[]
}

/** One deal for each training in which some attack answered so. */
function rowOf(id: string, step: Step, { how, byTraining }: From): Row[] {
  const deals = byTraining.flatMap((answers, training): Deal[] => {
    const own = answers.filter((one) => one.how === how)
    const rivals = how === 'swap' ? answers.filter((one) => one.how === 'relabel').map(swapped) : []
    const deal = own.length === 0 ? undefined : dealOf([...own, ...rivals], training)
    // Where nothing that can be graded was claimed under some candidate, the training says nothing.
    return deal?.T.every(Number.isFinite) ? [deal] : []
  })
  if (deals.length === 0) return []
  // Clients and records are not dealt together: their candidates are other answers, however many there are.
  return [{ id, step, stratum: `${how} ${shapeOf(deals)}`, deals }]
}

/** The number of candidates, where all trainings have as many: whoever lacks one shares the draws of the others. */
function shapeOf(deals: readonly Deal[]): string {
  const [first] = deals
  const alike = deals.every(({ T }) => T.length === first!.T.length)
  return alike ? `${first!.T.length}` : deals.map(({ training, T }) => `${training}:${T.length}`).join(' ')
}

/**
 * A claim about each record, on the same halves that are swapped. Lists compete with all attacks: what another attack says of
 * records that were not trained on is no gain of having trained on these, however badly an attack on a list fails there.
 */
const swapped = (one: Answer): Answer => ({
  ...one,
  trained: [one.trained[0]!, one.held[0]!],
  held: [one.held[0]!, one.trained[0]!],
  contrast: [1, -1],
})

/** For every candidate the best score on what it calls trained, less the best on what it calls held back. */
function dealOf(answers: readonly Answer[], training: number): Deal {
  const [first] = answers
  const best = (list: (one: Answer) => readonly number[], k: number): number => {
    let most = Number.NEGATIVE_INFINITY
    for (const one of answers) {
      const score = signed(list(one)[k]!, one)
      if (score > most) most = score // not so for NaN: nothing was claimed there
    }
    return most
  }
  const T = Float64Array.from(first!.trained, (_, k) => best(({ trained }) => trained, k) - best(({ held }) => held, k))
  return { training, T, contrast: Float64Array.from(first!.contrast) }
}

/** More is worse. */
export const signed = (value: number, { better }: Pick<Answer, 'better'>): number =>
  better === 'higher' ? value : -value

/**
 * Whose messages belong to whose people. The clients are the same in every training, so one matching holds for all of
 * them: what is not dealt anew counts once, however often it is trained.
 */
function matchingRow(id: string, byTraining: readonly (readonly Answer[])[]): Row[] {
  const trained = byTraining
    .map((answers) => answers.flatMap((one) => (one.seats === undefined ? [] : [signedMatrix(one)])))
    .filter((matrices) => matrices.length > 0)
  const seats = trained[0]?.[0]?.length
  if (seats === undefined) return []
  const sets = matchings(seats, { most: mostMatchings, rng: rng('matchings').fork(seats) })
  const deals = trained.map((matrices, s) => match(s, sets, matrices))
  const mean = deals[0]!.T.map((_, k) => deals.reduce((sum, deal) => sum + deal.T[k]!, 0) / deals.length)
  const largest = largestMagnitude(trained.flat(3))
  // Whoever says the same of everybody matches nobody: what is left of it is rounding.
  const T = largestMagnitude(mean) > rounding * largest ? mean : mean.fill(0)
  return [
    { id, step: 'client', stratum: `matching ${T.length}`, deals: [{ training: 0, T, contrast: deals[0]!.contrast }] },
  ]
}

const signedMatrix = (one: Answer): number[][] => one.seats!.map((row) => row.map((value) => signed(value, one)))
