import { expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { madeUpTruth } from './made-up-truth.js'

const binary = { name: 's', kind: 'binary', columns: ['s'], values: [[-1], [1]] }
const range = { name: 'r', kind: 'continuous', columns: ['r', 'not here'], range: [2, 6] }

function truth(models: (Float64Array | undefined)[], { target = 'a' as string | null, ofModels = false, known = true, sensitive = true } = {}) {
  const table = { columns: ['x', 's', 'r'], features: matrix(200, 3, new Float64Array(600).fill(9)), labels: null }
  const knowledge = { records: async () => table, ...(sensitive && { sensitive: [binary, range] }) }
  const transcript = {
    rounds: () => models.map((_, i) => ({ round: 5 + i })),
    readRound: async (round: number) => ({ global: models[round - 5] }),
  }
  const sources = { transcript, ...(known && { knowledge }) }
  return { table, made: madeUpTruth(sources as never, target, rng(3), ofModels) }
} // biome-ignore format: a list

test('sensitive values are drawn anew, whatever is known of them, and nothing else', async () => {
  const { table, made } = truth([])
  const { features } = (await made.client('a'))!
  const column = (j: number) => Array.from({ length: 200 }, (_, i) => features.data[3 * i + j]!)
  expect(new Set(column(0))).toEqual(new Set([9]))
  expect(column(1).filter((x) => x === 1).length).toBeGreaterThan(60)
  expect(column(1).filter((x) => x === -1).length).toBeGreaterThan(60)
  const ranged = column(2)
  expect([Math.min(...ranged) >= 2, Math.min(...ranged) < 2.2, Math.max(...ranged) <= 6, Math.max(...ranged) > 5.8]).toEqual(Array(4).fill(true)) // biome-ignore format: a line
  expect(table.features.data.every((x) => x === 9)).toBe(true)
  expect(await made.client('b')).toBeUndefined()
  expect(await truth([], { ofModels: true }).made.client('a')).toBeUndefined()
  expect(await truth([], { known: false }).made.client('a')).toBeUndefined()
  expect((await truth([], { sensitive: false }).made.client('a'))!.features.data.every((x) => x === 9)).toBe(true)
  expect([made.batch({ round: 0, client: 'a' }), made.property('p'), made.warnings]).toEqual([undefined, undefined, []])
})

test('the optimum is as far away as models have come', async () => {
  const d = 4000
  const flat = (x: number) => new Float64Array(d).fill(x)
  const away = async (...models: (Float64Array | undefined)[]) => {
    const optimum = await truth(models).made.optimum('a')
    return optimum === undefined ? undefined : norm(optimum.map((x, j) => x - models.at(-1)![j]!)) / Math.sqrt(d)
  }
  expect(await away(flat(1), flat(3))).toBeCloseTo(2, 0)
  expect(await away(undefined, flat(3))).toBeCloseTo(3, 0)
  expect(await away(flat(3), flat(3))).toBeCloseTo(3, 0)
  expect((await away(flat(0), flat(0)))! * Math.sqrt(d)).toBeCloseTo(1, 1)
  expect(await away()).toBeUndefined()
  expect(await away(flat(1), undefined)).toBeUndefined()
  expect(await truth([flat(1)]).made.optimum('b')).toBeUndefined()
})
