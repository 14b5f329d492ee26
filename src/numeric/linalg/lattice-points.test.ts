import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { shortBasis, shorterBasis } from './lattice-basis.js'
import { expectedBranches, nearPoints } from './lattice-points.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'

/** |sum over c of whole_c times the c-th vector, less the target|^2 */
function squareOf({ cols, data }: Matrix, whole: ArrayLike<number>, target: Float64Array): number {
  let sum = 0
  for (let j = 0; j < cols; j++) {
    let x = -target[j]!
    for (let c = 0; c < whole.length; c++) x += whole[c]! * data[c * cols + j]!
    sum += x * x
  }
  return sum
}

/** Every point with multiples up to `most` that is near enough. */
function plain(vectors: Matrix, target: Float64Array, { within, most }: { within: number; most: number }): string[] {
  const n = vectors.rows
  const found: string[] = []
  const whole = new Array<number>(n).fill(-most)
  for (;;) {
    if (squareOf(vectors, whole, target) <= within) found.push(whole.join())
    let at = 0
    while (at < n && whole[at] === most) whole[at++] = -most
    if (at === n) return found.sort()
    whole[at]!++
  }
}

function searched(vectors: Matrix, target: Float64Array, within: number, mostBranches = 1e6) {
  const found = new Map<string, number>()
  const basis = shorterBasis(shortBasis(vectors))
  const { complete, branches } = nearPoints(basis, target, {
    within,
    mostBranches,
    found(whole, square) {
      found.set(Array.from(whole, (x) => x + 0).join(), square)
      return undefined
    },
  })
  return { complete, branches, found, basis }
}

test('all points within a distance and no others, each once, with their distances', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 }), (seed, n, extra) => {
      const r = rng(seed).fork('points')
      const vectors = matrix(n, n + extra)
      for (let at = 0; at < vectors.data.length; at++) vectors.data[at] = r.normal() / 2
      for (let i = 0; i < n; i++) vectors.data[i * vectors.cols + i]! += 1.5
      const target = r.normals(n + extra)
      // The vectors are long enough for multiples beyond 6 to lie outside.
      const { found, complete } = searched(vectors, target, 4)
      expect(complete).toBe(true)
      const far = [...found.keys()].some((key) => key.split(',').some((x) => Math.abs(Number(x)) > 5))
      if (!far) expect([...found.keys()].sort()).toEqual(plain(vectors, target, { within: 4, most: 6 }))
      for (const [key, square] of found) expect(square).toBeCloseTo(squareOf(vectors, key.split(',').map(Number), target), 8) // biome-ignore format: a line
    }),
    { numRuns: 100 },
  )
})

const grid = (n: number): Matrix => {
  const A = matrix(n, n)
  for (let i = 0; i < n; i++) A.data[i * n + i] = 1
  return A
}

describe('a search on a grid', () => {
  test('comes by the nearest point first', () => {
    const order: string[] = []
    nearPoints(shortBasis(grid(2)), Float64Array.of(0.2, -0.1), {
      within: 1.1,
      mostBranches: 1000,
      found: (whole) => void order.push(Array.from(whole, (x) => x + 0).join()),
    })
    expect(order).toEqual(['0,0', '1,0', '-1,0', '0,-1', '0,1'].filter((at) => order.includes(at)))
    expect(order[0]).toBe('0,0')
  })
  test('goes no further than it is told on the way', () => {
    const search = (limit: number | undefined) => {
      let points = 0
      const { complete } = nearPoints(shortBasis(grid(3)), Float64Array.of(0.1, 0, 0), {
        ...{ within: 9, mostBranches: 1e5 },
        found(_, square) {
          points++
          return limit === undefined ? undefined : square + limit
        },
      })
      return { points, complete }
    }
    expect(search(undefined).points).toBeGreaterThan(100)
    expect(search(0)).toEqual({ points: 1, complete: true })
    // The six neighbours but the one at 1.1 are nearer than 0.01 + 0.9.
    expect(search(0.85).points).toBe(2)
  })
  test('says where it was cut short', () => {
    const target = Float64Array.of(0.5, 0.5)
    const all = searched(grid(2), target, 0.51)
    expect([all.found.size, all.complete]).toEqual([4, true])
    const cut = searched(grid(2), target, 0.51, 3)
    expect([cut.found.size < 4, cut.complete, cut.branches]).toEqual([true, false, 3])
    expect(searched(grid(2), target, 0.51, 0)).toMatchObject({ complete: false, branches: 0 })
  })
  test('finds nothing where the lattice is far: beside it, or between its points', () => {
    expect(searched(matrixOf([[1, 0]]), Float64Array.of(0, 2), 3.9).found.size).toBe(0)
    expect(searched(matrixOf([[1, 0]]), Float64Array.of(0, 2), 4.1).found.size).toBe(1)
    expect(searched(grid(2), Float64Array.of(0.5, 0.5), 0.49)).toMatchObject({ complete: true })
    expect(searched(grid(2), Float64Array.of(0.5, 0.5), 0.49).found.size).toBe(0)
  })
  test.each([1, 2, 3, 4, 5, 6])('in %i dimensions takes about as many branches as are expected', (n) => {
    const within = 9
    const { branches, basis } = searched(grid(n), new Float64Array(n).fill(0.3), within)
    const expected = expectedBranches(basis, within)
    expect(branches / expected).toBeGreaterThan(0.7)
    expect(branches / expected).toBeLessThan(1.4)
  })
  test('has one choice where vectors are long', () => {
    const long = grid(3)
    long.data[8] = 1e6
    const [plane, solid] = [shortBasis(grid(2)), shortBasis(long)]
    expect(expectedBranches(solid, 4) - expectedBranches(plane, 4)).toBe(1)
  })
})
