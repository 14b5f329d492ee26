import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { trainingRows } from './training-rows.js'

const drawn = (count: number, z: number) =>
  Array.from({ length: count }, (_, k) => Float64Array.from(rng(7).fork(k).normals(z), Math.fround))

/** Mean and deviation of some of them, by column. */
function momentsOf(rows: readonly Float64Array[], z: number) {
  const mean = Array.from({ length: z }, (_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length)
  const std = mean.map((m, j) => Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - m) ** 2, 0) / (rows.length - 1)))
  return { mean, std }
}

/** Every row of a source, as it lies in kernel memory. */
function rowsIn(source: ReturnType<typeof trainingRows>): number[][] {
  const found: number[][] = []
  for (let start = 0; start < source.count; start += source.blockRows) {
    const { count, address } = source.read(start)
    for (let k = 0; k < count; k++)
      found.push(Array.from(engine().view('f32', address + 4 * k * source.stride, source.stride)))
  }
  return found
}

describe('training updates', () => {
  // 256 columns are treated at once.
  test.each([
    [2, 1, 4],
    [3, 4, 4],
    [5, 7, 8],
    [6, 255, 256],
    [4, 257, 260],
    [3, 600, 600],
  ])('%d of %d numbers: as they were, with their moments', (count, z, stride) => {
    const rows = drawn(count, z)
    const before = engine().inUse()
    const source = trainingRows((k) => rows[k]!, { count, floor: 0, maxBytes: 1e6 })
    expect([source.count, source.blockRows, source.length, source.stride]).toEqual([count, count, z, stride])
    const { mean, std } = momentsOf(rows, z)
    for (let j = 0; j < z; j++) {
      expect(source.mean[j]).toBeCloseTo(mean[j]!, 12)
      expect(source.scale[j]).toBeCloseTo(std[j]!, 12)
    }
    const padding = new Array(stride - z).fill(0)
    expect(rowsIn(source)).toEqual(rows.map((row) => [...row, ...padding]))
    source.release()
    expect(engine().inUse()).toBe(before)
  })

  test('lie in blocks of two at least, each made anew where it was let go; the moments are those of the first', () => {
    const rows = drawn(7, 5)
    const made: number[] = []
    const update = (k: number) => {
      made.push(k)
      return rows[k]!
    }
    const source = trainingRows(update, { count: 7, floor: 0, maxBytes: 0 })
    expect([source.blockRows, source.count]).toEqual([2, 7])
    const { mean, std } = momentsOf(rows.slice(0, 2), 5)
    for (let j = 0; j < 5; j++) {
      expect(source.mean[j]).toBeCloseTo(mean[j]!, 12)
      expect(source.scale[j]).toBeCloseTo(std[j]!, 12)
    }
    expect(rowsIn(source).map((row) => row.slice(0, 5))).toEqual(rows.map((row) => [...row]))
    expect(made).toEqual([0, 1, 2, 3, 4, 5, 6])
    source.read(4)
    expect(made).toHaveLength(7)
    source.read(2)
    source.read(4)
    expect(made.slice(7)).toEqual([2, 3])
    source.release()
  })

  test.each([
    [59, 2],
    [60, 3],
    [80, 4],
  ])('%d bytes hold %d rows of five numbers', (maxBytes, blockRows) => {
    const rows = drawn(9, 5)
    const source = trainingRows((k) => rows[k]!, { count: 9, floor: 0, maxBytes })
    expect(source.blockRows).toBe(blockRows)
    source.release()
  })

  test('a coordinate is divided by a share of the mean deviation at least', () => {
    // Deviations 0, 2, 4, and 0 where nothing varies.
    const rows = [-1, 1, 0].map((s) => Float64Array.of(5, 2 * s, 4 * s))
    const source = trainingRows((k) => rows[k]!, { count: 3, floor: 0.9, maxBytes: 1e6 })
    for (const [j, scale] of [1.8, 2, 4].entries()) expect(source.scale[j]).toBeCloseTo(scale, 12)
    source.release()
    const bare = trainingRows((k) => rows[k]!, { count: 3, floor: 0, maxBytes: 1e6 })
    expect(bare.scale[0]).toBe(Number.MIN_VALUE)
    bare.release()
  })

  test('that are all equal are refused', () => {
    const same = () => trainingRows(() => Float64Array.of(3, 4), { count: 4, floor: 0.1, maxBytes: 1e6 })
    expect(same).toThrow('all simulated updates are equal; there is nothing to learn')
  })
})
