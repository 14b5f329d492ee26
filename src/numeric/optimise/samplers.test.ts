import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { randomSampler, type Sampler, tpeSampler } from './samplers.js'
import { choice, fits, integerRange, logRange, range, type Setting, type Space } from './search-space.js'
import { study } from './tuning-study.js'
import type { FinishedTrial } from './tuning-trial.js'

// Minimum 0.397887 (Surjanovic and Bingham, Virtual Library of Simulation Experiments, for all three)
const branin = {
  space: { x: range(-5, 10), y: range(0, 15) },
  loss: (p: Setting) => {
    const [x, y] = [Number(p.x), Number(p.y)]
    const a = y - (5.1 / (4 * Math.PI ** 2)) * x * x + (5 / Math.PI) * x - 6
    return a * a + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10
  },
}
const cube = (n: number, low: number, high: number): Space =>
  Object.fromEntries(Array.from({ length: n }, (_, j) => [`x${j}`, range(low, high)]))
const coordinates = (p: Setting) => Object.values(p).map(Number)

// Minimum -3.32237
const hartmann6 = {
  space: cube(6, 0, 1),
  loss: (p: Setting) => {
    const A = [
      [10, 3, 17, 3.5, 1.7, 8],
      [0.05, 10, 17, 0.1, 8, 14],
      [3, 3.5, 1.7, 10, 17, 8],
      [17, 8, 0.05, 10, 0.1, 14],
    ]
    const P = [
      [1312, 1696, 5569, 124, 8283, 5886],
      [2329, 4135, 8307, 3736, 1004, 9991],
      [2348, 1451, 3522, 2883, 3047, 6650],
      [4047, 8828, 8732, 5743, 1091, 381],
    ]
    const x = coordinates(p)
    const bump = (i: number) => A[i]!.reduce((sum, a, j) => sum + a * (x[j]! - P[i]![j]! / 1e4) ** 2, 0)
    return -[1, 1.2, 3, 3.2].reduce((sum, alpha, i) => sum + alpha * Math.exp(-bump(i)), 0)
  },
}
// Minimum 0, moved off the middle of the range, where the prior of the estimator happens to sit
const ackley4 = {
  space: cube(4, -32.768, 32.768),
  loss: (p: Setting) => {
    const x = coordinates(p).map((xj) => xj - 7)
    const mean = (f: (xj: number) => number) => x.reduce((sum, xj) => sum + f(xj), 0) / x.length
    const root = Math.sqrt(mean((xj) => xj * xj))
    return 20 + Math.E - 20 * Math.exp(-0.2 * root) - Math.exp(mean((xj) => Math.cos(2 * Math.PI * xj)))
  },
}
// A log range whose best place depends on a choice, a range that matters for one option only, and a whole number
const tuning = {
  space: { rate: logRange(1e-5, 10), momentum: range(0, 1), layers: integerRange(1, 8), kind: choice(['a', 'b', 'c']) },
  loss: (p: Setting) => {
    const rate = (Math.log10(Number(p.rate)) - { a: -1, b: -3, c: -2 }[String(p.kind) as 'a']) ** 2
    const momentum = p.kind === 'a' ? 4 * (Number(p.momentum) - 0.9) ** 2 : 0.3
    return rate + momentum + 0.2 * Math.abs(Number(p.layers) - 3)
  },
}

interface Problem {
  readonly space: Space
  readonly loss: (p: Setting) => number
}

function bestOf({ space, loss }: Problem, sampler: Sampler, seed: number): number {
  const tuned = study({ space, rng: rng(seed), sampler })
  for (let t = 0; t < 50; t++) {
    const trial = tuned.ask()
    tuned.tell(trial, loss(trial.params))
  }
  return tuned.best()!.value!
}

/** P(at least `wins` of n fair coins). */
function signTest(wins: number, n: number): number {
  let [term, tail] = [0.5 ** n, 0]
  for (let k = 0; k <= n; k++) {
    if (k >= wins) tail += term
    term *= (n - k) / (k + 1)
  }
  return tail
}

describe('TPE against random search, 50 trials, 30 seeds, paired', () => {
  test.each(Object.entries({ branin, hartmann6, ackley4, tuning }))('%s', (name, problem: Problem) => {
    const pairs = Array.from({ length: 30 }, (_, seed) => ({
      tpe: bestOf(problem, tpeSampler(), seed),
      random: bestOf(problem, randomSampler(), seed),
    }))
    const wins = pairs.filter(({ tpe, random }) => tpe < random).length
    const decided = pairs.filter(({ tpe, random }) => tpe !== random).length
    const meanRank = 1 + (pairs.length - wins - (pairs.length - decided) / 2) / pairs.length
    const p = signTest(wins, decided)
    const message = `${name}: TPE won ${wins} of ${decided}, mean rank ${meanRank.toFixed(2)} to ${(3 - meanRank).toFixed(2)}, sign test p = ${p.toExponential(1)}`
    expect(p, message).toBeLessThan(1e-3)
  })
})

const mixed = {
  rate: logRange(1e-4, 1),
  beta: range(-1, 1),
  layers: integerRange(1, 3),
  width: integerRange(8, 512, { log: true }),
  kind: choice(['a', 'b', null]),
  only: choice([7]),
  fixed: range(2, 2),
  one: integerRange(4, 4),
}

/** Trials whose loss is their number. */
function history(count: number, params: (t: number) => Setting, over: Partial<FinishedTrial> = {}): FinishedTrial[] {
  return Array.from({ length: count }, (_, number) => {
    return { number, params: params(number), state: 'complete', value: number, reports: [], ...over }
  })
}
const request = { space: mixed as Space, finished: [] as readonly FinishedTrial[], direction: 'minimise' } as const

describe.each([randomSampler(), tpeSampler(), tpeSampler({ startupTrials: 1, candidates: 1 })])('$name', (sampler) => {
  test('gives settings that fit, the same for the same request', () => {
    const finished = history(20, (t) => randomSampler().sample({ ...request, rng: rng(1).fork(t) }))
    for (let t = 0; t < 100; t++) {
      const setting = sampler.sample({ ...request, finished: finished.slice(0, t), rng: rng(2).fork(t) })
      expect(Object.keys(setting)).toEqual(Object.keys(mixed))
      for (const [name, dimension] of Object.entries(mixed)) expect(fits(dimension, setting[name])).toBe(true)
      expect(sampler.sample({ ...request, finished: finished.slice(0, t), rng: rng(2).fork(t) })).toEqual(setting)
    }
  })

  test('a dimension more moves no other', () => {
    const { kind, ...fewer } = mixed
    const finished = history(15, (t) => randomSampler().sample({ ...request, rng: rng(1).fork(t) }))
    const all = sampler.sample({ ...request, finished, rng: rng(3) })
    const some = sampler.sample({ ...request, space: fewer, finished, rng: rng(3) })
    expect({ ...some, kind: all.kind }).toEqual(all)
  })

  test('a space of nothing gives a setting of nothing', () => {
    expect(sampler.sample({ ...request, space: {}, finished: history(12, () => ({})), rng: rng(1) })).toEqual({})
  })
})

test('random settings are spread evenly: in logarithms for a log range, over whole numbers and options', () => {
  const draws = Array.from({ length: 3000 }, (_, t) => randomSampler().sample({ ...request, rng: rng(5).fork(t) }))
  const share = (test: (p: Setting) => boolean) => draws.filter(test).length / draws.length
  const sd = Math.sqrt(0.25 / draws.length)
  expect(Math.abs(share((p) => Number(p.rate) < 1e-2) - 0.5)).toBeLessThan(4 * sd)
  expect(Math.abs(share((p) => Number(p.beta) < 0) - 0.5)).toBeLessThan(4 * sd)
  for (const n of [1, 2, 3]) expect(Math.abs(share((p) => p.layers === n) - 1 / 3)).toBeLessThan(4 * sd)
  for (const option of ['a', 'b', null]) expect(Math.abs(share((p) => p.kind === option) - 1 / 3)).toBeLessThan(4 * sd)
})

describe('tpe', () => {
  const space: Space = { x: range(0, 1), kind: choice(['good', 'bad']), n: integerRange(0, 9) }
  const near = (t: number): Setting => (t < 5 ? { x: 0.8, kind: 'good', n: 7 } : { x: 0.2, kind: 'bad', n: 2 })
  const picks = (finished: readonly FinishedTrial[], direction: 'minimise' | 'maximise' = 'minimise') =>
    Array.from({ length: 200 }, (_, t) => tpeSampler().sample({ space, finished, direction, rng: rng(9).fork(t) }))
  const shareAbove = (settings: readonly Setting[]) => settings.filter(({ x }) => Number(x) > 0.5).length / 200

  test('goes where the good trials are, in every kind of dimension', () => {
    const settings = picks(history(40, near))
    expect(shareAbove(settings)).toBeGreaterThan(0.9)
    expect(settings.filter(({ kind }) => kind === 'good').length).toBeGreaterThan(180)
    expect(settings.filter(({ n }) => Number(n) >= 5).length).toBeGreaterThan(180)
  })

  test('maximising turns it round', () => {
    expect(shareAbove(picks(history(40, near), 'maximise'))).toBeLessThan(0.1)
  })

  test('shuns what failed, even if nothing else is known to be bad', () => {
    // 30 failures at 0.8, 6 complete trials at 0.2
    const failed = history(36, (t) => ({ x: t < 30 ? 0.8 : 0.2, kind: 'good', n: 1 })).map((trial, t) =>
      t < 30 ? { ...trial, state: 'failed' as const, value: null } : trial,
    )
    expect(shareAbove(picks(failed))).toBeLessThan(0.1)
  })

  test('when all have failed it goes elsewhere', () => {
    expect(
      shareAbove(picks(history(20, () => ({ x: 0.8, kind: 'bad', n: 1 }), { state: 'failed', value: null }))),
    ).toBeLessThan(0.3)
  })

  test('ranks pruned trials behind complete ones, the furthest first', () => {
    const reports = (step: number) => [{ step, value: -1e9 }]
    const pruned = history(40, (t) => ({ x: t < 20 ? 0.8 : 0.2, kind: 'good', n: 1 })).map((trial, t) =>
      t < 20 ? { ...trial, state: 'pruned' as const, value: -1e9, reports: reports(3) } : trial,
    )
    expect(shareAbove(picks(pruned))).toBeLessThan(0.1)
    const allPruned = pruned.map((trial, t) => ({
      ...trial,
      state: 'pruned' as const,
      reports: reports(t < 20 ? 3 : 9),
    }))
    expect(shareAbove(picks(allPruned))).toBeLessThan(0.1)
  })

  test('what cannot be meant is refused', () => {
    expect(() => tpeSampler({ startupTrials: 0 })).toThrow('startupTrials is 0')
    expect(() => tpeSampler({ candidates: 0 })).toThrow('candidates is 0')
  })
})
