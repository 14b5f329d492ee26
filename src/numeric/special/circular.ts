/** Sine and cosine of multiples of pi, from exact operations alone. */
import { polynomial } from './horner.js'

// (-1)^k / (2k + 1)!, k = 10 down to 0.
const sineSeries = Array.from({ length: 11 }, (_, i) => {
  let c = 1
  for (let k = 2; k <= 21 - 2 * i; k++) c /= k
  return i % 2 === 0 ? c : -c
})

/** sin(pi x), good to a few ulp; 0 at whole numbers. */
export function sinPi(x: number): number {
  const n = Math.round(x)
  const r = x - n
  const t = Math.PI * Math.abs(r)
  const size = t * polynomial(t * t, sineSeries)
  return r < 0 !== (n % 2 !== 0) ? -size : size
}

/** cos(pi x), good to a few ulp for |x| below 2^50. */
export function cosPi(x: number): number {
  return sinPi(0.5 - Math.abs(x - 2 * Math.round(x / 2)))
}
