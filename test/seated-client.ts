/** A client of an exchange for tests: what a pool would hand it, with its own draws and a secret that all share. */
import type { Own } from '../src/federation/exchange.js'
import { rng } from '../src/numeric/random/rng.js'

export function seated<T extends { readonly place: number; readonly weight: number; change(): Float64Array }>(
  own: T,
): T & Own {
  const { place } = own
  const id = `c${place}`
  return { ...own, id, rounding: () => rng(place).fork('rounding'), enrolment: new Uint8Array(32).fill(7) }
}
