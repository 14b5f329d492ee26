import { describe, expect, test } from 'vitest'
import type { Batch } from '../../models/functions.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { type SearchOptions, searchValues } from './search-values.js'
import type { Unknown } from './unknown-columns.js'

const binary = (name: string, place: number): Unknown => ({
  sensitive: { name, columns: [name], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] },
  places: [place],
  candidates: [[0], [1]],
})
const measured = (name: string, place: number): Unknown => ({
  sensitive: { name, columns: [name], kind: 'continuous', range: [0, 4] },
  places: [place],
  candidates: [[0], [1], [2], [3], [4]],
})
/** Squared distances of label and weighed columns, and how often they were asked for. */
function weighing(weights: readonly number[]) {
  const asked: Batch[] = []
  const energies = ({ features, labels }: Batch): Float64Array => {
    asked.push({ features: matrix(features.rows, features.cols, features.data.slice()), labels })
    return labels.map((y, i) => {
      const sum = weights.reduce((all, w, j) => all + w * features.data[i * weights.length + j]!, 0)
      return (y - sum) * (y - sum)
    })
  }
  return { energies, asked }
}
const search = (attributes: readonly Unknown[], weights: readonly number[], labels: readonly number[], more = {}) => {
  const { energies, asked } = weighing(weights)
  const known = matrix(labels.length, weights.length)
  const ticks: number[][] = []
  const options: SearchOptions = { energies, residuals: 1, tick: (...at) => void ticks.push(at), ...more }
  const found = searchValues({ attributes, known, labels: Float64Array.from(labels) }, options)
  return { ...found, asked: asked.length, ticks }
}

describe('few combinations', () => {
  test('are tried all together, each once; ties go to the first', () => {
    const { how, beliefs, filled, asked, ticks } = search([binary('a', 0), binary('b', 1)], [1, 2], [3, 1, 2, 0, 1.5])
    expect({ how, asked }).toEqual({ how: 'joint', asked: 4 })
    expect(ticks).toEqual([[0, 4], [1, 4], [2, 4], [3, 4]]) // biome-ignore format: one line
    expect(beliefs.map(({ values }) => [...values])).toEqual([[1, 1, 0, 0, 0], [1, 0, 1, 0, 1]]) // biome-ignore format: one line
    expect([...filled.data]).toEqual([1, 1, 1, 0, 0, 1, 0, 0, 0, 1])
    for (const { confidence } of beliefs) for (const p of confidence) expect(p > 0 && p <= 1).toBe(true)
    expect(beliefs[1]!.confidence[0]!).toBeGreaterThan(beliefs[1]!.confidence[4]!)
  })

  test('are weighed by what is usual, where it is told', () => {
    const prior = { logPriors: [[Math.log(0.99), Math.log(0.01)]] }
    const [plain, weighed] = [{}, prior].map(
      (more) => search([binary('a', 0)], [1], [0.6, 0.4, 1, 0], more).beliefs[0]!,
    )
    expect([...plain!.values]).toEqual([1, 0, 1, 0])
    expect([...weighed!.values].slice(0, 2)).toEqual([0, 0])
    expect(weighed!.confidence[3]!).toBeGreaterThan(plain!.confidence[3]!)
  })

  test('end at 64', () => {
    const six = Array.from({ length: 6 }, (_, j) => binary(`b${j}`, j))
    expect(search(six, [1, 2, 4, 8, 16, 32], [37])).toMatchObject({ how: 'joint', asked: 64 })
    const seven = Array.from({ length: 7 }, (_, j) => binary(`b${j}`, j))
    expect(search(seven, [1, 2, 4, 8, 16, 32, 64], [37]).how).toBe('block-coordinate')
  })
})

describe('a number', () => {
  test('by itself is looked for once', () => {
    const { how, beliefs, filled, ticks } = search([measured('m', 0)], [2], [3, 8, -1])
    expect(how).toBe('block-coordinate')
    for (const [i, x] of [1.5, 4, 0].entries()) expect(beliefs[0]!.values[i]).toBeCloseTo(x, 5)
    expect([...filled.data]).toEqual([...beliefs[0]!.values])
    expect(ticks.filter(([done, total]) => done === 0 && total === 1)).toHaveLength(1)
    expect(ticks.filter(([, total]) => total !== 1).every(([, total]) => total === 5)).toBe(true) // values of the grid
  })

  test('beside others is looked for in turns, until nothing changes', () => {
    const { beliefs, ticks, filled } = search([measured('m', 0), binary('b', 1)], [1, 10], [12, 3, 10])
    expect([...beliefs[1]!.values]).toEqual([1, 0, 1])
    for (const [i, x] of [2, 3, 0].entries()) expect(beliefs[0]!.values[i]).toBeCloseTo(x, 5)
    expect([...filled.data]).toEqual([0, 1, 2].flatMap((i) => [beliefs[0]!.values[i], beliefs[1]!.values[i]]))
    const sweeps = ticks.filter(([, total]) => total === 30).map(([done]) => done)
    expect(sweeps).toEqual(Array.from(sweeps, (_, k) => k))
    expect(sweeps.length).toBeGreaterThan(1)
    expect(sweeps.length).toBeLessThan(5)
  })

  test('is as uncertain as a cell of its grid at least', () => {
    const { beliefs } = search([measured('m', 0)], [100], [100, 200, 300])
    for (const error of beliefs[0]!.confidence) expect(error).toBeCloseTo(Math.sqrt(1 / 12), 2)
  })
})
