/** The error function and its complements, good to a few ulp, on the whole line. */

import { exp, log, log1p } from './elementary-functions.js'
import { polynomial } from './horner.js'

// Rational minimax coefficients of W. J. Cody, "Rational Chebyshev approximations for the error function",
// Math. Comp. 23 (1969), highest power first. erf(x) = x P(x^2) / Q(x^2) for |x| <= near.
const near = 0.46875
const nearP = [
  1.85777706184603153e-1, 3.1611237438705656, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3,
]
const nearQ = [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3]
// exp(x^2) erfc(x) = P(x) / Q(x) up to 4 ...
const middleP = [
  2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
  8.8195222124176909e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
]
const middleQ = [
  1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3,
  4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
]
// ... and (1 / sqrt(pi) - z P(z) / Q(z)) / x, z = 1 / x^2, beyond.
const farP = [
  1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
  1.60837851487422766e-2, 6.58749161529837803e-4,
]
const farQ = [
  1, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3,
]
const inverseSqrtPi = 0.5641895835477563

export function erf(x: number): number {
  const size = Math.abs(x)
  if (size <= near) return x * (polynomial(x * x, nearP) / polynomial(x * x, nearQ))
  const far = 1 - erfc(size)
  return x < 0 ? -far : far
}

/** 1 - erf(x), with its relative accuracy kept in the right tail. */
export function erfc(x: number): number {
  if (Math.abs(x) <= near) return 1 - erf(x)
  const tail = expMinusSquare(x) * decaying(Math.abs(x))
  return x < 0 ? 2 - tail : tail
}

/** exp(x^2) erfc(x): what is left of erfc when its decay is taken out. Infinite below about -26.6. */
export function scaledErfc(x: number): number {
  if (x > near) return decaying(x)
  if (x >= -near) return exp(x * x) * (1 - erf(x))
  return 2 / expMinusSquare(x) - decaying(-x)
}

/** log(erfc(x)): finite as far out as x^2 is. */
export function logErfc(x: number): number {
  return x > near ? log(decaying(x)) - x * x : log1p(-erf(x))
}

/** exp(-rate x^2), rate a power of two; the rounding of x^2, which alone would cost x^2 / 2 ulp, is given back. */
export function expMinusSquare(x: number, rate = 1): number {
  if (rate * x * x > 800) return 0
  const head = Math.fround(x) // 24 bits, so its square is exact
  return exp(-rate * head * head) * exp(-rate * (x - head) * (x + head))
}

/** exp(x^2) erfc(x) for x > near. */
function decaying(x: number): number {
  if (x <= 4) return polynomial(x, middleP) / polynomial(x, middleQ)
  const z = 1 / (x * x)
  return (inverseSqrtPi - (z * polynomial(z, farP)) / polynomial(z, farQ)) / x
}
