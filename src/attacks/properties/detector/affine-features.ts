/** Affine features of long updates, several at once, in the compiled kernels. */
import { engine } from '../../../numeric/engine/engine.js'

/** g(u) = a . u + c. */
export interface Affine {
  readonly a: Float64Array
  readonly c: number
}

export interface AffineFeatures {
  /** One value a feature. */
  of(update: Float64Array): readonly number[]
  /** Gives the kernel memory back. */
  release(): void
}

/** All of the same length. */
export function affineFeatures(list: readonly Affine[]): AffineFeatures {
  const host = engine()
  const [m, z] = [list.length, list[0]?.a.length ?? 0]
  const own = [m * z, z, m].map((doubles) => host.allocate(8 * doubles))
  const [matrix, u, sums] = own.map(({ address }) => address) as [number, number, number]
  for (const [q, { a }] of list.entries()) host.view('f64', matrix + 8 * q * z, z).set(a)
  return {
    of(update) {
      host.view('f64', u, z).set(update)
      host.f64.gemv(sums, matrix, u, m, z)
      const found = host.view('f64', sums, m)
      return list.map(({ c }, q) => found[q]! + c)
    },
    release: () => own.splice(0).forEach(host.release),
  }
}
