import { expect, test } from 'vitest'
import { checkDelta, checkMechanism, gaussianMuSquared, type Mechanism, reachOf } from './mechanism.js'

const gaussian: Mechanism = { kind: 'gaussian', noiseMultiplier: 2, sampleRate: 1, steps: 8 }
const refused = (change: object, neighbours: 'add-remove' | 'replace' = 'add-remove') => {
  const check = () => checkMechanism({ ...gaussian, ...change } as Mechanism, neighbours)
  return expect(check)
}

test('noise is accounted for from 0.05 to a million', () => {
  for (const noiseMultiplier of [0.05, 1e6]) refused({ noiseMultiplier }).not.toThrow()
  for (const noiseMultiplier of [0.0499, 1_000_000.5])
    refused({ noiseMultiplier }).toThrow(`noiseMultiplier is ${noiseMultiplier}; it is accounted for`)
  for (const noiseMultiplier of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    refused({ noiseMultiplier }).toThrow('a finite number above 0 is needed')
})

test('counts and rates', () => {
  for (const steps of [-1, 1.5, 1e9 + 1])
    refused({ steps }).toThrow(`steps is ${steps}; a whole number from 0 to 1e9 is needed`)
  for (const steps of [0, 1e9]) refused({ steps }).not.toThrow()
  for (const sampleRate of [0, 1.001]) refused({ sampleRate }).toThrow(`sampleRate is ${sampleRate}`)
  refused({ sampleRate: 1e-9 }).not.toThrow()
  refused({ kind: 'tree', leaves: 2, trees: -1 }).toThrow('trees is -1')
  refused({ kind: 'tree', leaves: 0.5, trees: 1 }).toThrow('leaves is 0.5')
  refused({ kind: 'laplace', scale: 0 }).toThrow('scale is 0')
  refused({ kind: 'laplace', scale: 1e-6, steps: -1 }).toThrow('steps is -1')
  refused({ kind: 'fixed-size', sampleRate: 0.5 }).toThrow('under the relation add-remove')
  refused({ kind: 'fixed-size', sampleRate: 0.5 }, 'replace').not.toThrow()
})

test('delta lies between 0 and 1', () => {
  for (const delta of [0, 1, Number.NaN]) expect(() => checkDelta(delta)).toThrow(`delta is ${delta}`)
  for (const delta of [1e-300, 0.999]) expect(() => checkDelta(delta)).not.toThrow()
})

test('Gaussian noise on all records is a distance over a deviation', () => {
  expect([reachOf('add-remove'), reachOf('replace')]).toEqual([1, 2])
  expect(gaussianMuSquared(gaussian, 'add-remove')).toBe(2)
  expect(gaussianMuSquared(gaussian, 'replace')).toBe(8)
  expect(gaussianMuSquared({ ...gaussian, sampleRate: 0.5 }, 'replace')).toBeUndefined()
  expect(gaussianMuSquared({ kind: 'laplace', scale: 1, steps: 1 }, 'replace')).toBeUndefined()
  const levels = [0, 1, 2, 3, 4, 7, 8, 1023, 1024].map((leaves) =>
    gaussianMuSquared({ kind: 'tree', noiseMultiplier: 1, leaves, trees: 3 }, 'add-remove'),
  )
  expect(levels).toEqual([0, 3, 6, 6, 9, 9, 12, 30, 33])
})
