import { expect, test } from 'vitest'
import { rowOf, scores, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { splitLevel, splitP } from './exchangeability.js'
import { decide, judge } from './judge.js'
import { leastAreaPlanned, planTest } from './plan.js'
import { defaultDraws } from './randomisation.js'
import { labellings, ranking, relabel } from './relabellings.js'
import type { Row } from './tables.js'

const options = { alpha: 0.05, trainings: 10, looks: 2, ...defaultDraws } as const

test('the plan is what the test then does', () => {
  const stream = streamOf(1)
  const sizes = new Map([
    ['relabel', [200, 200]],
    ['swap', [2]],
    ['match', [6]],
    ['rank', [1001]],
  ])
  const plan = planTest(sizes, options)
  const rows = [...sizes].map(([stratum, own]): Row => {
    const deals = Array.from({ length: 10 }, (_, s) =>
      own.map((size) => ({ ...rowOf('', [scores(stream, size)]).deals[0]!, training: s })),
    )
    return { id: stratum, step: 'record', stratum, deals: deals.flat() }
  })
  for (const one of decide(rows, { ...options, draws: 999, rng: rng(1) })) {
    const { looks, leastP } = planTest(sizes, { ...options, draws: 999 }).get(one.id)!
    expect(one).toMatchObject({ leastP, looks: looks.map(({ trainings }) => trainings), level: looks[0]!.level })
  }
  expect(plan.get('swap')).toMatchObject({ level: 0.0125, leastP: 1 / 1024, looks: [{ trainings: 10, level: 0.0125 }] })
  expect(plan.get('match')!.looks).toEqual([5, 10].map((trainings) => ({ trainings, level: 0.00625 })))
  expect(planTest(new Map([['swap', [2]]]), { ...options, trainings: 4 }).get('swap')!.untested).toEqual({
    reason: 'too-few-repeats',
    repeats: 5,
  })
  expect(planTest(sizes, { ...options, draws: 9 }).get('relabel')!.untested).toMatchObject({ reason: 'too-few-draws' })
})

test('the least area planned is near the one that the audit then tells', () => {
  const stream = streamOf(2)
  for (const [n, trainings] of [
    [20, 1],
    [100, 1],
    [20, 10],
  ] as const) {
    const told = Array.from({ length: 11 }, () => {
      const truth = Array.from({ length: 2 * n }, (_, i) => i < n)
      const deals = Array.from({ length: trainings }, (_, s) =>
        ranking(s, labellings(truth, { most: 199, rng: stream }), [scores(stream, 2 * n)]),
      )
      return judge([{ id: 'members', step: 'record', stratum: 'r', deals }], { rng: rng(1), draws: 999 })[0]!.leastSeen
    }).sort((a, b) => a - b)[5]!
    const planned = leastAreaPlanned({ areas: [{ positive: n, negative: n }], trainings, level: 0.05 })
    expect(planned / told).toBeGreaterThan(0.85)
    expect(planned / told).toBeLessThan(1.15)
  }
})

test('a split that was not random shows in the guess', () => {
  const stream = streamOf(3)
  const truth = Array.from({ length: 40 }, (_, i) => i < 20)
  const candidates = labellings(truth, { most: 9999, rng: stream })
  const of = (values: readonly number[]): number => {
    const mean = (records: Int32Array): number => records.reduce((sum, i) => sum + values[i]!, 0) / records.length
    const row = { id: 'guess', step: 'record', stratum: 'g', deals: [relabel(0, candidates, [mean])] } as const
    return splitP(row, { ...defaultDraws, rng: stream })
  }
  const noise = scores(stream, 40)
  expect(of(noise)).toBeGreaterThan(splitLevel)
  for (const sign of [1, -1]) expect(of(noise.map((x, i) => x + 2 * sign * Number(truth[i])))).toBeLessThan(splitLevel)
  expect(of(noise)).toBeCloseTo(of(noise.map((x) => -x)), 12)
  expect(of(noise.map(() => 0.5))).toBe(1)
})
