/** What could be said of the same records without any message: the lowest rung. */
import type { Claim } from '../../attacks/claim.js'
import { guessesFor } from '../../metrics/cells/guesses.js'
import type { CellGuess } from '../../metrics/cells/public-guesses.js'
import type { GuessCell } from './answer.js'
import type { AskedList, Labelling } from './asked-records.js'
import { nameOf } from './asked-results.js'
import type { Asking } from './asking.js'

interface Guessed {
  readonly claim: Claim
  /** By which the claim is graded. */
  readonly metric: string
  readonly list: AskedList
  readonly candidates: readonly Labelling[]
}

/** The guess that does best on held-back records; undefined where nobody can guess. */
export function guessCell(asking: Asking, { claim, metric, list, candidates }: Guessed): GuessCell | undefined {
  const guesses = guessesAbout(asking, claim, list)
  let best: CellGuess | undefined
  for (const one of guesses) {
    if (one.gradable.metric !== metric || Number.isNaN(one.gradable.on(list.held))) continue
    if (best === undefined || ahead(one, best, list.held)) best = one
  }
  if (best === undefined) return undefined
  const { gradable: grade, words } = best
  const { right } = grade
  return {
    words,
    trained: grade.on(list.trained),
    held: grade.on(list.held),
    ...(right !== undefined && { right: list.trained.reduce((sum, at) => sum + right[at]!, 0) }),
    ...(asking.ask.dealtElsewhere && { p: halvesDiffer(grade, candidates) }),
  }
}

function ahead(one: CellGuess, other: CellGuess, rows: Int32Array): boolean {
  const [a, b] = [one.gradable.on(rows), other.gradable.on(rows)]
  return one.gradable.better === 'higher' ? a > b : a < b
}

/** Fitted once for all attacks on the same records. */
function guessesAbout({ guesses, known, ask }: Asking, claim: Claim, list: AskedList): readonly CellGuess[] {
  const batch = 'round' in claim && claim.round !== undefined ? list.trained.length : undefined
  const about = { kind: claim.kind, name: nameOf(claim), ...(batch !== undefined && { batchSize: batch }) }
  const key = JSON.stringify([about, ask.client, list.table.features.rows])
  const found = guesses.get(key) ?? guessesFor(about, { table: list.table, known })
  guesses.set(key, found)
  return found
}

/** Two-sided: the share of relabellings under which the halves differ at least as much as they do. */
function halvesDiffer(grade: CellGuess['gradable'], candidates: readonly Labelling[]): number {
  const apart = candidates.map(({ trained, held }) => Math.abs(grade.on(trained) - grade.on(held)))
  const tolerance = 1e-12 * Math.max(1, apart[0]!)
  return apart.filter((x) => x >= apart[0]! - tolerance).length / apart.length
}
