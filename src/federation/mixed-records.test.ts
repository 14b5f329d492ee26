import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../numeric/linalg/matrix.js'
import { type Rng, rng } from '../numeric/random/rng.js'
import { mixedRecords } from './mixed-records.js'

/** Partners, draws of shares two by two, and coins, as they are written here. */
const scripted = ({ partners = [] as number[], gammas = [] as number[], coins = [] as number[] }): Rng => {
  let next = 0
  const streams: Record<string, object> = {
    partners: { permutation: () => Int32Array.from(partners) },
    shares: { gamma: (alpha: number) => alpha * gammas[next++]! },
    classes: { uniforms: () => Float64Array.from(coins) },
  }
  return { fork: (name: string) => streams[name]! } as unknown as Rng
}
const records = { features: matrixOf([[0, 10], [8, 20], [4, 40]]), labels: Float64Array.of(1, 2, 3) } // biome-ignore format: one line

describe('mixtures', () => {
  // Shares 1/4, 3/4 and 1/2, with the second, the third and the first record.
  const draws = { partners: [1, 2, 0], gammas: [1, 3, 3, 1, 2, 2] }

  test('are so much of a record and the rest of its partner, labels too', () => {
    const mixed = mixedRecords(records, { alpha: 2, classes: false, rng: scripted({ ...draws, coins: [0, 0, 0] }) })
    expect([...mixed.features.data]).toEqual([6, 17.5, 7, 25, 2, 25])
    expect([mixed.features.rows, mixed.features.cols]).toEqual([3, 2])
    expect([...mixed.labels]).toEqual([1.75, 2.25, 2])
  })

  test('have one of two classes, the own one where the coin falls below the share', () => {
    const mixed = mixedRecords(records, { alpha: 2, classes: true, rng: scripted({ ...draws, coins: [0.25, 0.74, 0.49] }) }) // biome-ignore format: one line
    expect([...mixed.labels]).toEqual([2, 2, 3])
    expect([...mixed.features.data]).toEqual([6, 17.5, 7, 25, 2, 25])
  })

  test('take all labels of a record, where it has several, from the same one', () => {
    const several = { ...records, labels: Float64Array.of(1, 10, 2, 20, 3, 30) }
    const rngOf = (coins: number[]) => scripted({ ...draws, coins })
    const classes = mixedRecords(several, { alpha: 1, classes: true, rng: rngOf([0.2, 0.9, 0.5]) })
    expect([...classes.labels]).toEqual([1, 10, 3, 30, 1, 10])
    const numbers = mixedRecords(several, { alpha: 1, classes: false, rng: rngOf([0, 0, 0]) })
    expect([...numbers.labels]).toEqual([1.75, 17.5, 2.25, 22.5, 2, 20])
  })

  test('of one record with itself keep all of its labels', () => {
    const one = { features: matrixOf([[3, 4]]), labels: Float64Array.of(5, 6) }
    const mixed = mixedRecords(one, { alpha: 1, classes: false, rng: scripted({ partners: [0], gammas: [1, 3], coins: [0] }) }) // biome-ignore format: one line
    expect([...mixed.features.data, ...mixed.labels]).toEqual([3, 4, 5, 6])
  })

  test('whose draws both vanish leave the record as it is', () => {
    const mixed = mixedRecords(records, { alpha: 1, classes: false, rng: scripted({ partners: [1, 2, 0], gammas: [0, 0, 0, 0, 0, 5], coins: [0, 0, 0] }) }) // biome-ignore format: one line
    expect([...mixed.features.data]).toEqual([0, 10, 8, 20, 0, 10])
    expect([...mixed.labels]).toEqual([1, 2, 1])
  })

  test('of no records are none', () => {
    const none = { features: matrix(0, 2), labels: new Float64Array(0) }
    const mixed = mixedRecords(none, { alpha: 1, classes: false, rng: rng(1) })
    expect([mixed.features.rows, mixed.features.cols, mixed.labels.length]).toEqual([0, 2, 0])
  })

  test('leave the records that were handed over as they were', () => {
    mixedRecords(records, { alpha: 1, classes: false, rng: rng(1) })
    expect([...records.features.data, ...records.labels]).toEqual([0, 10, 8, 20, 4, 40, 1, 2, 3])
  })
})
