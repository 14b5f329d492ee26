/** The values of least loss for each record: all combinations when they are few, else one attribute after the other. */
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { meanOf } from '../../numeric/special/summaries.js'
import type { Energies } from './record-losses.js'
import { refined } from './refine-values.js'
import { fillInto, type Unknown, type Unknowns } from './unknown-columns.js'
import { type Noise, type Posterior, posteriorOf } from './value-posterior.js'

export interface SearchOptions {
  readonly energies: Energies
  /** The model's outputs for a squared loss, null for a log-likelihood. */
  readonly residuals: number | null
  /** Log shares of each attribute's candidates; undefined where equal. */
  readonly logPriors?: readonly (readonly number[] | undefined)[]
  readonly tick?: (done: number, total: number) => void
}

/** What is believed of one attribute. */
export interface Belief {
  /** Places among the candidates, or encoded numbers for a continuous attribute. */
  readonly values: Float64Array
  /** Probability of that value, or the standard error of a continuous one. */
  readonly confidence: Float64Array
}

export interface Found {
  readonly how: 'joint' | 'block-coordinate'
  readonly beliefs: readonly Belief[]
  /** For the attribute searched last, when they are searched one after the other. */
  readonly noise: Noise
  /** The records with the chosen values in place. */
  readonly filled: Matrix
}

/** Most combinations that are searched together. */
const mostCombinations = 64
const mostSweeps = 30

export function searchValues(unknowns: Unknowns, options: SearchOptions): Found {
  const { attributes } = unknowns
  const joint = attributes.reduce((product, { candidates }) => product * candidates.length, 1)
  const oneByOne = attributes.some(({ sensitive }) => sensitive.kind === 'continuous') || joint > mostCombinations
  return oneByOne ? searchBlocks(unknowns, options) : searchJointly(unknowns, options)
}

/** Every combination of the attributes' candidates, the last attribute running fastest. */
export function combinationsOf(attributes: readonly Unknown[]): number[][] {
  return attributes.reduce<number[][]>(
    (so, { candidates }) => so.flatMap((head) => candidates.map((_, v) => [...head, v])),
    [[]],
  )
}

/** The energies of each combination, each in one pass. */
export function energiesOfCombinations(unknowns: Unknowns, { energies, tick }: SearchOptions): Float64Array[] {
  const { attributes, known, labels } = unknowns
  const features = matrix(known.rows, known.cols, known.data.slice())
  const combinations = combinationsOf(attributes)
  return combinations.map((combination, at) => {
    tick?.(at, combinations.length)
    for (const [a, attribute] of attributes.entries()) {
      const value = attribute.candidates[combination[a]!]!
      fillInto(features, attribute, (_, c) => value[c]!)
    }
    return energies({ features, labels })
  })
}

function searchJointly(unknowns: Unknowns, options: SearchOptions): Found {
  const { attributes, known } = unknowns
  const combinations = combinationsOf(attributes)
  const costs = energiesOfCombinations(unknowns, options)
  const logPrior = jointPrior(combinations, options.logPriors)
  const posterior = posteriorOf(costs, { logPrior, residuals: options.residuals })
  const best = leastOf(costs, { posterior, logPrior })
  const n = known.rows
  const filled = matrix(n, known.cols, known.data.slice())
  const beliefs = attributes.map((attribute, a): Belief => {
    const values = Float64Array.from(best, (combination) => combinations[combination]![a]!)
    const confidence = new Float64Array(n)
    for (const [v, combination] of combinations.entries()) {
      for (let i = 0; i < n; i++)
        if (combination[a] === values[i]) confidence[i]! += posterior.shares[i * combinations.length + v]!
    }
    fillInto(filled, attribute, (i, c) => attribute.candidates[values[i]!]![c]!)
    return { values, confidence: confidence.map((p) => Math.min(1, p)) }
  })
  return { how: 'joint', beliefs, noise: posterior, filled }
}

function jointPrior(combinations: number[][], logPriors: SearchOptions['logPriors']): number[] | undefined {
  if (logPriors?.some((prior) => prior !== undefined) !== true) return undefined
  return combinations.map((one) => one.reduce((sum, v, a) => sum + (logPriors[a]?.[v] ?? 0), 0))
}

/** [aia] Eq. (3), ties to the first; with a prior the largest posterior instead. */
function leastOf(
  costs: readonly Float64Array[],
  { posterior: { shares }, logPrior }: { readonly posterior: Posterior; readonly logPrior: unknown },
): Int32Array {
  const K = costs.length
  return Int32Array.from(costs[0]!, (_, i) => {
    let best = 0
    for (let v = 1; v < K; v++) {
      const better =
        logPrior === undefined ? costs[v]![i]! < costs[best]![i]! : shares[i * K + v]! > shares[i * K + best]!
      if (better) best = v
    }
    return best
  })
}

/** Each attribute given the others, from their middles, until nothing changes. */
function searchBlocks(unknowns: Unknowns, options: SearchOptions): Found {
  const { attributes, known, labels } = unknowns
  const filled = matrix(known.rows, known.cols, known.data.slice())
  for (const attribute of attributes) {
    const { candidates } = attribute
    const middle = (c: number): number => meanOf(candidates.map((row) => row[c]!))
    fillInto(filled, attribute, (_, c) => middle(c))
  }
  const beliefs: Belief[] = []
  let noise: Noise = { scaleSq: 1, freedom: 1 }
  const sweeps = attributes.length === 1 ? 1 : mostSweeps
  for (let sweep = 0; sweep < sweeps; sweep++) {
    options.tick?.(sweep, sweeps)
    let changed = false
    for (const [a, attribute] of attributes.entries()) {
      const rest = { attributes: [attribute], known: filled, labels }
      const { belief, posterior } = oneOf(rest, { ...options, logPriors: [options.logPriors?.[a]] })
      noise = posterior
      const { kind } = attribute.sensitive
      fillInto(filled, attribute, (i, c) =>
        kind === 'continuous' ? belief.values[i]! : attribute.candidates[belief.values[i]!]![c]!,
      )
      const before = beliefs[a]?.values
      changed ||= before === undefined || belief.values.some((v, i) => Math.abs(v - before[i]!) > 1e-9 * Math.abs(v))
      beliefs[a] = belief
    }
    if (!changed) break
  }
  return { how: 'block-coordinate', beliefs, noise, filled }
}

function oneOf(one: Unknowns, options: SearchOptions): { belief: Belief; posterior: Posterior } {
  const attribute = one.attributes[0]!
  const costs = energiesOfCombinations(one, options)
  const logPrior = options.logPriors?.[0]
  const posterior = posteriorOf(costs, { logPrior, residuals: options.residuals })
  const best = leastOf(costs, { posterior, logPrior })
  const K = costs.length
  if (attribute.sensitive.kind === 'continuous') {
    const confidence = Float64Array.from(best, (_, i) =>
      deviationOf(posterior.shares.subarray(i * K, (i + 1) * K), attribute),
    )
    return { belief: { values: refined(one, best, { ...options, costs }), confidence }, posterior }
  }
  const confidence = Float64Array.from(best, (v, i) => posterior.shares[i * K + v]!)
  return { belief: { values: Float64Array.from(best), confidence }, posterior }
}

/** The deviation of a posterior over a grid, which is at least that of one cell. */
function deviationOf(shares: Float64Array, { candidates }: Unknown): number {
  const mean = shares.reduce((sum, p, v) => sum + p * candidates[v]![0]!, 0)
  const spread = shares.reduce((sum, p, v) => sum + p * (candidates[v]![0]! - mean) * (candidates[v]![0]! - mean), 0)
  const cell = candidates[1]![0]! - candidates[0]![0]!
  return Math.sqrt(spread + (cell * cell) / 12)
}
