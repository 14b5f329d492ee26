import { describe, expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { type BehaviourOptions, having, honest, type MadeTurn, type Property } from './made-up-clients.js'
import type { LocalTraining, LocalTurn } from './replayed-training.js'

/** A training that returns (3, 4) whatever it is trained on, uphill (-6, -8), and keeps what it was asked. */
function turnOf(change: Partial<MadeTurn> = {}, seed = 1) {
  const asked: LocalTurn[] = []
  const training = {
    parameters: 2,
    candidateRow: 100,
    mislabelledFrom: 50,
    change(turn: LocalTurn) {
      asked.push(turn)
      return turn.ascend ? Float64Array.of(-6, -8) : Float64Array.of(3, 4)
    },
  } as unknown as LocalTraining
  const draw = (count: number) => Int32Array.from({ length: count }, (_, i) => 7 + i)
  const vector = Float64Array.of(7, 5)
  const turn: MadeTurn = { training, size: 3, rng: rng(seed), draw, stale: [], noiseStd: 2, vector, ...change }
  return { turn, asked }
}

const options: BehaviourOptions = { maxNorm: 0, riding: 'any' }
function returned(property: Property, { maxNorm = 0, ...change }: Partial<MadeTurn> & { maxNorm?: number } = {}) {
  const { turn, asked } = turnOf(change)
  const update = having[property](turn, { ...options, maxNorm })
  return {
    update: [...update],
    rows: asked.map(({ rows }) => [...rows]),
    ascend: asked.map((one) => one.ascend ?? false),
  }
}

describe('what a made-up client returns', () => {
  test('honest: what training on as many records as it holds changes', () => {
    const { turn, asked } = turnOf()
    expect([...honest(turn)]).toEqual([3, 4])
    expect(asked).toEqual([{ rows: Int32Array.of(7, 8, 9), rng: turn.rng }])
  })

  test('the candidate in the place of one record, or all of them with other labels', () => {
    expect(returned('membership').rows).toEqual([[7, 8, 100]])
    expect(returned('membership', { size: 1 }).rows).toEqual([[100]])
    expect(returned('mislabelled')).toEqual({ update: [3, 4], rows: [[57, 58, 59]], ascend: [false] })
  })

  test('the opposite, or some coordinates times a number', () => {
    expect(returned('inversion')).toEqual({ update: [-3, -4], rows: [[7, 8, 9]], ascend: [false] })
    expect(returned('scaled')).toEqual({ update: [21, 20], rows: [[7, 8, 9]], ascend: [false] })
  })

  test.each([
    [0, [-6, -8]],
    [0.5, [-0.3, -0.4]],
    [5, [-3, -4]],
    [10, [-6, -8]],
    [11, [-6, -8]],
  ])('uphill, no longer than %d', (maxNorm, update) => {
    const found = returned('ascent', { maxNorm })
    expect(found).toMatchObject({ rows: [[7, 8, 9]], ascend: [true] })
    for (const [j, v] of update.entries()) expect(found.update[j]).toBeCloseTo(v, 12)
  })
})

describe('free riders', () => {
  const ride = (riding: BehaviourOptions['riding'], change: Partial<MadeTurn> = {}, seed = 1) => {
    const { turn, asked } = turnOf(change, seed)
    const update = having['free-rider'](turn, { ...options, riding })
    expect(asked).toEqual([])
    return update
  }
  const stale = [Float64Array.of(1, 2), Float64Array.of(3, 4), Float64Array.of(5, 6)]

  test('return nothing', () => {
    expect(ride('zero')).toEqual(new Float64Array(2))
    expect(ride('stale')).toEqual(new Float64Array(2))
  })

  test('return one of the changes they remember, which stays as it is', () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 30; seed++) {
      const update = ride('stale', { stale }, seed)
      seen.add(update.join())
      update.fill(9)
    }
    expect([...seen].sort()).toEqual(['1,2', '3,4', '5,6'])
    expect(stale[0]).toEqual(Float64Array.of(1, 2))
  })

  test('return noise, of the stated deviation in the median', () => {
    const loud = Array.from({ length: 400 }, (_, seed) => ride('noise', {}, seed))
    const logs = loud.map((update) => Math.log(Math.hypot(...update) / 2)).sort((a, b) => a - b)
    // |noise| of two coordinates has the median sqrt(2 ln 2); the loudness has the deviation 0.5 in logarithms.
    expect(Math.abs(logs[200]! - Math.log(2 * Math.LN2) / 2)).toBeLessThan(0.1)
    const mean = logs.reduce((sum, x) => sum + x / 400, 0)
    const variance = logs.reduce((sum, x) => sum + (x - mean) ** 2 / 400, 0)
    // That of the logarithm of |noise| is pi^2 / 24.
    expect(variance / (0.25 + Math.PI ** 2 / 24)).toBeGreaterThan(0.8)
    expect(variance / (0.25 + Math.PI ** 2 / 24)).toBeLessThan(1.25)
    expect(ride('noise', { noiseStd: 0 })).toEqual(new Float64Array(2))
  })

  test('of any kind: each about as often', () => {
    const counts = { zero: 0, stale: 0, noise: 0 }
    for (let seed = 0; seed < 300; seed++) {
      const text = ride('any', { stale: stale.slice(0, 1) }, seed).join()
      counts[text === '0,0' ? 'zero' : text === '1,2' ? 'stale' : 'noise']++
    }
    for (const count of Object.values(counts)) expect(Math.abs(count - 100)).toBeLessThan(30)
  })
})
