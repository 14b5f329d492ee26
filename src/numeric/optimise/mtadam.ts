/** MTAdam: several losses at once, the gradient of each brought to one size group by group. [malkiel2020] */
import { OverhearError } from '../../errors.js'
import { addScaledInto, norm } from '../linalg/vector.js'
import { totalOf } from '../special/summaries.js'
import { firstOrder, type Minimum, minimise, requireCount, requireNumber, type Stop } from './optimiser.js'

/** Entries `start` up to but not including `end` of the flat vector: one layer or tensor. */
export interface Group {
  readonly start: number
  readonly end: number
}

export interface MtAdamOptions {
  /** Number of losses. */
  readonly terms: number
  readonly learningRate?: number
  readonly beta1?: number
  readonly beta2?: number
  /** Memory of the averaged gradient norms. */
  readonly beta3?: number
  readonly tiny?: number
  /** Where gradients are balanced apart from each other; together they cover the vector. One group unless told. */
  readonly groups?: readonly Group[]
  /** The loss whose gradient norm the others are brought to. */
  readonly anchor?: number
  /** Size that each loss keeps relative to the anchor, 1 unless told. */
  readonly weights?: readonly number[]
  /** A loss whose averaged norm is at most this says nothing in that group: it is neither scaled nor an anchor. */
  readonly deadNorm?: number
}

export interface MtAdamState {
  readonly m: readonly Float64Array[] // first moment of each loss
  readonly v: readonly Float64Array[] // second moment of each loss
  readonly norms: Float64Array // [groups, terms] averaged gradient norms
  readonly groups: readonly Group[]
  steps: number
  beta1Power: number
  beta2Power: number
}

export interface MtAdam {
  readonly name: string
  readonly terms: number
  init(size: number): MtAdamState
  /** Moves `x` by one step along the gradients of the losses, in their order. */
  stepInto(x: Float64Array, gradients: readonly Float64Array[], state: MtAdamState): void
}

/**
 * For loss i and group l:  n_i ← β₃ n_i + (1 − β₃) ‖g_i‖,  g_i ← w_i (n_anchor / n_i) g_i,  then Adam's moments of g_i;
 *   x ← x − η Σ_i m̂_i / (max_i √v̂_i + tiny).
 * The average starts at the first norm. If the anchor is dead in a group, the first loss that is alive stands in.
 */
export function mtAdam(options: MtAdamOptions): MtAdam {
  const { terms: I, learningRate: eta = 1e-3, beta1 = 0.9, beta2 = 0.999, beta3 = 0.9 } = options
  const { tiny = 1e-8, anchor = 0, deadNorm = 1e-10, weights = Array.from({ length: I }, () => 1) } = options
  checkOptions({ ...options, learningRate: eta, beta1, beta2, beta3, tiny, anchor, deadNorm, weights })
  return {
    name: 'mtadam',
    terms: I,
    init(size) {
      const groups = options.groups ?? [{ start: 0, end: size }]
      checkGroups(groups, size)
      const moments = () => Array.from({ length: I }, () => new Float64Array(size))
      const norms = new Float64Array(groups.length * I)
      return { m: moments(), v: moments(), norms, groups, steps: 0, beta1Power: 1, beta2Power: 1 }
    },
    stepInto(x, gradients, state) {
      checkGradients(x, gradients, state)
      state.beta1Power *= beta1
      state.beta2Power *= beta2
      for (const [l, group] of state.groups.entries()) {
        const n = state.norms.subarray(l * I, (l + 1) * I)
        for (let i = 0; i < I; i++) {
          const size = norm(gradients[i]!.subarray(group.start, group.end))
          n[i] = state.steps === 0 ? size : beta3 * n[i]! + (1 - beta3) * size
        }
        const target = n[anchor]! > deadNorm ? n[anchor]! : (n.find((size) => size > deadNorm) ?? 0)
        const scale = n.map((size, i) => weights[i]! * (size > deadNorm ? target / size : 1))
        stepGroupInto(x, gradients, { ...group, scale, state, eta, beta1, beta2, tiny })
      }
      state.steps++
    },
  }
}

interface GroupStep extends Group {
  readonly scale: Float64Array // of each loss's gradient
  readonly state: MtAdamState
  readonly eta: number
  readonly beta1: number
  readonly beta2: number
  readonly tiny: number
}

function stepGroupInto(x: Float64Array, gradients: readonly Float64Array[], step: GroupStep): void {
  const { start, end, scale, state, eta, beta1, beta2, tiny } = step
  const { m, v } = state
  const correction1 = 1 - state.beta1Power
  const correction2 = 1 - state.beta2Power
  for (let j = start; j < end; j++) {
    let direction = 0
    let vMax = 0
    for (let i = 0; i < scale.length; i++) {
      const g = scale[i]! * gradients[i]![j]!
      const mNext = beta1 * m[i]![j]! + (1 - beta1) * g
      const vNext = beta2 * v[i]![j]! + (1 - beta2) * g * g
      m[i]![j] = mNext
      v[i]![j] = vNext
      direction += mNext / correction1
      vMax = Math.max(vMax, vNext)
    }
    x[j]! -= (eta * direction) / (Math.sqrt(vMax / correction2) + tiny)
  }
}

export interface TermsEvaluation {
  readonly values: ArrayLike<number>
  readonly gradients: readonly Float64Array[]
}

/** Several losses at one point; as with `Objective`, the gradients may be buffers that the next call overwrites. */
export type TermsObjective = (x: Float64Array) => TermsEvaluation

export interface TermsStop extends Stop {
  /** Brings x back into a set after each step, for instance a box. */
  readonly projectInto?: (x: Float64Array) => void
}

/** Runs MTAdam under the usual rules, which see the plain sum of the losses; `termValues` are the losses at `x`. */
export function minimiseTerms(
  method: MtAdam,
  objective: TermsObjective,
  x0: Float64Array,
  stop: TermsStop,
): Minimum & { readonly termValues: Float64Array } {
  let gradients: readonly Float64Array[] = [] // at the latest point, which is where the next step starts
  const sum = new Float64Array(x0.length)
  const total = (x: Float64Array) => {
    const terms = objective(x)
    if (terms.values.length !== method.terms || terms.gradients.length !== method.terms) {
      const found = `${terms.values.length} values and ${terms.gradients.length} gradients`
      throw new OverhearError(
        'E_SHAPE',
        `the objective gave ${found}`,
        `the method was made for ${method.terms} losses`,
      )
    }
    gradients = terms.gradients
    sum.fill(0)
    for (const g of gradients) addScaledInto(sum, g, 1)
    return { value: totalOf(terms.values), gradient: sum }
  }
  const balanced = firstOrder<MtAdamState>({
    name: method.name,
    init: (size) => method.init(size),
    stepInto(x, _sum, state) {
      method.stepInto(x, gradients, state)
      stop.projectInto?.(x)
    },
  })
  const minimum = minimise(balanced, total, x0, stop)
  return { ...minimum, termValues: Float64Array.from(objective(minimum.x).values) }
}

function checkOptions(options: Required<Omit<MtAdamOptions, 'groups'>>): void {
  const { terms, learningRate, beta1, beta2, beta3, tiny, anchor, deadNorm, weights } = options
  requireCount('terms', terms, 1)
  requireNumber('learningRate', learningRate, { above: 0 })
  for (const [name, beta] of Object.entries({ beta1, beta2, beta3 })) requireNumber(name, beta, { min: 0, below: 1 })
  requireNumber('tiny', tiny, { above: 0 })
  requireNumber('deadNorm', deadNorm, { min: 0 })
  requireCount('anchor', anchor, 0)
  if (anchor >= terms)
    throw new OverhearError('E_VALUE', `anchor is ${anchor}`, `there are ${terms} losses, counted from 0`)
  if (weights.length !== terms) {
    throw new OverhearError(
      'E_SHAPE',
      `weights has ${weights.length} entries`,
      `it needs one for each of ${terms} losses`,
    )
  }
  for (const [i, weight] of weights.entries()) requireNumber(`weights[${i}]`, weight, { min: 0 })
}

function checkGroups(groups: readonly Group[], size: number): void {
  let next = 0
  for (const { start, end } of groups) {
    if (start !== next || !Number.isInteger(end) || end < start) {
      throw new OverhearError('E_VALUE', `a group spans ${start} to ${end}`, `the next group starts at ${next}`)
    }
    next = end
  }
  if (next !== size) {
    throw new OverhearError('E_SHAPE', `the groups end at ${next}`, `they must cover all ${size} entries of the vector`)
  }
}

function checkGradients(x: Float64Array, gradients: readonly Float64Array[], { m }: MtAdamState): void {
  const size = m[0]!.length
  const odd = gradients.findIndex((g) => g.length !== size)
  if (x.length === size && odd < 0 && gradients.length === m.length) return
  throw new OverhearError(
    'E_SHAPE',
    `a step was given a point of ${x.length} and gradients of ${gradients.map((g) => g.length).join(', ')}`,
    `it needs ${m.length} gradients of ${size}, as the point`,
  )
}
