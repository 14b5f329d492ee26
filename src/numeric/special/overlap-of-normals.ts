/** How much two normal densities have in common: the area under the lower of the two. */
import { OverhearError } from '../../errors.js'
import { log1p } from './elementary-functions.js'
import { erfc } from './erf.js'
import { normalCdf, normalIntervalProb } from './normal.js'

export interface TwoNormals {
  readonly mean1: number
  readonly std1: number
  readonly mean2: number
  readonly std2: number
}

export interface Overlap {
  readonly overlap: number // 1: the same distribution; 0: nothing in common; 1 - overlap is the total variation distance
  readonly crossings: readonly number[] // where the densities meet, ascending; the middle for equal deviations
}

export function overlapOfNormals(normals: TwoNormals): Overlap {
  const { mean1, std1, mean2, std2 } = normals
  if (!(std1 > 0 && std2 > 0 && Number.isFinite(std1 + std2 + mean1 + mean2))) {
    throw new OverhearError(
      'E_VALUE',
      `overlap of N(${mean1}, std ${std1}) and N(${mean2}, std ${std2})`,
      'means must be finite, standard deviations finite and above 0',
    )
  }
  if (std1 > std2) return overlapOfNormals({ mean1: mean2, std1: std2, mean2: mean1, std2: std1 })
  const d = (mean2 - mean1) / std2
  if (std1 === std2) {
    return { overlap: erfc(Math.abs(d) / Math.sqrt(8)), crossings: [0.5 * mean1 + 0.5 * mean2] }
  }
  // In t = (x - mean1) / std1, with r = std1 / std2 < 1: (1 - r^2) t^2 + 2 r d t - (d^2 + 2 log(1 / r)) = 0.
  const r = std1 / std2
  const lead = ((std2 - std1) / std2) * (1 + r)
  const end = d * d + 2 * log1p((std2 - std1) / std1)
  const root = Math.sqrt(r * d * (r * d) + lead * end)
  const q = d < 0 ? root - r * d : -(root + r * d)
  const [t1, t2] = q < 0 ? [q / lead, -end / q] : [-end / q, q / lead]
  // Between the crossings the wider density is the lower one, outside them the narrower.
  const inside = normalIntervalProb({ low: r * t1 - d, high: r * t2 - d, width: (2 * r * root) / lead })
  const outside = normalCdf(t1) + normalCdf(-t2)
  return { overlap: inside + outside, crossings: [mean1 + std1 * t1, mean1 + std1 * t2] }
}
