import { describe, expect, test } from 'vitest'
import type { Problem } from '../linear-problem.js'
import { canRehearse, playsAlike } from './rehearsed-turns.js'
import { canMend } from './replayed-guesses.js'

const plain = { momentum: 0, proxMu: 0, dropout: 0, differentialPrivacy: null, batchSize: null }
const problem = (states: object = {}, more: object = {}): Problem =>
  ({ view: { protocol: { ...plain, ...states } }, steps: 1, samples: 8, candidates: { records: 8 }, ...more }) as never
const privacy = (noiseMultiplier: number | null) => ({ differentialPrivacy: { maxNorm: 1, noiseMultiplier, sampleRate: null } }) // biome-ignore format: a line

describe('a turn', () => {
  test.each([
    [{}, {}, false, true],
    [{ batchSize: 8 }, {}, false, true],
    [{ batchSize: 9 }, {}, false, true],
    [{ batchSize: 7 }, {}, true, false],
    [{}, { steps: 2 }, true, true],
    [{ momentum: 0.5 }, {}, true, false],
    [privacy(0.1), {}, true, false],
    [privacy(0), {}, false, true],
    [privacy(null), {}, false, true],
    [{}, { samples: 9 }, false, false],
  ])('under %j, %j: worth playing over %s, the same whenever it is %s', (states, more, worth, alike) => {
    expect(canRehearse(problem(states, more))).toBe(worth)
    expect(playsAlike(problem(states, more))).toBe(alike)
  })
})

describe('guesses are mended', () => {
  const sized = (more: object) =>
    canMend({ gradients: { records: 100, values: 3, size: 250 }, steps: 10, rounds: { length: 5 }, samples: 750, rate: 'known', ...more } as never) // biome-ignore format: a line

  test('where all flips cost 1.5e9 multiplications at most, over as many rounds as unknowns need', () => {
    // 200 unknowns over 250 parameters, four equations each: 4 rounds of 200 * 10 * 750 * 250 each.
    expect(sized({})).toBe(true)
    expect(sized({ samples: 751 })).toBe(false)
    expect(sized({ samples: 751, rounds: { length: 3 } })).toBe(true)
    expect(sized({ samples: 1000, rounds: { length: 3 } })).toBe(true)
    expect(sized({ samples: 1001, rounds: { length: 3 } })).toBe(false)
    expect(sized({ gradients: { records: 50, values: 3, size: 250 }, samples: 2000 })).toBe(true) // no fewer than 3
    expect(sized({ gradients: { records: 50, values: 3, size: 250 }, samples: 2001 })).toBe(false)
  })
  test('at a rate that is known', () => {
    expect(sized({ rate: 'one' })).toBe(false)
  })
})
