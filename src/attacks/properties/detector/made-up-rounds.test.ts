import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { halvesOf } from './made-up-rounds.js'

test('detectors are measured on records that they were not trained on, as far as there are enough', () => {
  const sizes = fc.record({
    records: fc.integer({ min: 1, max: 40 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(sizes, ({ records, share }) => {
      const largest = Math.max(1, Math.round(share * records))
      const [train, rest] = halvesOf(rng(records).permutation(records), largest)
      expect(new Set([...train, ...rest]).size).toBe(records) // none is wasted
      for (const half of [train, rest])
        expect(new Set(half).size).toBeGreaterThanOrEqual(Math.min(2 * largest, records))
      const shared = train.filter((row) => rest.includes(row)).length
      expect(shared).toBe(Math.max(2 * Math.max(Math.ceil(records / 2), Math.min(2 * largest, records)) - records, 0))
    }),
  )
})
