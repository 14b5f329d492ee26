/** Everything that one inference by per-record gradients rests on: rounds, candidate records, factors. */
import type { ModelFunctions } from '../../../models/functions.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import type { View } from '../../../threat/granted-keys.js'
import type { KeptPlays } from '../../shared/kept-plays.js'
import { fillInto, type Unknown, type Unknowns } from '../unknown-columns.js'
import { layersLayout, writtenLayout } from './column-layout.js'
import { type Gram, gramOf } from './difference-gram.js'
import { differencesOf, layersOf } from './gradient-differences.js'
import type { LinearRound, LinearRounds } from './gradient-sums.js'
import { type Factors, factorsOf } from './record-columns.js'
import { type Candidates, type RecordGradients, recordGradients, type TrainedLoss } from './record-gradients.js'
import { writtenColumns } from './written-columns.js'

/** Whether messages are trusted in length: by the stated rate, up to one factor, or up to a factor each. */
export type RateMode = 'known' | 'one' | 'each'

export interface Problem {
  readonly rounds: readonly LinearRound[]
  readonly steps: number
  readonly rate: RateMode
  /** Records the client trains on; those of `candidates` may be fewer. */
  readonly samples: number
  readonly functions: ModelFunctions
  readonly candidates: Candidates
  readonly gradients: RecordGradients
  /** Absent when the model is not fully connected and has too many parameters. */
  readonly factors?: Factors
  /** Absent when there are no factors or too many unknowns. */
  readonly gram?: Gram
  readonly view: View<'model' | 'loss' | 'protocol'>
  /** What was played of some rounds: one start after another comes by the same values. A problem made of this one has rounds of its own. */
  readonly plays: WeakMap<readonly LinearRound[], KeptPlays>
}

/** Most unknowns for which their Gram matrix is formed. */
const mostGram = 5000
/** Most numbers in a D that is written down. */
const mostExplicit = 2e7

export interface ProblemInput {
  readonly view: View<'model' | 'loss' | 'protocol'>
  readonly functions: ModelFunctions
  readonly candidates: Candidates
  /** The columns in which the candidates differ. */
  readonly places: readonly number[]
  readonly turns: Pick<LinearRounds, 'rounds' | 'steps'>
  readonly samples: number
  readonly rate: RateMode
}

export function problemOf({ view, functions, candidates, places, turns, samples, rate }: ProblemInput): Problem {
  const { lossScale, differentialPrivacy } = view.protocol
  const trained: TrainedLoss = { loss: view.loss, lossScale, maxNorm: differentialPrivacy?.maxNorm ?? undefined }
  const gradients = recordGradients(functions, trained, candidates)
  const input = { functions, trained, candidates, gradients, places }
  const plan = layersOf(input)
  const N = candidates.records * (candidates.features.length - 1)
  const { rounds, steps } = turns
  const whole = { rounds, steps, rate, samples, functions, candidates, gradients, view, plays: new WeakMap() }
  const [n, values, size] = [candidates.records, candidates.features.length, functions.size]
  if (plan === undefined) {
    if (N * size > mostExplicit) return whole
    const layout = writtenLayout({ n, values, size })
    return { ...whole, factors: factorsOf(layout, writtenColumns(input)), gram: gramOf(layout) }
  }
  const { cols: k, data } = candidates.features[0]!
  const { bias, widths } = plan
  const layout = layersLayout({ n, values, features: data, k, h: widths[0]!.out, bias, places, size })
  const factors = factorsOf(layout, differencesOf(input, plan, layout))
  return N > mostGram ? { ...whole, factors } : { ...whole, factors, gram: gramOf(layout) }
}

/** Gives the kernel memory of a problem back. */
export function releaseProblem({ factors, gram }: Pick<Problem, 'factors' | 'gram'>): void {
  factors?.release()
  gram?.release()
}

/** The records once for each combination of values, in the order of `combinations`. */
export function candidatesOf(
  { known, labels }: Pick<Unknowns, 'known' | 'labels'>,
  attributes: readonly Unknown[],
  combinations: readonly (readonly number[])[],
): Candidates {
  const features = combinations.map((combination): Matrix => {
    const own = matrix(known.rows, known.cols, known.data.slice())
    for (const [a, attribute] of attributes.entries()) {
      const value = attribute.candidates[combination[a]!]!
      fillInto(own, attribute, (_, c) => value[c]!)
    }
    return own
  })
  return { records: known.rows, features, labels }
}

/** Shares of the values beside the first, as weights over all of them: value 0 has what is left. */
export function allShares(p: Float64Array, n: number): Float64Array {
  const out = new Float64Array(p.length + n)
  out.set(p, n)
  for (let i = 0; i < n; i++) {
    let left = 1
    for (let at = i; at < p.length; at += n) left -= p[at]!
    out[i] = left
  }
  return out
}
