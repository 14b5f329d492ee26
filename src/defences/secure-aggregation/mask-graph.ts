/** Who masks with whom: everybody with everybody, or a random k-regular graph. */
import { OverhearError } from '../../errors.js'
import type { Rng } from '../../numeric/random/rng.js'

/** Neighbours by place (from 1), rising, for places 1 to n. */
export type Neighbours = readonly (readonly number[])[]

/** [bonawitz2017] Section 4: every pair. */
export function everyPair(n: number): Neighbours {
  const all = Array.from({ length: n }, (_, i) => i + 1)
  return all.map((u) => all.filter((v) => v !== u))
}

/** [bell2020] A ring in random order, each with the k / 2 nearest on both sides: connected, and every degree is k. */
export function regularGraph(n: number, k: number, rng: Rng): Neighbours {
  checkDegree(k)
  if (k >= n - 1) return everyPair(n)
  const order = rng.permutation(n)
  const found: number[][] = Array.from({ length: n }, () => [])
  for (let i = 0; i < n; i++) {
    for (let d = 1; d <= k / 2; d++) {
      const [u, v] = [order[i]!, order[(i + d) % n]!]
      found[u]!.push(v + 1)
      found[v]!.push(u + 1)
    }
  }
  return found.map((own) => own.sort((a, b) => a - b))
}

export function checkDegree(k: number): void {
  if (Number.isInteger(k) && k >= 2 && k % 2 === 0) return
  throw new OverhearError('E_VALUE', `${k} neighbours`, 'an even number of at least 2 is needed')
}
