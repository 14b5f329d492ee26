import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scoreWith } from '../../test/audit-results.js'
import { claimJson, plain, worstScore } from './attack-result.js'

describe('plain data', () => {
  test('has lists in place of typed arrays, at any depth, and goes through JSON unchanged', () => {
    const claim = claimJson({
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
        expect(plain(value)).toEqual(value)
      }),
    )
  })
})

describe('the score that counts', () => {
  const lift = (x: number | null) => scoreWith({ lift: x })

  test('is the only one, or of several the one with the most lift', () => {
    expect(worstScore({ score: lift(0.2) })?.lift).toBe(0.2)
    expect(worstScore({ score: null, scores: [lift(0.1), null, lift(0.4), lift(0.3)] })?.lift).toBe(0.4)
    expect(worstScore({ score: null, scores: [null] })).toBeNull()
    expect(worstScore({ score: null })).toBeNull()
  })

  test('is there however far below chance it lies, and without a lift too', () => {
    expect(worstScore({ score: null, scores: [lift(-31.9), lift(-40)] })?.lift).toBe(-31.9)
    expect(worstScore({ score: null, scores: [lift(null)] })).not.toBeNull()
    expect(worstScore({ score: null, scores: [lift(null), lift(-2)] })?.lift).toBe(-2)
  })
})
