/** What changes betray by their values alone: that only the largest were sent, or that they were rounded to a lattice. */
import { rangeOf } from '../../numeric/special/summaries.js'

export interface Marks {
  /** The share of the values that is sent, where most are exactly zero and none of the others is small. */
  readonly sparse: { readonly share: number } | undefined
  /** Bits of the lattice that all values lie on. */
  readonly lattice: { readonly bits: number } | undefined
}

export interface Heard {
  /** What was sent: a change of the model, or minus a gradient. */
  readonly change: Float64Array
  /** The model it was added to, which limits what can be told of small values; absent where changes are sent as such. */
  readonly from?: Float64Array | undefined
}

export function marksOf(heard: readonly Heard[]): Marks {
  return { sparse: sparsityOf(heard), lattice: latticeOf(heard) }
}

/**
 * Top-k leaves the same number of values in every message, at places that differ, and no small ones among them. Dead units
 * leave zeros too, but at the same places, and the other values are then of all sizes.
 */
function sparsityOf(heard: readonly Heard[]): Marks['sparse'] {
  const d = heard[0]?.change.length ?? 0
  const places = heard.map(({ change }) => [...change.keys()].filter((j) => change[j] !== 0))
  const counts = rangeOf(places.map((some) => some.length))
  const k = counts.max
  if (heard.length === 0 || counts.min !== k || k < 1 || k === d) return undefined
  const differ = new Set(places.map((some) => some.join())).size > 1
  if (heard.length >= 3 && differ) return { share: k / d }
  // Of k values of all sizes the least is about 1/k of the median.
  const small = heard.filter(({ change }) => {
    const sizes = change
      .filter((v) => v !== 0)
      .map(Math.abs)
      .sort()
    return sizes[0]! < (sizes[Math.floor(k / 2)]! * 3) / k
  })
  return k >= 8 && small.length === 0 ? { share: k / d } : undefined
}

const fewestBits = 2
const mostBits = 16

/** The fewest bits b for which all values are whole multiples of the largest over 2^(b - 1) - 1. */
function latticeOf(heard: readonly Heard[]): Marks['lattice'] {
  for (let bits = fewestBits, levels = 1; bits <= mostBits; bits++, levels = 2 * levels + 1) {
    let [far, count] = [0, 0]
    for (const { change, from } of heard) {
      const step = change.reduce((most, v) => Math.max(most, Math.abs(v)), 0) / levels
      if (!(step > 0)) continue
      for (const [j, v] of change.entries()) {
        // Adding a change to a model and taking it away again leaves the rounding of the sum.
        if (v === 0 || Math.abs(from?.[j] ?? 0) * 2e-7 > step / 8) continue
        const at = v / step
        // The largest itself is on every lattice; what would have been rounded to zero is on none.
        if (Math.abs(Math.abs(at) - levels) < 1e-6) continue
        far += Math.abs(at) < 0.5 ? 0.25 : Math.abs(at - Math.round(at))
        count++
      }
    }
    // Values that lie anywhere are 0.25 off on the mean.
    if (count >= 8 && far / count < 0.02) return { bits }
    if (count >= 3 && far / count < 1e-4) return { bits }
  }
  return undefined
}
