/** The steps that L-BFGS remembers, in kernel memory: the two-loop recursion there, within rounding of the plain one (plain-pairs.ts). */
import { type Buffer, engine } from '../engine/engine.js'
import type { Memory } from './plain-pairs.js'

/** A step of a search and what it changed of the gradient, in kernel memory. */
interface Pair {
  readonly s: Buffer
  readonly y: Buffer
  rho: number // 1 / sᵀy
  yy: number
}

/** For long searches over many parameters. It must be released. */
export function kernelPairs(size: number, most: number): Memory {
  const host = engine()
  const room = (): Buffer => host.allocate(8 * size)
  const [d, number] = [room(), host.allocate(8)]
  const pairs: Pair[] = [] // oldest first
  const spare: Pair[] = []
  const view = ({ address }: Buffer): Float64Array => host.view('f64', address, size) as Float64Array
  /** dᵀ other */
  const along = (other: Buffer): number => {
    host.f64.dot(number.address, d.address, other.address, size)
    return host.view('f64', number.address, 1)[0]!
  }
  const add = (by: number, from: Buffer): void => {
    host.writeOne('f64', number.address, by)
    host.f64.addScaled(d.address, from.address, size, number.address)
  }
  return {
    count: () => pairs.length,
    forget: () => void spare.push(...pairs.splice(0)),
    keep(s, y, { sy, yy }) {
      const pair = spare.pop() ?? { s: room(), y: room(), rho: 0, yy: 0 }
      view(pair.s).set(s)
      view(pair.y).set(y)
      pairs.push(Object.assign(pair, { rho: 1 / sy, yy }))
      if (pairs.length > most) spare.push(pairs.shift()!)
    },
    directionInto(to, gradient) {
      const latest = pairs.at(-1)
      const inKernels = view(d)
      for (let j = 0; j < size; j++) inKernels[j] = -gradient[j]!
      const alpha = new Float64Array(pairs.length)
      for (let i = pairs.length - 1; i >= 0; i--) {
        const { s, y, rho } = pairs[i]!
        alpha[i] = rho * along(s)
        add(-alpha[i]!, y)
      }
      if (latest !== undefined) {
        const gamma = 1 / (latest.rho * latest.yy)
        for (let j = 0; j < size; j++) inKernels[j]! *= gamma
      }
      for (const [i, { s, y, rho }] of pairs.entries()) add(alpha[i]! - rho * along(y), s)
      to.set(inKernels)
    },
    release() {
      for (const buffer of [d, number, ...[...pairs, ...spare].flatMap(({ s, y }) => [s, y])]) host.release(buffer)
    },
  }
}
