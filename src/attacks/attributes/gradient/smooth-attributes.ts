/** Attributes made smooth: logits of each record's values, Gumbel noise, and the columns that they stand for. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, sigmoid } from '../../../numeric/special/elementary-functions.js'
import { fillInto, type Unknown } from '../unknown-columns.js'

export interface RelaxationOptions {
  /** straight-through: whole values forward, smooth ones backward; soft: smooth both ways. */
  readonly variant: 'straight-through' | 'soft'
  /** Draws of noise for two values: two make the right relaxation, one is what is published. */
  readonly draws: number
  readonly temperature: number
  /** Standard normal logits, or none. */
  readonly start: 'normal' | 'zero'
}

/** One attribute of all records. */
export interface Relaxed {
  readonly attribute: Unknown
  /** [n, width]: one logit for two values (of the second against the first) or a continuous one, else one per value. */
  readonly logits: Float64Array
  readonly width: number
}

export function relaxed(attribute: Unknown, n: number, { start }: RelaxationOptions, rng: Rng): Relaxed {
  const { kind } = attribute.sensitive
  const width = kind === 'continuous' || attribute.candidates.length === 2 ? 1 : attribute.candidates.length
  const logits = start === 'normal' ? rng.normals(n * width) : new Float64Array(n * width)
  return { attribute, logits, width }
}

/** A draw: what goes into the records, and how the logits feel a slope in their columns. */
export interface Draw {
  /** [n, width]: shares before they are made whole. */
  readonly shares: Float64Array
}

/** Writes a noisy draw of the attribute into the records. */
export function drawInto(records: Matrix, one: Relaxed, options: RelaxationOptions & { readonly rng: Rng }): Draw {
  const { attribute, logits, width } = one
  const { variant, draws, temperature: tau, rng } = options
  const n = records.rows
  const shares = new Float64Array(n * width)
  if (attribute.sensitive.kind === 'continuous') {
    for (let i = 0; i < n; i++) shares[i] = sigmoid(logits[i]!)
  } else if (width === 1) {
    for (let i = 0; i < n; i++) {
      const noise = draws === 0 ? 0 : draws === 1 ? rng.gumbel() : rng.gumbel() - rng.gumbel()
      shares[i] = sigmoid((logits[i]! + noise) / tau)
    }
  } else {
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < width; v++)
        shares[i * width + v] = (logits[i * width + v]! + (draws === 0 ? 0 : rng.gumbel())) / tau
      softmaxInto(shares.subarray(i * width, (i + 1) * width))
    }
  }
  const whole = variant === 'straight-through' && attribute.sensitive.kind !== 'continuous'
  writeInto(records, one, whole ? roundedShares(shares, width) : shares)
  return { shares }
}

/** Moves the logits up the slope: `slope` is [n, places], of all attributes' columns side by side. */
export function climb(
  { attribute, logits, width }: Relaxed,
  { shares }: Draw,
  step: {
    readonly slope: Float64Array
    readonly places: number
    readonly from: number
    readonly rate: number
    readonly tau: number
  },
): void {
  const { slope, places, from, rate, tau } = step
  const columns = attribute.places.length
  const n = logits.length / width
  const { candidates, sensitive } = attribute
  for (let i = 0; i < n; i++) {
    const at = i * places + from
    if (width === 1) {
      const p = shares[i]!
      const [low, high] = endsOf(attribute)
      let by = 0
      for (let c = 0; c < columns; c++) by += slope[at + c]! * (high[c]! - low[c]!)
      logits[i]! += (rate * by * p * (1 - p)) / (sensitive.kind === 'continuous' ? 1 : tau)
      continue
    }
    // d share_u / d logit_v = share_u ([u = v] - share_v) / tau
    const worth = candidates.map((value) => value.reduce((sum, x, c) => sum + x * slope[at + c]!, 0))
    const mean = worth.reduce((sum, x, v) => sum + x * shares[i * width + v]!, 0)
    for (let v = 0; v < width; v++) logits[i * width + v]! += (rate * shares[i * width + v]! * (worth[v]! - mean)) / tau
  }
}

/** The values that the logits stand for, without noise; ties to the first. */
export function valuesOf({ attribute, logits, width }: Relaxed): Float64Array {
  const n = logits.length / width
  const { sensitive } = attribute
  if (sensitive.kind === 'continuous') {
    const [low, high] = sensitive.range
    return logits.map((x) => low + (high - low) * sigmoid(x))
  }
  if (width === 1) return logits.map((x) => Number(x > 0))
  return Float64Array.from({ length: n }, (_, i) => {
    let best = 0
    for (let v = 1; v < width; v++) if (logits[i * width + v]! > logits[i * width + best]!) best = v
    return best
  })
}

/** Writes values, as `valuesOf` gives them, into the records. */
export function fillValues(records: Matrix, attribute: Unknown, values: Float64Array): void {
  const { sensitive, candidates } = attribute
  fillInto(records, attribute, (i, c) => (sensitive.kind === 'continuous' ? values[i]! : candidates[values[i]!]![c]!))
}

export const copyOf = ({ rows, cols, data }: Matrix): Matrix => matrix(rows, cols, data.slice())

function endsOf({ sensitive, candidates }: Unknown): readonly [readonly number[], readonly number[]] {
  if (sensitive.kind === 'continuous') return [[sensitive.range[0]], [sensitive.range[1]]]
  return [candidates[0]!, candidates[1]!]
}

function writeInto(records: Matrix, { attribute, width }: Relaxed, shares: Float64Array): void {
  if (width === 1) {
    const [low, high] = endsOf(attribute)
    fillInto(records, attribute, (i, c) => low[c]! + shares[i]! * (high[c]! - low[c]!))
    return
  }
  fillInto(records, attribute, (i, c) =>
    attribute.candidates.reduce((sum, value, v) => sum + shares[i * width + v]! * value[c]!, 0),
  )
}

function roundedShares(shares: Float64Array, width: number): Float64Array {
  if (width === 1) return shares.map((p) => Number(p > 0.5))
  const out = new Float64Array(shares.length)
  for (let from = 0; from < shares.length; from += width) {
    let best = 0
    for (let v = 1; v < width; v++) if (shares[from + v]! > shares[from + best]!) best = v
    out[from + best] = 1
  }
  return out
}

function softmaxInto(x: Float64Array): void {
  const high = x.reduce((most, v) => Math.max(most, v), Number.NEGATIVE_INFINITY)
  let sum = 0
  for (let v = 0; v < x.length; v++) {
    x[v] = exp(x[v]! - high)
    sum += x[v]!
  }
  for (let v = 0; v < x.length; v++) x[v]! /= sum
}
