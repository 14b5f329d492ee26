/** A stored set of ratios, and which of today's fell below it. */
import { readFileSync } from 'node:fs'
import { OverhearError } from '../../errors.js'

export type Ratios = Readonly<Record<string, number | null>>
/** Ratios by workload, and what the peers' products reached (GFLOP/s) when they were measured. */
export interface Baseline {
  readonly ratios: Readonly<Record<string, number>>
  readonly productGflops: Readonly<Record<string, number>>
}

/** A ratio may lose this share before it counts as fallen. */
const allowedLoss = 0.25

export function readBaseline(path: string): Baseline {
  const wanted = 'a JSON file {"ratios": {"mlp": 8.7}, "productGflops": {"torch": 80}} is needed'
  let read: Partial<Baseline> | null
  try {
    read = JSON.parse(readFileSync(path, 'utf8')) as Partial<Baseline> | null
  } catch (error) {
    throw new OverhearError('E_INPUT', `${path}: ${(error as Error).message}`, wanted)
  }
  const positive = (value: unknown): boolean => typeof value === 'number' && value > 0
  const numbers = (table: unknown): boolean =>
    typeof table === 'object' && table !== null && Object.values(table).every(positive)
  if (!numbers(read?.ratios) || !numbers(read?.productGflops)) {
    throw new OverhearError('E_INPUT', `${path} holds no baseline of positive numbers`, wanted)
  }
  return read as Baseline
}

/** One line for each workload whose ratio fell; it is an error when there is nothing to compare. */
export function fallen(now: Ratios, { ratios: before }: Baseline): string[] {
  const both = Object.entries(now).flatMap(([name, ratio]) => {
    return ratio === null || !Object.hasOwn(before, name) ? [] : [{ name, ratio, was: before[name]! }]
  })
  if (both.length === 0) {
    throw new OverhearError('E_INPUT', 'no ratio can be compared with the baseline', 'are PyTorch and numpy there?')
  }
  return both.flatMap(({ name, ratio, was }) => {
    if (ratio >= (1 - allowedLoss) * was) return []
    return [`${name}: ratio ${ratio}, ${Math.round(100 * (1 - ratio / was))} % below the baseline's ${was}`]
  })
}

/** A ratio beside a slow library of products says nothing about one beside a fast one. */
export function checkComparable(peers: Readonly<Record<string, { productGflops: number }>>, baseline: Baseline): void {
  for (const [name, { productGflops: now }] of Object.entries(peers)) {
    const then = baseline.productGflops[name] ?? now
    if (now <= 3 * then && then <= 3 * now) continue // a busy machine alone can halve it
    const found = `the products of ${name} reach ${now.toPrecision(2)} GFLOP/s here, ${then} when the baseline was measured`
    throw new OverhearError('E_INPUT', found, 'use the same BLAS, or measure a baseline of your own')
  }
}
