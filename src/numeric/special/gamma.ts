/** The logarithm of the gamma function and what is made of it. */
import { OverhearError } from '../../errors.js'
import { sinPi } from './circular.js'
import { log, log1p } from './elementary-functions.js'
import { polynomial } from './horner.js'

const halfLogTwoPi = 0.9189385332046728
// (-1)^k (zeta(k) - 1) / k for k = 29 down to 2, then 1 - Euler's constant: log Gamma(2 + z) / z for |z| <= 1/2.
const aroundTwo = [
  -6.4229645638381e-11, 1.330476437424449e-10, -2.7595228851242334e-10, 5.731367241678862e-10, -1.1921401405860912e-9,
  2.4836745438024785e-9, -5.183475041970047e-9, 1.0838659214896955e-8, -2.2711094608943164e-8, 4.7698101693639804e-8,
  -1.0043224823968099e-7, 2.1207184805554665e-7, -4.492469198764566e-7, 9.55141213040742e-7, -2.039215753801366e-6,
  4.374866789907488e-6, -9.439488275268397e-6, 2.050721277567069e-5, -4.492623673813314e-5, 9.945751278180853e-5,
  -2.2315475845357939e-4, 5.096695247430425e-4, -1.192753911703261e-3, 2.8905103307415234e-3, -7.385551028673986e-3,
  2.0580808427784546e-2, -6.73523010531981e-2, 3.224670334241132e-1, 4.2278433509846713e-1,
]
// B_2k / (2k (2k - 1)), k = 8 down to 1.
const stirling = [-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]
const stirlingFrom = 12

/**
 * log |Gamma(x)|, +infinity at 0, -1, -2, ... Relative accuracy for all x > 0 (the zeros at 1 and 2 included); for
 * x < 0 absolute, since the zeros there are not near any convenient number. Its sign: `gammaSign`.
 */
export function logGamma(x: number): number {
  if (x >= stirlingFrom) {
    if (x > 1e306) return Number.POSITIVE_INFINITY
    return x * (log(x) - 1) - 0.5 * log(x) + halfLogTwoPi + stirlingSeries(x)
  }
  if (x > 2.5) {
    const steps = Math.round(x) - 2 // Gamma(x) = (x - 1) (x - 2) ... Gamma(2 + z)
    let product = 1
    for (let i = 1; i <= steps; i++) product *= x - i
    return log(product) + aboutTwo(x - steps - 2)
  }
  if (x >= 1.5) return aboutTwo(x - 2)
  if (x >= 0.5) return aboutTwo(x - 1) - log1p(x - 1)
  if (x > 0) return aboutTwo(x) - log1p(x) - log(x)
  if (Number.isNaN(x)) return x
  if (Number.isInteger(x) || x === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY
  return log(Math.PI) - log(Math.abs(sinPi(x))) - logGamma(1 - x) // Gamma(x) Gamma(1 - x) = pi / sin(pi x)
}

/** The sign of Gamma(x): 1 or -1; NaN where it has none (0, -1, -2, ...). */
export function gammaSign(x: number): number {
  if (x > 0) return 1
  if (Number.isNaN(x) || Number.isInteger(x) || x === Number.NEGATIVE_INFINITY) return Number.NaN
  return Math.floor(x) % 2 === 0 ? 1 : -1
}

/** log Gamma(x + 1) - (x + 1/2) log(x) + x - log(2 pi) / 2: what Stirling's formula lacks, x > 0. */
export function stirlingCorrection(x: number): number {
  if (x >= stirlingFrom) return stirlingSeries(x)
  return logGamma(x + 1) - (x + 0.5) * log(x) + x - halfLogTwoPi
}

/** log of n over k, for integers; -infinity when k is outside 0..n. */
export function logBinomial(n: number, k: number): number {
  if (!Number.isSafeInteger(n) || n < 0 || !Number.isInteger(k)) {
    throw new OverhearError('E_VALUE', `logBinomial of ${n} over ${k}`, 'both must be integers, the first 0 or more')
  }
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY
  if (k === 0 || k === n) return 0
  const j = Math.min(k, n - k)
  const rest = n - j
  // Three log-gammas of size n log n would cancel; the entropy form has only terms of the size of the result.
  const entropy = j * log(n / j) - rest * log1p(-j / n)
  const corrections = stirlingCorrection(n) - stirlingCorrection(j) - stirlingCorrection(rest)
  return entropy - 0.5 * log(2 * Math.PI * j * (rest / n)) + corrections
}

/** log Gamma(2 + z), |z| <= 1/2. */
function aboutTwo(z: number): number {
  return z * polynomial(z, aroundTwo)
}

function stirlingSeries(x: number): number {
  return polynomial(1 / x / x, stirling) / x
}
