import { marksOf, type Heard as Sent } from '../src/attacks/shared/message-marks.js'
import { checkedFit } from '../src/attacks/shared/predictive-check.js'
import { type Heard, judged } from '../src/attacks/shared/recipe-fit.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const [d, T] = [8, 5]

interface Fault {
  /** What each value of a change becomes, by what it should be, the model there, and the turn. */
  readonly made?: (change: number, theta: number, t: number, j: number) => number
  readonly plays?: number
  readonly turns?: number
  readonly noiseVar?: number
  readonly scatter?: number
}

/** Messages with one fault beside plays without it: which feature shows it, and how rarely plays do. */
const checking = ({ made = (x) => x, plays: K = 6, turns: count = T, noiseVar = 0, scatter = 0.05 }: Fault) => {
  return () =>
    [1, 2].flatMap((seed) => {
      const draws = rng(seed).fork('predictive check')
      const normals = (...address: (string | number)[]) => draws.fork(...address).normals(d)
      const rightly = (t: number, k: number | string): Float64Array => {
        const own = normals('play', t, k)
        return normals('change', t).map((x, j) => x + scatter * own[j]! * (1 + (j % 3)))
      }
      const turns = Array.from({ length: count }, (_, t) => {
        const theta = normals('theta', t)
        return {
          round: t,
          theta,
          change: rightly(t, 'heard').map((x, j) => made(x, theta[j]!, t, j)),
          learningRate: null,
        }
      })
      const stage: Heard = { turns, parts: [[0, 3], [3, d]], rng: draws.fork('noise') } // biome-ignore format: a line
      const plays = turns.map((_, t) => Array.from({ length: K }, (_, k) => rightly(t, k)))
      const { recipe: _, ...fit } = judged(stage, {} as never, { plays, noiseVar })
      const given = { ...fit, recipe: {} as never }
      return [checkedFit(stage, given), checkedFit(stage, given, { fitted: true }), fit.excess, fit.score, fit.expected]
    })
}

const faults: readonly Fault[] = [
  {},
  ...[1.03, 1.1, 0.9, 2].map((by): Fault => ({ made: (x) => by * x })),
  ...[0.02, 0.05, 0.2].map((by): Fault => ({ made: (x, _, t) => x * (1 + by * (t - 2)) })),
  ...[0.01, 0.05, -0.05, 0.2].map((by): Fault => ({ made: (x, theta) => x - by * theta })),
  ...[0.05, 0.2, 1].map((by): Fault => ({ made: (x, _, t, j) => x + by * (((7 * t + 5 * j) % 4) - 1.5) })),
  ...[0.3, 0.6].map((least): Fault => ({ made: (x) => (Math.abs(x) < least ? 0 : x) })),
  ...[0.4, 0.8].map((size): Fault => ({ made: (x) => size * Math.sign(x) })),
  { made: () => 0 },
  { made: (x, _, __, j) => (j < 3 ? 1.5 * x : x) },
  { plays: 2 },
  { plays: 2, made: (x) => 1.2 * x },
  { turns: 1, made: (x) => 1.05 * x },
  { turns: 2, made: (x, _, t) => x * (1 + t / 5) },
  { noiseVar: 0.04, made: (x) => 1.1 * x },
  { noiseVar: 0.3 },
  { scatter: 0, made: (x) => 1.001 * x },
  { scatter: 0, made: (x) => 1.05 * x },
]

const [many, few] = [24, 7]
const values = (n: number, seed: number) => rng(seed).fork('marks').normals(n)
/** Values rounded to multiples of the largest over 2^(bits - 1) - 1, each off by up to a share of a step. */
const onLattice = (n: number, bits: number, off = 0, seed = 1): Float64Array => {
  const x = values(n, seed)
  const step = x.reduce((most, v) => Math.max(most, Math.abs(v)), 0) / (2 ** (bits - 1) - 1)
  return x.map((v, j) => step * (Math.round(v / step) + off * (j % 2 === 0 ? 1 : -1)))
}
const largest = (n: number, k: number, seed: number): Float64Array => {
  const x = values(n, seed)
  const kept = new Set([...x.keys()].sort((a, b) => Math.abs(x[b]!) - Math.abs(x[a]!)).slice(0, k))
  return x.map((v, j) => (kept.has(j) ? v : 0))
}
const marking =
  (...changes: readonly Float64Array[]) =>
  () =>
    marksOf(changes.map((change): Sent => ({ change })))
/** The same as what is left of a sum with a model of some size, in single numbers. */
const added = (change: Float64Array, size: number) => () => {
  const from = values(change.length, 9).map((x) => Math.fround(size * x))
  return marksOf([{ from, change: change.map((v, j) => Math.fround(from[j]! + v) - from[j]!) }])
}
const dead = (n: number, k: number, seed: number): Float64Array => values(n, seed).map((v, j) => (j < k ? v : 0))

pinResults('shared', {
  'messages beside plays': faults.map((fault) => checking(fault)),
  lattices: [
    ...[2, 3, 4, 8, 12, 15, 16, 17].flatMap((bits) => [marking(onLattice(many, bits)), marking(onLattice(few, bits))]),
    ...[0.01, 0.019, 0.021, 0.05].map((off) => marking(onLattice(many, 5, off))),
    ...[1e-5, 9e-5, 1.2e-4].map((off) => marking(onLattice(few, 5, off))),
    marking(onLattice(many, 6), onLattice(many, 6, 0, 2)),
    marking(onLattice(many, 6), onLattice(many, 8, 0, 2)),
    ...[2, 3, 4, 5, 8, 9, 10, 11].map((n) => marking(onLattice(n, 6))),
    marking(values(many, 3)),
    marking(new Float64Array(many)),
    marking(),
    ...[0.1, 10, 1e3, 1e5, 1e7].flatMap((size) => [added(onLattice(many, 4), size), added(onLattice(many, 8), size)]),
  ],
  'the largest values alone': [
    ...[1, 2, 7, 8, 9, 23, 24].map((k) => marking(largest(many, k, 1))),
    ...[1, 8, 12].map((k) => marking(largest(many, k, 1), largest(many, k, 2))),
    ...[1, 3, 12, 23].map((k) => marking(largest(many, k, 1), largest(many, k, 2), largest(many, k, 3))),
    marking(largest(many, 4, 1), largest(many, 4, 2), largest(many, 5, 3)),
    marking(largest(many, 9, 1), largest(many, 9, 1), largest(many, 9, 1)),
    ...[4, 8, 12].map((k) => marking(dead(many, k, 1), dead(many, k, 2), dead(many, k, 3))),
    ...[0.29, 0.3, 0.31].map((least) => marking(Float64Array.from({ length: 20 }, (_, j) => (j === 0 ? least : j < 10 ? 1 : 0)))), // biome-ignore format: a line
  ],
})
