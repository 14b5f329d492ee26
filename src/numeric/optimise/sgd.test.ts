import { expect, test } from 'vitest'
import { type SgdOptions, sgd } from './sgd.js'

/** Positions after each of three steps from 0 with gradient 1. */
function walk(options: SgdOptions, x0 = 0): number[] {
  const method = sgd(options)
  const x = Float64Array.of(x0)
  const state = method.init(1)
  return [1, 2, 3].map(() => {
    method.stepInto(x, Float64Array.of(1), state)
    return x[0]!
  })
}
const near = (expected: number[]) => expected.map((value) => expect.closeTo(value, 14))

test('plain', () => expect(walk({ learningRate: 0.1 })).toEqual(near([-0.1, -0.2, -0.3])))

// b = 1, 1.9, 2.71
test('momentum starts undamped', () => {
  expect(walk({ learningRate: 0.1, momentum: 0.9 })).toEqual(near([-0.1, -0.29, -0.561]))
})

// steps 1 + 0.9 b = 1.9, 2.71, 3.439
test('nesterov looks ahead', () => {
  expect(walk({ learningRate: 0.1, momentum: 0.9, nesterov: true })).toEqual(near([-0.19, -0.461, -0.8049]))
})

// g = 1 + 0.5 x from x = 2: 2, then x = 1.8 and g = 1.9, then x = 1.61 and g = 1.805
test('weight decay enters the gradient', () => {
  expect(walk({ learningRate: 0.1, weightDecay: 0.5 }, 2)).toEqual(near([1.8, 1.61, 1.4295]))
})

// g = 1 + x from x = 2: 3, then x = 1.7 and g = 2.7, then x = 1.43 and g = 2.43
test('weight decay of 1 as any other', () => {
  expect(walk({ learningRate: 0.1, weightDecay: 1 }, 2)).toEqual(near([1.7, 1.43, 1.187]))
})

// b = 2; x = 1.8, b = 0.9 * 2 + 1.9 = 3.7; x = 1.43, b = 0.9 * 3.7 + 1.715 = 5.045
test('weight decay enters the momentum too', () => {
  expect(walk({ learningRate: 0.1, momentum: 0.9, weightDecay: 0.5 }, 2)).toEqual(near([1.8, 1.43, 0.9255]))
})

test('what cannot be meant is refused', () => {
  expect(() => sgd({ learningRate: 0 })).toThrow('learningRate is 0; it must be finite, above 0')
  expect(() => sgd({ learningRate: 1, momentum: 1 })).toThrow('momentum is 1')
  expect(() => sgd({ learningRate: 1, weightDecay: Number.NaN })).toThrow('weightDecay is NaN')
  const method = sgd({ learningRate: 1 })
  expect(() => method.stepInto(new Float64Array(3), new Float64Array(2), method.init(3))).toThrow('a gradient of 2')
})

test('velocity is kept where there is momentum alone', () => {
  const lengths = [0, 0.5].map((momentum) => sgd({ learningRate: 1, momentum }).init(5).momentum.length)
  expect(lengths).toEqual([0, 5])
})
