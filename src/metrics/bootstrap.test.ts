import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { meanOf } from '../numeric/special/summaries.js'
import { bootstrapInterval } from './bootstrap.js'

const meanOfDrawn = (sample: Float64Array) => (rows: Int32Array) => meanOf(Array.from(rows, (row) => sample[row]!))

describe('the bootstrap interval', () => {
  test('covers a mean about as often as it says', () => {
    let covered = 0
    for (let run = 0; run < 150; run++) {
      const sample = rng(run).fork('sample').normals(40, { mean: 3 })
      const [low, high] = bootstrapInterval({
        size: 40,
        value: meanOf(sample),
        statistic: meanOfDrawn(sample),
        address: `run ${run}`,
      })!
      if (low <= 3 && 3 <= high) covered++
    }
    expect(covered / 150).toBeGreaterThan(0.88) // 95 % less what the percentile method lacks at n = 40 and 3 errors
    expect(covered).toBeLessThan(150)
  })

  test('is the same at every call, and another at another address', () => {
    const sample = rng(1).normals(20)
    const at = (address: string) =>
      bootstrapInterval({ size: 20, value: meanOf(sample), statistic: meanOfDrawn(sample), address })
    expect(at('a')).toEqual(at('a'))
    expect(at('a')).not.toEqual(at('b'))
  })

  test('holds the value even when no draw comes near it', () => {
    const input = { size: 5, address: 'a', statistic: () => 1 }
    expect(bootstrapInterval({ ...input, value: 3 })).toEqual([1, 3])
    expect(bootstrapInterval({ ...input, value: -3 })).toEqual([-3, 1])
  })

  test('there is none for one record, nor when the statistic has no meaning', () => {
    const input = { value: 1, address: 'a' }
    expect(bootstrapInterval({ ...input, size: 0, statistic: () => 1 })).toBeNull()
    expect(bootstrapInterval({ ...input, size: 1, statistic: () => 1 })).toBeNull()
    expect(bootstrapInterval({ ...input, size: 9, statistic: () => undefined })).toBeNull()
    expect(bootstrapInterval({ ...input, size: 9, statistic: () => Number.NaN })).toBeNull()
  })

  test('is read off at the 25th and the 975th of a thousand draws, or at what confidence says', () => {
    let calls = 0
    const input = { size: 2, address: 'a', statistic: () => calls++, value: 500 }
    expect(bootstrapInterval(input)).toEqual([24, 975])
    expect(calls).toBe(1000)
    calls = 0
    expect(bootstrapInterval({ ...input, confidence: 0.5 })).toEqual([249, 750])
  })

  test('needs a tenth of the draws to have a meaning', () => {
    const meaning = (most: number) => {
      let calls = 0
      return bootstrapInterval({ size: 9, value: 1, address: 'a', statistic: () => (calls++ < most ? 1 : undefined) })
    }
    expect(meaning(100)).toEqual([1, 1])
    expect(meaning(99)).toBeNull()
  })

  test.each([
    [5000, 1000],
    [5001, 999],
    [60_000, 100],
  ])('draws a sample of %i again %i times', (size, times) => {
    let calls = 0
    bootstrapInterval({ size, value: 1, address: 'a', statistic: () => calls++ })
    expect(calls).toBe(times)
  })
})
