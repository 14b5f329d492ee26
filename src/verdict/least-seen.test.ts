import { expect, test } from 'vitest'
import { dealOf, rowOf, scores, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { studentQuantile } from '../numeric/special/student-t.js'
import { leastRejected, leastSeen } from './least-seen.js'
import { reaches } from './randomisation.js'
import { swap } from './relabellings.js'
import { drawStratum } from './step-down.js'
import type { Row } from './tables.js'

const options = { draws: 99, enumerate: 1000, rng: rng(1) }

/** Whether row i stands out among all draws of all rows, by the definition. */
function standsOut(rows: readonly Row[], i: number, level: number): boolean {
  const { rows: drawn } = drawStratum(rows, options)
  const least = drawn[i]!.z[0]! - 1e-9
  const draws = drawn[i]!.z.map((_, b) => Math.max(...drawn.filter((one) => !one.constant).map(({ z }) => z[b]!)))
  const atLeast = draws.filter((most, b) => (b === 0 ? drawn[i]!.z[0]! : most) >= least).length
  return reaches(atLeast / draws.length, level)
}

const movedBy = (row: Row, x: number): Row => ({
  ...row,
  deals: row.deals.map((deal) => ({ ...deal, T: deal.T.map((value, k) => value + x * deal.contrast[k]!) })),
})

function holdsAtItsEdge(rows: readonly Row[], level: number): void {
  const drawn = drawStratum(rows, options)
  for (const [i, edge] of leastRejected(rows, drawn, { ...options, level }).entries()) {
    const effect = rows[i]!.deals.reduce((sum, { T }) => sum + T[0]! / rows[i]!.deals.length, 0)
    const moved = (x: number) => rows.map((row, j) => (j === i ? movedBy(row, edge - effect + x) : row))
    expect([standsOut(moved(1e-6), i, level), standsOut(moved(-1e-6), i, level)]).toEqual([true, false])
  }
}

const swaps = (id: string, values: readonly number[]): Row =>
  rowOf(id, [], { deals: values.map((value, s) => swap(s, [value], [0])) })

test('of three rows each has to stand out above the larger of the two others', () => {
  const stream = streamOf(21)
  for (const level of [0.05, 0.1, 0.2]) {
    const rows = ['a', 'b', 'c'].map((id) => swaps(id, scores(stream, 6)))
    holdsAtItsEdge(rows, level)
    holdsAtItsEdge([rows[2]!, rows[1]!, rows[0]!], level)
    holdsAtItsEdge(
      ['d', 'e', 'f'].map((id) => rowOf(id, [scores(stream, 6), scores(stream, 5)])),
      level,
    )
  }
})

test('and so it is for rows of which some lie far below the others', () => {
  const stream = streamOf(22)
  for (let i = 0; i < 20; i++) {
    const [a, b, c] = [scores(stream, 6), scores(stream, 6), scores(stream, 6)]
    const rows = [
      swaps(
        'a',
        a.map((x) => x - 1),
      ),
      swaps(
        'b',
        b.map((x) => -x - 1),
      ),
      swaps('c', c),
    ]
    holdsAtItsEdge(rows, 0.05)
    holdsAtItsEdge([rows[1]!, rows[0]!, rows[2]!], 0.2)
  }
})

test('the last draw of all counts: that in which everything is told the other way round', () => {
  const low = swaps('low', [-1, -1.1, -0.9, -1, -1.05, -0.95])
  for (const level of [1 / 64, 2 / 64, 3 / 64, 4 / 64])
    holdsAtItsEdge([swaps('a', [0.3, -0.2, 0.1, 0, 0.4, -0.1]), low], level)
})

test('a row that is constant takes nothing from the others, and nothing would have been seen in it', () => {
  const lively = swaps('a', [0.3, -0.2, 0.1, 0.5, 0.4, -0.1])
  const still = rowOf('b', [], { deals: lively.deals.map((_, s) => dealOf(s, [0.5, 0.5])) })
  const [alone] = leastRejected([lively], drawStratum([lively], options), { ...options, level: 0.05 })
  const both = leastRejected([still, lively], drawStratum([still, lively], options), { ...options, level: 0.05 })
  expect(both).toEqual([Number.POSITIVE_INFINITY, alone])
})

test('no effect is large enough where the draws are too few for the level, whatever the unit', () => {
  for (const unit of [1e-3, 1, 1e6]) {
    const row = swaps('a', [0.3 * unit, -0.2 * unit, 0.1 * unit])
    const of = (level: number) => leastRejected([row], drawStratum([row], options), { ...options, level })[0]!
    expect(of(0.124)).toBe(Number.POSITIVE_INFINITY)
    expect(of(0.125) / unit).toBeGreaterThan(0)
    expect(of(0.125) / unit).toBeLessThan(1)
  }
})

test('what would be seen lies above by the quantile of 0.8 of the estimate’s own deviation', () => {
  expect(leastSeen(0.3, 0.1, 10)).toBeCloseTo(0.3 + 0.1 * 0.8834, 4) // Student's t, 9 degrees of freedom
  expect(leastSeen(0.3, 0.1, 2)).toBeCloseTo(0.3 + 0.1 * 1.3764, 4)
  expect(leastSeen(0.3, 0.1, 2)).toBe(0.3 + studentQuantile(0.8, 1) * 0.1)
  expect(leastSeen(0.3, 0.1, 1)).toBeCloseTo(0.3 + 0.1 * 0.8416, 4) // normal
})
