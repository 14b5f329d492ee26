import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFreeList, type Span } from './free-list.js'

test('spans never overlap, stay inside what was ensured, and freed bytes are used again', () => {
  const moves = fc.array(fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constant('free' as const)), { maxLength: 60 })
  fc.assert(
    fc.property(moves, fc.infiniteStream(fc.nat(1000)), (list, picks) => {
      let end = 64
      const free = createFreeList(64, (needed) => {
        end = Math.max(end, needed)
      })
      const live: Span[] = []
      let largest = 0
      for (const move of list) {
        if (move === 'free') {
          const [gone] = live.splice((picks.next().value as number) % Math.max(1, live.length), 1)
          if (gone !== undefined) free.release(gone)
        } else {
          live.push({ address: free.take(move), bytes: move })
        }
        const used = live.reduce((n, s) => n + s.bytes, 0)
        largest = Math.max(largest, used)
        expect(free.inUse()).toBe(used)
        const sorted = [...live].sort((a, b) => a.address - b.address)
        for (const [i, s] of sorted.entries()) {
          expect(s.address).toBeGreaterThanOrEqual(i === 0 ? 64 : sorted[i - 1]!.address + sorted[i - 1]!.bytes)
          expect(s.address + s.bytes).toBeLessThanOrEqual(end)
        }
      }
      while (live.length > 0) free.release(live.pop()!)
      // Everything is back, in one piece: a span as large as all that ever lived at once fits without growing.
      if (largest > 0) expect(free.take(end - 64)).toBe(64)
    }),
  )
})
