import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { sigmoid } from '../../numeric/special/elementary-functions.js'
import { calibrationError } from './calibration.js'
import { calibrationErrorOf, logOddsOf, reliabilityOf, surenessOf } from './sureness.js'

/** Claims whose true log odds are those stated over a temperature. */
function drawn(n: number, temperature: number, seed = 1): { sure: number; right: boolean }[] {
  const [odds, luck] = [rng(seed).fork('odds').uniforms(n), rng(seed).fork('luck').uniforms(n)]
  return Array.from({ length: n }, (_, i) => {
    const l = 8 * odds[i]!
    return { sure: sigmoid(l), right: luck[i]! < sigmoid(l / temperature) }
  })
}

describe('claims', () => {
  test('that are about equally sure are counted together, the surest last', () => {
    const claims = [
      { sure: 1, right: true },
      { sure: 0.5, right: false },
      { sure: 0.501, right: true },
      { sure: 0.9, right: true },
      { sure: 0, right: false },
    ]
    expect(surenessOf(claims)).toEqual([
      [-14, 0, 1],
      [0, 1, 2],
      [2.2, 1, 1],
      [14, 1, 1],
    ])
    expect(surenessOf([])).toEqual([])
  })

  test('have log odds within what can be told', () => {
    expect([logOddsOf(0.5), logOddsOf(1), logOddsOf(0), logOddsOf(1 - 1e-12)]).toEqual([0, 14, -14, 14])
  })

  test('have the calibration error that they have one by one', () => {
    const claims = drawn(4000, 3)
    const exact = calibrationError(
      claims.map(({ sure }) => sure),
      claims.map(({ right }) => (right ? 1 : 0)),
    )
    expect(exact).toBeGreaterThan(0.1)
    expect(Math.abs(calibrationErrorOf(reliabilityOf(surenessOf(claims))) - exact)).toBeLessThan(0.01)
  })
})
