import { describe, expect, test } from 'vitest'
import { randomMatrix } from '../../../test/linalg-checks.js'
import { matrix } from './matrix.js'
import { svd } from './svd.js'
import { openWorkspace, put, room, take } from './workspace.js'

describe('workspace', () => {
  test('hands out room that does not overlap and grows as needed', () => {
    openWorkspace()
    const a = put(Float64Array.of(1, 2, 3))
    const b = room(1_000_000)
    const c = put(Float64Array.of(4, 5))
    expect(b).toBeGreaterThanOrEqual(a + 24)
    expect(c).toBeGreaterThanOrEqual(b + 8_000_000)
    expect([a, b, c].map((at) => at % 16)).toEqual([0, 0, 0])
    expect([...take(a, 3), ...take(c, 2)]).toEqual([1, 2, 3, 4, 5])
  })

  test('gives results that later calls do not touch', () => {
    const A = randomMatrix({ rows: 9, cols: 6 }, 1)
    const kept = svd(A)
    const copy = structuredClone(kept)
    svd(randomMatrix({ rows: 40, cols: 40 }, 2))
    expect(kept).toEqual(copy)
  })

  test('says so when a problem does not fit', () => {
    openWorkspace()
    expect(() => room(3e8)).toThrow(
      expect.objectContaining({ code: 'E_SHAPE', message: expect.stringContaining('MiB') }),
    )
    expect(svd(matrix(2, 2)).s).toEqual(new Float64Array(2))
  })
})
