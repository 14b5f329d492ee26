import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../../test/hand-truth.js'
import { mlpSpec, protocolOf } from '../../../test/label-views.js'
import { functionsOf } from '../../models/functions.js'
import { createModel, type ModelSpec } from '../../models/index.js'
import { matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { explained, shuffledRecords, trueRecords } from './attribute-controls.js'

test('shuffled records keep their labels, however many each has', () => {
  for (const each of [1, 2]) {
    const features = matrixOf(Array.from({ length: 9 }, (_, i) => [i, 10 * i]))
    const labels = Float64Array.from({ length: 9 * each }, (_, at) => Math.floor(at / each) + (at % each) / 10)
    const view = { records: { columns: ['a', 'b'], features }, 'records.label': labels, kept: 1 }
    const { view: moved } = shuffledRecords({ view, rng: rng(1) })
    const first = Array.from({ length: 9 }, (_, i) => moved.records.features.data[2 * i]!)
    expect(first).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(first.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    for (const [i, x] of first.entries()) {
      expect(moved.records.features.data[2 * i + 1]).toBe(10 * x)
      for (let j = 0; j < each; j++) expect(moved['records.label'][i * each + j]).toBeCloseTo(x + j / 10, 12)
    }
    expect(moved).toMatchObject({ kept: 1, records: { columns: ['a', 'b'] } })
  }
})

describe('true records', () => {
  const truth = truthOf({ clients: { c: tableOf(['z', 'a', 'b'], [[0, 1, 2], [3, 4, 5]]) } }) // biome-ignore format: one line
  const known = (columns: string[], rows = 2) => ({ records: { columns, features: matrix(rows, columns.length) } })
  test('have the columns of the known ones, in their order', async () => {
    expect([...(await trueRecords(known(['b', 'z']), truth, 'c')).data]).toEqual([2, 0, 5, 3])
  })
  test('must be there, all of them', async () => {
    await expect(trueRecords(known(['a']), truth, 'd')).rejects.toThrow('no records of client "d"')
    await expect(trueRecords(known(['a', 'q']), truth, 'c')).rejects.toThrow('lacks the column "q"')
    await expect(trueRecords(known(['q', 'a']), truth, 'c')).rejects.toThrow('lacks the column "q"')
    await expect(trueRecords(known(['a'], 3), truth, 'c')).rejects.toThrow('the attacker was given 3')
  })
})

describe('labels that the true attributes explain', () => {
  const records = matrix(6, 3, rng(2).normals(18, { std: 3 }))
  const made = (change: object, of = records) => {
    const model = mlpSpec({ inputs: 3, hidden: [4], outputs: 1, ...change })
    const { theta, labels } = explained({ model, loss: 'mse', protocol: protocolOf() }, of, rng(3))
    const functions = functionsOf(createModel(model as ModelSpec), { loss: 'mse' })
    return { functions, theta, labels }
  }
  test.each<[string, object]>([
    ['rectifiers', {}],
    ['two layers of them', { hidden: [4, 3] }],
    ['a rectified output', { outputActivation: 'relu' }],
    ['a smooth layer', { activation: 'tanh', outputActivation: 'relu' }],
    ['an output between 0 and 1', { outputActivation: 'sigmoid' }],
    ['an output between -1 and 1', { outputActivation: 'tanh' }],
    ['the same without biases', { outputActivation: 'tanh', activation: 'sigmoid', bias: false }],
  ])('%s: they are what it predicts, and rise with every column', (_, change) => {
    const { functions, theta, labels } = made(change)
    expect([...functions.predict(theta, records).data]).toEqual([...labels])
    for (let j = 0; j < 3; j++) {
      const more = matrix(6, 3, records.data.map((v, at) => (at % 3 === j ? v + 0.5 : v))) // biome-ignore format: one line
      for (const [i, y] of functions.predict(theta, more).data.entries()) expect(y).toBeGreaterThan(labels[i]!)
    }
  })
  test('a bounded output has its middle in the middle, and ends at one on either side', () => {
    for (const outputActivation of ['sigmoid', 'tanh']) {
      const { functions, theta } = made({ outputActivation })
      const logits = functions.derive(6, ({ logit }) => [logit])({ theta, X: records.data })[0]!
      expect(Math.max(...logits)).toBeCloseTo(1, 10)
      expect(Math.min(...logits)).toBeCloseTo(-1, 10)
      const unbiased = made({ outputActivation, activation: 'sigmoid', bias: false })
      const own = unbiased.functions.derive(6, ({ logit }) => [logit])({ theta: unbiased.theta, X: records.data })[0]!
      expect(Math.max(...own)).toBeCloseTo(1, 10) // all above nothing: only scaled
    }
  })
  test('records that are all the same are explained as they are', () => {
    const same = matrix(4, 3, new Float64Array(12).fill(2))
    const { labels } = made({ outputActivation: 'tanh' }, same)
    expect(labels.every((y) => y === labels[0] && Number.isFinite(y))).toBe(true)
  })
})
