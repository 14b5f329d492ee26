/** What is said of a paper's claim by our figures: places that were measured are compared, and nothing measured decides nothing. */
import type { Figure, Figures, StudyClaim } from './study.js'

/** Where a figure stands. */
export type Spot = readonly [panel: string, series: string, x?: number]
/** What of a figure counts. */
type Of = Extract<keyof Figure, 'mean' | 'median'>

const figureAt = (figures: Figures, [panel, series, x]: Spot, of: Of): number | undefined =>
  figures(panel, series, x)?.[of]

/** Holds where the test does at each pair of places of which both were measured. */
export const always =
  (pairs: readonly (readonly [Spot, Spot])[], test: (a: number, b: number) => boolean, of: Of = 'mean') =>
  (figures: Figures): boolean | null => {
    const both = pairs.flatMap(([a, b]) => {
      const [one, other] = [figureAt(figures, a, of), figureAt(figures, b, of)]
      return one === undefined || other === undefined ? [] : [[one, other] as const]
    })
    return both.length === 0 ? null : both.every(([a, b]) => test(a, b))
  }

/** Holds where the test does of all these figures; undecided where one was not measured. */
export const together =
  (spots: readonly Spot[], test: (values: readonly number[]) => boolean, of: Of = 'mean'): StudyClaim['holds'] =>
  (figures) => {
    const found = spots.map((spot) => figureAt(figures, spot, of))
    return found.some((one) => one === undefined) ? null : test(found as number[])
  }

/** The same of those figures among them that were measured; undecided where there are fewer than `least`. */
export const measured =
  (
    spots: readonly Spot[],
    test: (values: readonly number[]) => boolean,
    { least = 1, of = 'mean' }: { readonly least?: number; readonly of?: Of } = {},
  ): StudyClaim['holds'] =>
  (figures) => {
    const found = spots.flatMap((spot) => figureAt(figures, spot, of) ?? [])
    return found.length < least ? null : test(found)
  }

export const meanOver = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length
/** Each is at least the one before, within a margin. */
export const rising = (values: readonly number[], margin = 0): boolean =>
  values.every((value, i) => i === 0 || value >= values[i - 1]! - margin)
