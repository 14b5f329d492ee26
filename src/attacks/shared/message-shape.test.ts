import { describe, expect, test } from 'vitest'
import { oddShape } from './message-shape.js'

/** n different numbers from 1 to 2, then zeros. */
const plain = (n: number, zeros = 0) =>
  Float64Array.from({ length: n + zeros }, (_, i) => (i < n ? (i % 2 ? -1 : 1) * (1 + i / n) : 0))

test('numbers of all sizes are nothing odd', () => {
  expect(oddShape(plain(30), [])).toBeUndefined()
  expect(oddShape(plain(2000), [plain(2000)])).toBeUndefined()
})

describe('zeros', () => {
  test('of more than a fifth beyond what is usual are odd', () => {
    expect(oddShape(plain(23, 6), [])).toBe('6 of its 29 entries are 0, where 0 are usual')
    expect(oddShape(plain(24, 6), [])).toBeUndefined()
    expect(oddShape(plain(23, 7), [])).toBe('7 of its 30 entries are 0, where 0 are usual')
    expect(oddShape(plain(20, 10), [plain(30), plain(27, 3), plain(29, 1)])).toBe(
      '10 of its 30 entries are 0, where 3 are usual',
    )
    expect(oddShape(plain(20, 10), [plain(26, 4), plain(30)])).toBeUndefined()
  })

  test('of fewer than 24 entries are not looked at', () => {
    expect(oddShape(plain(13, 10), [])).toBeUndefined()
    expect(oddShape(plain(14, 10), [])).toContain('10 of its 24 entries are 0')
  })
})

describe('entries of one size', () => {
  /** `alike` entries of size 1 and others below 0.9. */
  const signs = (alike: number, others: number) =>
    Float64Array.from({ length: alike + others }, (_, i) => (i < alike ? (i % 2 ? -1 : 1) : 0.1 + (0.8 * i) / 1e4))

  test('are odd where they are more than half of those that moved', () => {
    expect(oddShape(signs(16, 14), [])).toBe('16 of its 30 entries are of one size')
    expect(oddShape(signs(15, 15), [])).toBeUndefined()
    expect(oddShape(signs(13, 11), [])).toContain('13 of its 24')
    expect(oddShape(signs(13, 10), [])).toBeUndefined()
  })

  test('are those within a hundredth of the largest', () => {
    const beside = (v: number) => Float64Array.from({ length: 30 }, (_, i) => (i === 0 ? -0.002 : 0.002 * v))
    expect(oddShape(beside(0.991), [])).toBe('30 of its 30 entries are of one size')
    expect(oddShape(beside(0.99), [])).toBeUndefined()
  })

  test('are counted among those that moved, where zeros are usual', () => {
    const some = Float64Array.from({ length: 60 }, (_, i) => (i < 24 ? 3 : 0))
    expect(oddShape(some, [some])).toBe('24 of its 60 entries are of one size')
    expect(oddShape(new Float64Array(40), [new Float64Array(40)])).toBeUndefined()
  })
})

describe('values', () => {
  const levels = (count: number, n: number) => Float64Array.from({ length: n }, (_, i) => 1 + (i % count) / count)

  test('of no more than 256 kinds among a thousand entries are odd', () => {
    expect(oddShape(levels(256, 1000), [])).toBe('its 1000 entries take 256 values')
    expect(oddShape(levels(257, 1000), [])).toBeUndefined()
    expect(oddShape(levels(256, 999), [])).toBeUndefined()
  })

  test('are alike where they differ by rounding alone, beside the largest', () => {
    const jittered = levels(200, 1000).map((v, i) => 1e6 * (v + (i % 3) * 1e-13 + 1e-11))
    expect(oddShape(jittered, [])).toBe('its 1000 entries take 200 values')
    expect(
      oddShape(
        levels(200, 1000).map((v, i) => v * (1 + i * 1e-7)),
        [],
      ),
    ).toBeUndefined()
  })
})
