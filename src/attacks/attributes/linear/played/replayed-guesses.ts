/**
 * Turns that end alike whenever they are played alike: guesses are right where turns played with them end where the client
 * ended, to the rounding of its numbers. Guesses that are not are mended by what each of them changes.
 */
import { closestChoice } from '../../../../numeric/linalg/closest-choice.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { leastSquaresQr } from '../../../../numeric/linalg/qr.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import { mostExcess, nearby } from '../flip-guesses.js'
import type { Problem } from '../linear-problem.js'
import { roundsFor, type Stage, stageOf } from './replay-stage.js'

export interface Replayed {
  readonly guesses: Int32Array
  /** |message - what is played| / |message|, the root of the mean square over the rounds that were played. */
  readonly misfit: number
  /** What is left, over what rounding explains: about 1 if all are right. */
  readonly excess: number
  /** For each record the probability of its guess against all that differ in it and at most one other; 0 where rounding does not explain what is left. */
  readonly confidence: Float64Array
}

/** Records times steps times parameters that all flips of one look may cost, and how often flips are looked at from one start. */
const [mostWork, mostLooks] = [1.5e9, 8]
/** Branches of the search for changes that go together: where guesses can be mended at all, tens are enough. */
const mostBranches = 2000

/** Where even the best values leave so much of the messages, they did not come from these records in this way. */
export const foreign = 0.5

/** Whether what every single guess changes can be played at a reasonable cost. */
export function canMend({ gradients, steps, rounds, samples, rate }: Problem): boolean {
  const { values, size, records } = gradients
  const flips = records * (values - 1)
  const turns = Math.min(rounds.length, roundsFor(flips, size))
  return rate === 'known' && flips * turns * steps * samples * size <= mostWork
}

/** The best that starts lead to, of which there is at least one; the first that explains the messages ends the search. */
export function mended(problem: Problem, starts: readonly Int32Array[]): Replayed {
  const stage = stageOf(problem)
  let best = descended(problem, stage, starts[0]!)
  for (const start of starts.slice(1)) {
    if (best.squares <= mostExcess * mostExcess * stage.heard.length) break
    const found = descended(problem, stage, start)
    if (found.squares < best.squares) best = found
  }
  const out = concluded(problem, stage, best)
  stage.release()
  return out
}

/** These guesses as they are. */
export function replayed(problem: Problem, guesses: Int32Array): Replayed {
  const stage = stageOf(problem)
  const out = concluded(problem, stage, standing(stage, guesses))
  stage.release()
  return out
}

/** Whether turns played with these values end as the client's did, to rounding. */
export function endsAlike(problem: Problem, guesses: Int32Array): boolean {
  const stage = stageOf(problem)
  const { squares } = standing(stage, guesses)
  const most = mostExcess * mostExcess * stage.heard.length
  stage.release()
  return squares <= most
}

/** A message beside what the same turn gives when it is played with some values; both as gradients. */
interface PlayedMessage {
  readonly heard: Float64Array
  readonly played: Float64Array
  /** The model that was sent. */
  readonly theta: Float64Array
}

export function playedOver(problem: Problem, guesses: Int32Array): PlayedMessage[] {
  const stage = stageOf(problem)
  const left = stage.leftBy(guesses)
  stage.release()
  const P = problem.gradients.size
  return stage.thetas.map((theta, t) => {
    const heard = stage.heard.slice(t * P, (t + 1) * P)
    return { heard, theta, played: heard.map((x, j) => x - left[t * P + j]! * stage.slack[t * P + j]!) }
  })
}

interface Standing {
  readonly guesses: Int32Array
  /** What is left of the messages, in units of their rounding, and its square. */
  readonly left: Float64Array
  readonly squares: number
}

function standing(stage: Stage, guesses: Int32Array): Standing {
  const left = stage.leftBy(guesses)
  const squares = dot(left, left)
  return { guesses, left, squares: Number.isFinite(squares) ? squares : Number.POSITIVE_INFINITY }
}

/** From a start on: the changes that together explain most of what is left, or else the single one that does. */
function descended(problem: Problem, stage: Stage, start: Int32Array): Standing {
  const { records: n, values } = problem.gradients
  let now = standing(stage, start)
  for (let k = 0; k < mostLooks && now.squares > mostExcess * mostExcess * stage.heard.length; k++) {
    if (!Number.isFinite(now.squares)) break
    const flips = flipsOf(problem, stage, now)
    const columns = flips.map(({ left }) => now.left.map((x, j) => x - left[j]!))
    if (k === 0 && !(misfitOf(stage, now) < foreign) && !(leastLeft(stage, now, columns) < foreign)) break
    const { taken } = closestChoice(columns, now.left, { perGroup: values - 1, mostBranches })
    const together = now.guesses.slice()
    for (let i = 0; i < n; i++) if (taken[i]! > 0) together[i] = flips[i * (values - 1) + taken[i]! - 1]!.to
    const single = flips.reduce((least, one) => (one.squares < least.squares ? one : least))
    const next = [standing(stage, together), single].reduce((a, b) => (b.squares < a.squares ? b : a))
    if (!(next.squares < (1 - 1e-9) * now.squares)) break
    now = next
  }
  return now
}

/** The share of the messages that is left where every change may be made by any part of it: whole changes leave more, about. */
function leastLeft({ heard, slack }: Stage, { left }: Standing, columns: readonly Float64Array[]): number {
  const A = matrix(heard.length, columns.length)
  for (const [c, column] of columns.entries()) {
    for (let at = 0; at < heard.length; at++) A.data[at * columns.length + c] = column[at]! * slack[at]!
  }
  if (!A.data.every(Number.isFinite)) return 0
  const { residualNormSq } = leastSquaresQr(A, matrix(heard.length, 1, left.map((x, at) => x * slack[at]!))) // biome-ignore format: one line
  return Math.sqrt(residualNormSq[0]! / Math.max(dot(heard, heard), 1e-300))
}

interface Flip extends Standing {
  readonly to: number
}

/** Every other value of every record: [records][values - 1]. */
function flipsOf({ gradients }: Problem, stage: Stage, { guesses }: Standing): Flip[] {
  const { records: n, values } = gradients
  return Array.from({ length: n * (values - 1) }, (_, c): Flip => {
    const [i, o] = [Math.floor(c / (values - 1)), c % (values - 1)]
    const to = o < guesses[i]! ? o : o + 1
    const flipped = guesses.slice()
    flipped[i] = to
    return { ...standing(stage, flipped), to }
  })
}

/** How sure the guesses are: what others would change, beside what is left. */
function concluded(problem: Problem, stage: Stage, found: Standing): Replayed {
  const { records: n, values } = problem.gradients
  const { guesses } = found
  const left = Math.sqrt(found.squares / found.left.length)
  if (left > mostExcess)
    return { guesses, excess: left, confidence: new Float64Array(n), misfit: misfitOf(stage, found) }
  const flips = flipsOf(problem, stage, found)
  // As `nearby` has them: column (o n + i) is what record i's o-th other value adds, and all have value 0 now.
  const columns = Array.from({ length: n * (values - 1) }, (_, c) => {
    const [o, i] = [Math.floor(c / n), c % n]
    const { left } = flips[i * (values - 1) + o]!
    return found.left.map((x, j) => x - left[j]!)
  })
  const slack = new Float64Array(found.left.length).fill(1)
  const { excess, confidence } = nearby(new Int32Array(n), { columns, y: found.left, n, slack })
  return { guesses, excess, confidence, misfit: misfitOf(stage, found) }
}

function misfitOf({ heard, slack }: Stage, { left }: Standing): number {
  let [miss, size] = [0, 0]
  for (let at = 0; at < heard.length; at++) {
    miss += left[at]! * slack[at]! * (left[at]! * slack[at]!)
    size += heard[at]! * heard[at]!
  }
  return Math.sqrt(miss / Math.max(size, 1e-300))
}
