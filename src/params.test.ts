import { expect, test } from 'vitest'
import { choice, flag, number, numbers, readParams, text, whole } from './params.js'

const params = {
  noise: number({ default: 0.5, min: 0, doc: 'deviation' }),
  clients: whole({ default: 2, min: 1, doc: 'clients' }),
  sizes: numbers({ default: [1, 2], min: 0, whole: true, doc: 'sizes' }),
  covariance: choice({ default: 'leaf', choices: ['leaf', 'lmra'], doc: 'which' }),
  column: text({ default: 'client', doc: 'column' }),
  unique: flag({ default: false, doc: 'drop copies' }),
}

test('defaults, and values given as such or as text', () => {
  expect(readParams(params, {}, 'x')).toEqual({
    noise: 0.5,
    clients: 2,
    sizes: [1, 2],
    covariance: 'leaf',
    column: 'client',
    unique: false,
  })
  const given = { noise: '1.5', clients: 3, sizes: '4,0', covariance: 'lmra', column: 'a', unique: 'true' }
  expect(readParams(params, given, 'x')).toEqual({ ...given, noise: 1.5, sizes: [4, 0], unique: true })
  expect(readParams(params, { sizes: 3 }, 'x')).toMatchObject({ sizes: [3] })
})

test.each([
  [{ noises: 1 }, /unknown parameter of x: "noises" \(did you mean "noise"\?\)/],
  [{ noise: -1 }, 'x: noise is -1; a number from 0 is needed'],
  [{ noise: Number.NaN }, /x: noise is null/],
  [{ noise: ' ' }, /a number from 0/],
  [{ clients: 1.5 }, /a whole number from 1/],
  [{ sizes: [1, -2] }, /sizes\[1\] is -2/],
  [{ sizes: { 0: 3 } }, /a list of numbers/],
  [{ covariance: 'left' }, /one of leaf, lmra/],
  [{ column: 1 }, /text is needed/],
  [{ unique: 1 }, /true or false/],
])('%j is refused', (given, message) => {
  expect(() => readParams(params, given, 'x')).toThrow(message)
})
