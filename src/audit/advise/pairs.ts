/**
 * Which two changes to make together: those that would leave least, if each did together what it did alone; and the safest change
 * with every other kind, since what one closes may be what the other was defeated by.
 */

import { safer, type Tried } from './tried.js'
import type { Change, WhatIf } from './what-if.js'

/** A change that was tried alone. */
export interface Single {
  readonly kind: WhatIf['id']
  readonly change: Change
  readonly tried: Tried
}

/** The most promising pairs of different kinds that may leave less than either alone, the best first. */
export function promisingPairs(singles: readonly Single[], { target, most }: { target: number; most: number }) {
  const pairs: { readonly changes: readonly [Change, Change]; readonly left: number; readonly lost: number }[] = []
  const safest = [...singles].sort((a, b) => safer(target)(a.tried, b.tried))[0]
  singles.forEach((a, i) => {
    for (const b of singles.slice(i + 1)) {
      if (a.kind === b.kind) continue
      const left = Math.max(0, leftBy(a.tried, b.tried) - target)
      const alone = Math.min(...[a, b].map(({ tried }) => Math.max(0, (tried.worst?.size ?? Infinity) - target)))
      if (alone === 0 || (left >= alone && a !== safest && b !== safest)) continue
      const lost = [a, b].reduce((sum, { tried }) => sum + Math.max(0, tried.useLost ?? 0), 0)
      pairs.push({ changes: [a.change, b.change], left, lost })
    }
  })
  return pairs.sort((a, b) => a.left - b.left || a.lost - b.lost).slice(0, most)
}

/** The largest step that both leave, each taken where it is smaller. What one of them leaves open the other must close. */
function leftBy(a: Tried, b: Tried): number {
  const sizes = new Map<string, number[]>()
  for (const { about, step, size } of [...a.rungs, ...b.rungs]) {
    const key = `${about}, ${step}`
    sizes.set(key, [...(sizes.get(key) ?? []), size])
  }
  return Math.max(0, ...[...sizes.values()].map((all) => Math.min(...all)))
}
