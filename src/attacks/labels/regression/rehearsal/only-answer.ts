/** Where the search for errors begins, and which of its ends is the answer: one, or the turn tells too little. */
import { norm } from '../../../../numeric/linalg/vector.js'
import { Inapplicable } from '../../../attack.js'
import type { Solution, Stage } from './rehearsal-stage.js'

/** The law as the labels have it, and beside it other constants, where there are steps by which drift could hide them. */
export function startsOf(
  { start, steps, size }: Pick<Stage, 'start' | 'steps' | 'size'>,
  shown: number,
): Float64Array[] {
  if (steps === 1) return [start]
  // Beside the constant the law starts as the labels have it.
  const from = (mean: number): Float64Array => start.map((v, k) => (k === 0 ? mean : v))
  const means = Number.isNaN(shown) || shown === 0 ? [size] : [shown, 3 * shown, 10 * shown]
  return [start, ...means.map(from)]
}

/** One of those that lie near each other, for errors of such a size, and none that ran away. */
export function distinct(ends: readonly Solution[], size: number): Solution[] {
  const kept: Solution[] = []
  for (const end of ends) {
    if (!Number.isFinite(end.misfit)) continue
    const apart = (one: Solution): number => norm(one.c.map((v, k) => v - end.c[k]!))
    if (!kept.some((one) => apart(one) <= 1e-2 * norm(one.c) + 1e-2 * size)) kept.push(end)
  }
  return kept
}

/** The end that leaves least; refused where another constant leaves hardly more. */
export function onlyAnswer(ends: readonly Solution[], scale: number): Solution {
  const sound = ends.filter(({ settled, misfit }) => settled && Number.isFinite(misfit))
  if (sound.length === 0) {
    const why = 'no errors were found under which the turn ends near where the client ended'
    throw new Inapplicable(['a turn that can be rehearsed'], why)
  }
  const best = sound.reduce((least, one) => (one.misfit < least.misfit ? one : least))
  const size = norm(best.c) + scale
  const rival = sound.find(({ c, misfit }) => Math.abs(c[0]! - best.c[0]!) > 0.05 * size && misfit < 1.25 * best.misfit)
  if (rival !== undefined) {
    const both = [best, rival].map(({ c }) => Number(c[0]!.toPrecision(3)))
    throw new Inapplicable(['one answer'], `mean errors of ${both.join(' and of ')} explain the turn alike`)
  }
  return best
}
