/** Polynomials by Horner's rule. */

/** c[0] x^n + c[1] x^(n-1) + ... + c[n]. */
export function polynomial(x: number, coefficients: readonly number[]): number {
  let sum = 0
  for (const c of coefficients) sum = sum * x + c
  return sum
}
