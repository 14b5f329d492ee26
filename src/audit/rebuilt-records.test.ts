import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { scoreClaim } from '../metrics/index.js'
import { mostShown, pictureShape, rebuiltOf } from './rebuilt-records.js'

describe('the shape of a picture', () => {
  const pixels = (n: number) => Array.from({ length: n }, (_, j) => `pixel_${j}`)
  test.each([
    [{ kind: 'lenet-mnist' }, ['a'], [1, 28, 28]],
    [{ kind: 'lenet-cifar' }, ['a'], [3, 32, 32]],
    [{ kind: 'lenet-dlg', inputs: [3, 8, 6], outputs: 2 }, ['a'], [3, 8, 6]],
    [{ kind: 'mlp', inputs: 16, outputs: 1 }, pixels(16), [1, 4, 4]],
    [{ kind: 'mlp', inputs: 12, outputs: 1 }, pixels(12), [3, 2, 2]],
    [{ kind: 'mlp', inputs: 13, outputs: 1 }, pixels(13), null],
    [{ kind: 'mlp', inputs: 2, outputs: 1 }, ['age', 'pixel_1'], null],
    [{ kind: 'opaque' }, [], null],
  ])('%j', (model, columns, shape) => {
    expect(pictureShape(model, columns)).toEqual(shape)
  })
})

describe('rebuilt records', () => {
  const X = Array.from({ length: 10 }, (_, i) => [i, 10 * i])
  const truth = truthOf({ clients: { c: tableOf(['a', 'b'], X, { labels: X.map(() => 0) }) } })
  const grading = { truth, known: {} }
  const claimOf = (features: number[][]) => ({ kind: 'records', client: 'c', round: 0, features, labels: [] }) as const

  test('stand beside the true ones they were paired with, the first few', async () => {
    const claim = claimOf([...X].reverse().map(([a, b]) => [a! + 0.1, b!]))
    const score = await scoreClaim(claim, grading)
    if ('missing' in score) throw new Error('not graded')
    const found = await rebuiltOf(claim, score, { grading, model: { kind: 'mlp', inputs: 2, outputs: 1 } })
    expect(found).toMatchObject({ columns: ['a', 'b'], shape: null })
    expect(found!.pairs).toHaveLength(mostShown)
    for (const [i, { truth: own, claimed }] of found!.pairs.entries()) {
      expect(own).toEqual([i, 10 * i])
      expect(claimed).toEqual([i + 0.1, 10 * i])
    }
  })

  test('that nothing was claimed of have nothing beside them', async () => {
    const two = { truth: truthOf({ clients: { c: tableOf(['a'], [[1], [-1]], { labels: [0, 0] }) } }), known: {} }
    const claim = claimOf([[-2]])
    const score = await scoreClaim(claim, two)
    if ('missing' in score) throw new Error('not graded')
    const { pairs } = (await rebuiltOf(claim, score, { grading: two, model: { kind: 'opaque' } }))!
    expect(pairs.map(({ claimed }) => claimed)).toEqual([null, [-2]])
  })

  test('are not shown where there are none, or no grade', async () => {
    const other = { kind: 'labels', client: 'c', round: 0, labels: [0] } as const
    expect(await rebuiltOf(other, null, { grading, model: { kind: 'opaque' } })).toBeUndefined()
    expect(await rebuiltOf(claimOf(X), null, { grading, model: { kind: 'opaque' } })).toBeUndefined()
  })
})
