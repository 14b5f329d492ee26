/** Numbers as people read them, the same in tables, sentences and gates. */

/** Four digits at most, two at least, without an exponent where one can be avoided. */
export function figure(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '-'
  const size = Math.abs(x)
  if (size !== 0 && (size < 1e-4 || size >= 1e5)) return x.toExponential(2)
  if (size >= 1) return x.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : 2)
  return size !== 0 && size < 0.01 ? x.toPrecision(2) : x.toFixed(3)
}

/** How much of the way from chance to perfection was gone. */
export const liftFigure = (lift: number | null | undefined): string => lift?.toFixed(2) ?? '-'
