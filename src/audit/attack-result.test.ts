import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findingWith, scoreWith } from '../../test/audit-results.js'
import { plain, worstFinding } from './attack-result.js'

describe('plain data', () => {
  test('has lists in place of typed arrays, at any depth, and goes through JSON unchanged', () => {
    const claim = plain({
      kind: 'records',
      client: '0',
      round: 2,
      labels: Int32Array.of(1, 0),
      features: [Float64Array.of(1.5, -2), Float32Array.of(0.5)],
    })
    expect(claim).toEqual({ kind: 'records', client: '0', round: 2, labels: [1, 0], features: [[1.5, -2], [0.5]] })
    expect(JSON.parse(JSON.stringify(claim))).toEqual(claim)
  })

  test('leaves what JSON holds as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plain<unknown>(value)).toEqual(value)
      }),
    )
  })
})

describe('the finding that counts', () => {
  const worst = (...lifts: (number | null | 'none')[]) =>
    worstFinding({ findings: lifts.map((lift) => findingWith(lift === 'none' ? null : scoreWith({ lift }))) })

  test('is the only one, or of several the one with the most lift', () => {
    expect(worst(0.2)?.score.lift).toBe(0.2)
    expect(worst(0.1, 'none', 0.4, 0.3)?.score.lift).toBe(0.4)
    expect(worst('none')).toBeUndefined()
    expect(worst()).toBeUndefined()
  })

  test('is there however far below chance it lies, and without a lift too', () => {
    expect(worst(-31.9, -40)?.score.lift).toBe(-31.9)
    expect(worst(null)).toBeDefined()
    expect(worst(null, -2)?.score.lift).toBe(-2)
  })
})
