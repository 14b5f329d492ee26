import { expect, test } from 'vitest'
import { syntheticAudit } from '../../studies/verdict-worlds.mjs'
import { rng } from '../numeric/random/rng.js'
import { binomialInterval } from '../numeric/special/binomial-interval.js'
import { decide } from './judge.js'
import { match, matchings } from './matchings.js'
import { labellings, ranking, relabel, swap } from './relabellings.js'

// A small part of studies/verdict-size.mjs: dependent rows, four strata, two targets, best of five attacks, two looks.
const build = { labellings, relabel, ranking, swap, match, matchings }
const world = { trainings: 8, targets: 2, trained: 5, held: 7, relabellings: 19, scores: 'normal', leak: 0 } as const

function audits(count: number, more: Partial<Parameters<typeof syntheticAudit>[2]>) {
  return Array.from({ length: count }, (_, i) => {
    const stream = rng('simulated audits').fork(i)
    const rows = syntheticAudit(build, stream, { ...world, ...more })
    return decide(rows, { looks: 2, draws: 199, enumerate: 1024, rng: stream.fork('test') })
  })
}

const shareWith = (found: ReturnType<typeof audits>, kind: string): number =>
  found.filter((rows) => rows.some(({ id, rejected }) => rejected && id.startsWith(kind))).length / found.length

test('an audit in which nothing is learned is alarmed in at most 5 of 100', () => {
  const found = audits(200, {})
  expect(found[0]!.map(({ looks }) => looks)).toEqual(Array(12).fill([4, 8]))
  const wrong = shareWith(found, 'null')
  expect(binomialInterval({ successes: Math.round(200 * wrong), trials: 200, confidence: 0.99 }).low).toBeLessThan(0.05)
  expect(wrong).toBeLessThan(0.1)
  // Without the correction a third of them would be.
  const uncorrected = found.filter((rows) => rows.some(({ p }) => p <= 0.05)).length / 200
  expect(uncorrected).toBeGreaterThan(0.2)
})

test('true leaks beside are found, and raise no alarm elsewhere', () => {
  const found = audits(80, { leak: 4 })
  expect(shareWith(found, 'leak')).toBe(1)
  expect(shareWith(found, 'null')).toBeLessThan(0.12)
})

test('the attack that is best for the truth, kept for every candidate, is alarmed nearly always', () => {
  expect(shareWith(audits(20, { keepBest: true }), 'null')).toBeGreaterThan(0.8)
})
