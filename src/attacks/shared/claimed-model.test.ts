import { describe, expect, test } from 'vitest'
import { contextFor } from '../../../test/attack-context.js'
import type { Model } from '../../models/model.js'
import { matrixOf } from '../../numeric/linalg/matrix.js'
import type { Outcome } from '../attack.js'
import { claimedModel, classifies, labelsOf } from './claimed-model.js'

describe('the model that another attack claims', () => {
  const ask = (outcome: object) => claimedModel(contextFor({ claims: { other: outcome as Outcome } }), 'other')
  const theta = Float64Array.of(1, 2)

  test('comes with the doubts of that attack, by its name', async () => {
    const claims = [{ kind: 'labels' }, { kind: 'model', theta }]
    expect(await ask({ status: 'claimed', claims, warnings: ['far off', 'late'] })).toEqual({
      theta,
      warnings: ['other: far off', 'other: late'],
    })
  })

  test('is missing where the attack does not apply, with its reason if it has one', async () => {
    await expect(
      ask({ status: 'not-applicable', missing: ['globals'], why: 'round 3 lacks it' }),
    ).rejects.toMatchObject({
      outcome: { missing: ['globals'] },
      message: expect.stringContaining('other is not applicable: round 3 lacks it'),
    })
    await expect(ask({ status: 'not-applicable', missing: ['model'] })).rejects.toThrow(/other is not applicable$/)
  })

  test('is not there where the attack claims something else', async () => {
    await expect(ask({ status: 'claimed', claims: [{ kind: 'labels' }], warnings: [] })).rejects.toMatchObject({
      code: 'E_INPUT',
      message: expect.stringContaining('other claims no model'),
    })
  })
})

test('labels are classes under a cross-entropy, and under the binary one of a single output', () => {
  const found = (loss: string, outputs: number) => classifies({ outputs }, { loss: loss as never })
  expect(found('cross-entropy', 3)).toBe(true)
  expect(found('cross-entropy', 1)).toBe(true)
  expect(found('binary-cross-entropy', 1)).toBe(true)
  expect(found('binary-cross-entropy', 2)).toBe(false)
  expect(found('mse', 1)).toBe(false)
})

describe('labels of outputs', () => {
  const model = (outputs: number, outputActivation = 'identity') => ({ outputs, outputActivation }) as Model
  const loss = (name: string) => ({ loss: name as never })

  test('are the largest of several, the first of equals', () => {
    const output = matrixOf([[1, 3, 2], [5, 5, 4], [-2, -1, -1], [0, 1, 9]]) // biome-ignore format: one line
    expect([...labelsOf(output, model(3), loss('cross-entropy'))]).toEqual([1, 0, 1, 2])
  })

  test('are the likelier side of one', () => {
    const output = matrixOf([[0], [0.1], [-0.1], [0.5], [0.6]])
    expect([...labelsOf(output, model(1), loss('binary-cross-entropy'))]).toEqual([0, 1, 0, 1, 1])
    expect([...labelsOf(output, model(1, 'sigmoid'), loss('binary-cross-entropy'))]).toEqual([0, 0, 0, 0, 1])
  })

  test('are the outputs themselves where labels are numbers', () => {
    expect([...labelsOf(matrixOf([[0.25], [-3]]), model(1), loss('mse'))]).toEqual([0.25, -3])
  })
})
