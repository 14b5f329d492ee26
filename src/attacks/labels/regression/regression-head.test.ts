import { describe, expect, test } from 'vitest'
import { mlpSpec, protocolOf } from '../../../../test/label-views.js'
import { flatOutput, gainOf, outputs, regressionHead } from './regression-head.js'

describe.each(Object.entries(outputs))('the output %s', (name, { value, slope, bend }) => {
  test.each([-2, -0.3, 0.4, 1.5])('has the slope and the bend of its value at %f', (u) => {
    const h = 1e-4
    expect(slope(u)).toBeCloseTo((value(u + h) - value(u - h)) / (2 * h), 7)
    expect(bend(u)).toBeCloseTo((slope(u + h) - slope(u - h)) / (2 * h), 7)
  })

  test('has slopes that are not lost far out', () => {
    if (name === 'sigmoid' || name === 'tanh') for (const u of [-40, 40]) expect(slope(u)).toBeGreaterThan(0)
    if (name === 'relu') expect([slope(-1), slope(0), slope(1e-9)]).toEqual([0, 0, 1])
  })
})

test('the gain is the slope where it enters, else 1', () => {
  expect(gainOf({ output: outputs.relu, factor: 2, sloped: true }, -1)).toBe(0)
  expect(gainOf({ output: outputs.relu, factor: 2, sloped: false }, -1)).toBe(1)
})

describe('the last layer', () => {
  const head = (model: object, { loss = 'mse', lossScale = 0.5 } = {}) =>
    regressionHead({
      model: mlpSpec({ inputs: 2, hidden: [3], outputs: 1, ...model }),
      loss,
      protocol: protocolOf({ lossScale }),
    } as never)

  test('lies at the end, its bias after its weights', () => {
    expect(head({})).toMatchObject({ outputs: 1, width: 3, weightAt: 9, biasAt: 12 })
    expect(head({ bias: false })).toMatchObject({ width: 3, weightAt: 6, biasAt: undefined })
    expect(head({ hidden: [3, 5] })).toMatchObject({ width: 5, weightAt: 29, biasAt: 34 })
    expect(head({ hidden: [3, 5], bias: false })).toMatchObject({ width: 5, weightAt: 21, biasAt: undefined })
    expect(head({ hidden: [] })).toMatchObject({ width: 2, weightAt: 0, biasAt: 2 })
    expect(head({ outputs: 2 })).toMatchObject({ outputs: 2, width: 6, weightAt: 9, biasAt: 15 })
    expect(head({ outputs: 2, bias: false })).toMatchObject({ width: 6, weightAt: 6, biasAt: undefined })
  })

  test('carries twice the error of a squared loss, through the slope of the output', () => {
    expect(head({})).toMatchObject({ factor: 1, sloped: true, plain: true, output: outputs.identity })
    expect(head({ outputs: 4 }, { lossScale: 2 })).toMatchObject({ factor: 1 })
    expect(head({ outputActivation: 'tanh' })).toMatchObject({ plain: false, sloped: true, output: outputs.tanh })
  })

  test('carries the error of a binary cross-entropy as it is', () => {
    for (const outputActivation of ['identity', 'sigmoid']) {
      const found = head({ outputActivation }, { loss: 'binary-cross-entropy' })
      expect(found).toMatchObject({ factor: 0.5, sloped: false, plain: true, output: outputs.sigmoid })
    }
  })

  test('over classes, or of several outputs under another loss, is none of a regression', () => {
    expect(() => head({}, { loss: 'cross-entropy' })).toThrow('the model is trained with cross-entropy over classes')
    expect(() => head({ outputs: 2 }, { loss: 'binary-cross-entropy' })).toThrow(
      'the model has 2 outputs under binary-cross-entropy',
    )
  })
})

test('a flat output is missing its slope', () => {
  expect(flatOutput('records')).toMatchObject({
    outcome: { missing: ['a slope of the output'] },
    message: expect.stringContaining('the output is flat for all records'),
  })
})
