/** A stored set of ratios, and which of today's fell below it. */
import { readFileSync } from 'node:fs'
import { OverhearError } from '../errors.js'

export type Ratios = Readonly<Record<string, number | null>>

/** A ratio may lose this share before it counts as fallen. */
export const allowedLoss = 0.25

export function readBaseline(path: string): Ratios {
  let ratios: unknown
  try {
    ratios = (JSON.parse(readFileSync(path, 'utf8')) as { ratios?: unknown }).ratios
  } catch (error) {
    throw new OverhearError('E_INPUT', `${path}: ${(error as Error).message}`, 'a JSON file with "ratios" is needed')
  }
  const fine = (value: unknown): boolean => typeof value === 'number' && value > 0
  if (typeof ratios !== 'object' || ratios === null || !Object.values(ratios).every(fine)) {
    throw new OverhearError('E_INPUT', `${path} holds no ratios`, 'a JSON file {"ratios": {"mlp": 8.7}} is needed')
  }
  return ratios as Ratios
}

/** One line for each workload whose ratio fell; those that either side lacks are not compared. */
export function fallen(now: Ratios, baseline: Ratios): string[] {
  return compared(now, baseline).flatMap(([name, ratio, before]) => {
    if (ratio >= (1 - allowedLoss) * before) return []
    return [`${name}: ratio ${ratio}, ${Math.round(100 * (1 - ratio / before))} % below the baseline's ${before}`]
  })
}

/** Name, ratio now, ratio of the baseline, where both are known. */
export function compared(now: Ratios, baseline: Ratios): [name: string, now: number, before: number][] {
  return Object.entries(now).flatMap(([name, ratio]) => {
    const before = Object.hasOwn(baseline, name) ? baseline[name]! : null
    return ratio === null || before === null ? [] : [[name, ratio, before]]
  })
}
