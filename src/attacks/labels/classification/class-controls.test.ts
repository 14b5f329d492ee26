import { describe, expect, test } from 'vitest'
import { headView, protocolOf, truthOf } from '../../../../test/label-views.js'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import { meanEmbedding, plantedLabels, shiftedLabels } from './class-controls.js'

const view = {
  ...headView({ gradW: [[1, 2], [3, 4], [5, 6]], gradB: [7, 8, 9], W: [[1, 1], [2, 2], [3, 3]], b: [4, 5, 6], K: 4 }), // biome-ignore format: one line
  protocol: protocolOf({ lossScale: 0.5 }),
}
const truthWith = (labels: readonly number[]) =>
  truthOf({ features: matrix(labels.length, 2), labels: Float64Array.from(labels) })
const truth = truthWith([2, 0, 2, 2])
const heard = ({ update }: Exchange): number[] => (update.kind === 'gradient' ? [...update.grad] : [])
/** [rows of W, b] of a message. */
const layers = (flat: readonly number[]) => [flat.slice(0, 2), flat.slice(2, 4), flat.slice(4, 6), flat.slice(6)]

describe('a planted batch', () => {
  test('of a blank head has rows p - k / K, in the units that were heard', async () => {
    const { view: planted } = await plantedLabels({ view, truth }, { head: 'blank', embedding: Float64Array.of(2, 10) })
    const exchange = await planted.exchanges.read(3)
    const d = [1 / 3 - 1 / 4, 1 / 3, 1 / 3 - 3 / 4]
    const expected = [...d.map((x) => [x, 5 * x]), d.map((x) => x / 2)] // half of 2 and of 10: the scale of the loss
    for (const [i, row] of layers(heard(exchange)).entries()) {
      for (const [j, x] of row.entries()) expect(x).toBeCloseTo(expected[i]![j]!, 14)
    }
    expect([...exchange.received!]).toEqual(new Array(9).fill(0))
  })

  test('of a sure head leaves p out and the model as it was; ones are read unless told', async () => {
    const { view: planted } = await plantedLabels({ view, truth }, { head: 'sure' })
    const exchange = await planted.exchanges.read(3)
    expect(layers(heard(exchange))).toEqual([[-0.125, -0.125], [0, 0], [-0.375, -0.375], [-0.125, 0, -0.375]]) // biome-ignore format: one line
    expect([...exchange.received!]).toEqual([1, 1, 2, 2, 3, 3, 4, 5, 6])
  })

  test('is as large as a gradient where the rate of a change is not told', async () => {
    const exchange = await view.exchanges.read(3)
    const update = { kind: 'delta', dTheta: new Float64Array(9).fill(1) } as const
    const exchanges = { rounds: [3], read: async (_: number) => ({ ...exchange, update }) }
    const { view: planted } = await plantedLabels({ view: { ...view, exchanges }, truth }, { head: 'sure' })
    const { update: sent } = await planted.exchanges.read(3)
    expect(sent.kind === 'delta' && [...sent.dTheta]).toEqual([0.25, 0.25, -0, -0, 0.75, 0.75, 0.25, -0, 0.75])
  })

  test('lies as the layer does, a column for each class where other frameworks have it so', async () => {
    const parameters = [{ name: 'fc.weight', shape: [2, 3] }, { name: 'fc.bias', shape: [3] }] // biome-ignore format: one line
    const turned = { ...view, parameters }
    const { view: planted } = await plantedLabels({ view: turned, truth }, { head: 'sure', embedding: Float64Array.of(1, 8) }) // biome-ignore format: one line
    const row = [-0.125, 0, -0.375] // half of -k / K: the scale of the loss
    expect(heard(await planted.exchanges.read(3)).map((x) => x + 0)).toEqual([...row, ...row.map((x) => 8 * x), ...row])
  })

  test('holds no class that the model does not know', async () => {
    await expect(plantedLabels({ view, truth: truthWith([3, 0, 1, 1]) }, { head: 'sure' })).rejects.toThrow('class 3')
  })

  test('is in the attacked round alone', async () => {
    const other: Exchange = { ...(await view.exchanges.read(3)), round: 4 }
    const exchanges = { rounds: [3, 4], read: async (round: number) => (round === 3 ? view.exchanges.read(3) : other) }
    const { view: planted } = await plantedLabels({ view: { ...view, exchanges }, truth }, { head: 'sure' })
    expect(await planted.exchanges.read(4)).toBe(other)
  })
})

test('shifted labels move every row by the same step, which is not none', async () => {
  const rows = [[1, 2], [3, 4], [5, 6]] // biome-ignore format: one line
  const seen = new Set<number>()
  for (let seed = 0; seed < 12; seed++) {
    const { view: shifted } = await shiftedLabels({ view, rng: rng(seed) })
    const [a, b, c, bias] = layers(heard(await shifted.exchanges.read(3)))
    const by = [a, b, c].findIndex((row) => row!.join() === rows[0]!.join())
    seen.add(by)
    for (const [i, row] of rows.entries()) expect([a, b, c][(i + by) % 3]).toEqual(row)
    for (const [i, x] of [7, 8, 9].entries()) expect(bias![(i + by) % 3]).toBe(x)
  }
  expect([...seen].sort()).toEqual([1, 2])
})

test('shifted labels are other columns where a class is a column', async () => {
  const parameters = [{ name: 'fc.weight', shape: [2, 3] }, { name: 'fc.bias', shape: [3] }] // biome-ignore format: one line
  const { view: shifted } = await shiftedLabels({ view: { ...view, parameters }, rng: rng(1) })
  const found = heard(await shifted.exchanges.read(3))
  // As heard: [[1, 2, 3], [4, 5, 6]] beside [7, 8, 9]. All of them move on together.
  const by = found.indexOf(1)
  expect([1, 2]).toContain(by)
  for (const from of [0, 3, 6]) for (let i = 0; i < 3; i++) expect(found[from + ((i + by) % 3)]).toBe(from + i + 1)
})

test('the mean embedding is that of each column', () => {
  expect([...meanEmbedding(matrixOf([[1, 10], [2, 20], [6, 60]]))]).toEqual([3, 30]) // biome-ignore format: one line
})
