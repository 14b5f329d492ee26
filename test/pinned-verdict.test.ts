import { rng } from '../src/numeric/random/rng.js'
import { effectWithInterval, errorRemoved } from '../src/verdict/effect.js'
import { splitLevel, splitP } from '../src/verdict/exchangeability.js'
import { decide, type JudgeOptions, judge } from '../src/verdict/judge.js'
import { leastSeen } from '../src/verdict/least-seen.js'
import { planLooks } from '../src/verdict/looks.js'
import { leastClients, match, matchings } from '../src/verdict/matchings.js'
import { leastAreaPlanned, planTest } from '../src/verdict/plan.js'
import { defaultDraws, drawSums, leastP, reaches, repeatsToReach, upperP } from '../src/verdict/randomisation.js'
import { labellings, ranking, relabel, relabellingCount, swap } from '../src/verdict/relabellings.js'
import { drawStratum, falseDiscovery, stepDown, stepDownStrata } from '../src/verdict/step-down.js'
import { checkRow, type Deal, placesOf, type Row, strataOf, studentised, trainingsMade } from '../src/verdict/tables.js'
import { pinResults } from './pinned-results.js'

interface Shape {
  readonly id?: string
  readonly stratum?: string
  readonly trainings?: number
  readonly perTraining?: number
  readonly size?: number
  readonly shift?: number
  readonly scale?: number
  readonly guess?: boolean
  readonly from?: number
}

/** A row of scores in which the truth stands out by a shift, times its contrast. */
function row(shape: Shape = {}): Row {
  const { id = 'a', stratum = 's', trainings = 3, perTraining = 1, size = 6 } = shape
  const { shift = 1, scale = 1, guess = false, from = 0 } = shape
  const draws = rng('verdict').fork(id)
  const deals = Array.from({ length: trainings * perTraining }, (_, u): Deal => {
    const own = draws.fork(u)
    const contrast = Float64Array.from({ length: size }, (__, k) => (k === 0 ? 1 : ((k % 4) - 2) / 4))
    const noise = own.fork('noise').normals(size)
    const T = noise.map((x, k) => scale * (x + shift * contrast[k]!))
    const heard = own.fork('guess').normals(size, { std: 0.1 })
    const training = from + Math.floor(u / perTraining)
    return { training, T, contrast, ...(guess && { guess: noise.map((x, k) => scale * 0.9 * x + heard[k]!) }) }
  })
  return { id, step: 'record', stratum, deals }
}
const flat = (id: string, value: number): Row => {
  const { deals, ...rest } = row({ id })
  return { ...rest, deals: deals.map((deal) => ({ ...deal, T: deal.T.map(() => value) })) }
}
const few = { draws: 99, enumerate: 50, rng: rng('draws') }
const many = { draws: 99, enumerate: 131072, rng: rng('draws') }
const families: Readonly<Record<string, readonly Row[]>> = {
  one: [row()],
  strong: [row({ shift: 4 }), row({ id: 'b', shift: 0 }), row({ id: 'c', shift: 2 }), flat('d', 3)],
  strata: [row({ shift: 5, trainings: 4 }), row({ id: 'b', stratum: 't', size: 3, trainings: 4, shift: 3 }), row({ id: 'c', stratum: 'u', size: 2, trainings: 4 })],
  targets: [row({ perTraining: 2, size: 3 }), row({ id: 'b', perTraining: 2, size: 3, trainings: 2, from: 1 })],
  guessed: [row({ guess: true, shift: 2 }), row({ id: 'b', guess: true, trainings: 1, stratum: 't', size: 40 })],
  lone: [row({ trainings: 1, size: 45, shift: 3 }), row({ id: 'b', trainings: 1, size: 45, shift: -1 })],
  small: [row({ scale: 1e-9 }), row({ id: 'b', scale: 1e9, shift: 3 })],
  empty: [],
} // biome-ignore format: a table
const asked: readonly Partial<JudgeOptions>[] = [{}, { looks: 2 }, { looks: 2, alpha: 0.3 }, { alpha: 0.2, draws: 60, enumerate: 40 }, { trainings: 6, looks: 2 }, { made: 5, trainings: 4 }, { trainings: 8, alpha: 0.01 }] // biome-ignore format: a list

const scores = (seed: string, n: number) => rng(seed).normals(n)
const chosen = (most: number, truth: readonly number[] = [1, 0, 1, 0, 0]) => labellings(truth, { most, rng: rng('labels') }) // biome-ignore format: a line
const seats = (count: number, most: number) => matchings(count, { most, rng: rng('seats') })
const pairs = (seed: string, count: number) => Array.from({ length: count }, (_, i) => scores(`${seed} ${i}`, count))
const deal = (change: Partial<Deal>): Row => ({ ...row(), deals: [{ ...row().deals[0]!, ...change }] })
const list = (...values: number[]) => Float64Array.from(values)

pinResults('verdict', {
  'the test of whole families': Object.values(families).flatMap((rows) =>
    asked.map((options) => () => judge(rows, { rng: rng('judge'), draws: 199, enumerate: 300, ...options })),
  ),
  'decisions without sizes': Object.values(families).map(
    (rows) => () => decide(rows, { rng: rng('judge'), draws: 99 }),
  ),
  effects: [
    ...[0.5, 0.9, 0.95, 0.99].flatMap((confidence) => [
      () => effectWithInterval(row().deals, confidence, many),
      () => effectWithInterval(row({ trainings: 1, size: 45 }).deals, confidence, many),
      () => effectWithInterval(row({ trainings: 1, size: 45, perTraining: 2 }).deals, confidence, few),
      () => effectWithInterval(row({ guess: true }).deals, confidence, many),
    ]),
    () => effectWithInterval(row({ guess: true, shift: 9, trainings: 1, size: 40 }).deals, 0.9, many),
    () => effectWithInterval([{ ...row().deals[0]!, guess: row({ id: 'z', scale: 5 }).deals[0]!.T }], 0.9, many),
    () => effectWithInterval([{ training: 0, T: list(1, 1, 0, 2), contrast: list(1, 1, 0, -1) }], 0.5, many),
    () => errorRemoved({ from: 0.5, to: 0.8, best: 1 }),
    () => errorRemoved({ from: 1, to: 0.8, best: 1 }),
    () => errorRemoved({ from: 3, to: 1, best: 0 }),
  ],
  'least effects seen': [1, 2, 5].map((trainings) => () => leastSeen(0.3, 0.2, trainings)),
  'splits by a guess': [
    ...['a', 'b', 'c'].map((id) => () => splitP(row({ id, shift: 0 }), many)),
    () => splitP(row({ shift: -9 }), few),
    () => splitP(flat('d', 3), many),
    () => splitP(flat('d', 0), many),
  ],
  'rows in units of their spread': [
    ...Object.values(families).map((rows) => () => rows.map(studentised)),
    () => studentised(deal({ T: list(1e6, 1e6 + 1e-8, 1e6) })),
    () => studentised(deal({ T: list(1e3, 1e3 + 1e-3, 1e3) })),
  ],
  'rows in strata': [
    ...Object.values(families).map((rows) => () => [strataOf(rows), placesOf(rows), trainingsMade(rows)]),
    () => strataOf([row(), row()]),
    () => strataOf([row(), row({ id: 'b', size: 5 })]),
    () => strataOf([row(), row({ id: 'b', perTraining: 2 })]),
    () => strataOf([row(), row({ id: 'b', size: 5, from: 3 })]),
    ...[
      { training: -1 }, { training: 0.5 }, { T: list(1) }, { T: list(1, 2) }, { contrast: list(1) }, { guess: list(1, 2) },
      { T: list(1, 2, Number.NaN, 4, 5, 6) }, { T: list(Number.NaN, 2, 3, 4, 5, 6) }, { contrast: list(1, 2, 3, 4, 5, Number.POSITIVE_INFINITY) }, { guess: list(Number.NaN, 2, 3, 4, 5, 6) },
    ].map((change) => () => checkRow(deal(change))), // biome-ignore format: a list
    () => checkRow({ ...row(), deals: [] }),
    () => checkRow(deal({ T: list(1, 2), contrast: list(1, -1) })),
  ],
  'draws and what they reach': [
    ...[5, 6, 7].map((enumerate) => () => drawSums([[list(1, 2), list(5, 7, 9)], [list(), list(0, 1, 4)]], { draws: 9, enumerate, rng: rng(3) }, [2, 3])), // biome-ignore format: a line
    () => drawSums([], many),
    () => upperP(list(1, 2, 0.5, 1 - 1e-12), 1e-11),
    () => upperP(list(1, 2, 0.5, 1 - 1e-10), 1e-11),
    ...[5, 6, 7, 24].map((enumerate) => () => leastP([2, 3], { draws: 3, enumerate })),
    () => leastP([10, 10], { draws: 9999, enumerate: 5 }),
    ...[0.05, 0.04, 0.005, 1].map((level) => () => repeatsToReach(level, [20])),
    () => repeatsToReach(0.01, [2, 5]),
    () => [reaches(0.05, 0.05), reaches(0.05 * (1 + 1e-13), 0.05), reaches(0.05 * (1 + 1e-11), 0.05)],
  ],
  'many rows at once': [
    ...Object.values(families).map((rows) => () => stepDown(drawStratum(rows.filter(({ stratum }) => stratum === 's'), many))), // biome-ignore format: a line
    () => stepDown(drawStratum([flat('d', 3)], many)),
    () => falseDiscovery([0.01, 0.04, 0.04, 0.9, 0.02]),
    () => falseDiscovery([]),
    () => stepDownStrata([{ looks: 1, rows: [{ p: 1, adjusted: 0.01, constant: false }, { p: 1, adjusted: 0.02, constant: false }] }, { looks: 2, rows: [{ p: 1, adjusted: 0.004, constant: false }, { p: 1, adjusted: 0, constant: true }] }], 3), // biome-ignore format: a line
    () => stepDownStrata([{ looks: 1, rows: [{ p: 1, adjusted: 0.6, constant: false }] }], 2),
    () => stepDownStrata([], 2),
  ],
  'looks and plans': [1, 2].flatMap((looks) =>
    [1, 2, 3, 4, 7, 20].flatMap((trainings) => [
      () => planTest(new Map([['a', [200]], ['b', [2, 3]], ['c', [2]]]), { alpha: 0.05, trainings, looks: looks as 1 | 2, draws: 999, enumerate: 5000 }), // biome-ignore format: a line
      () => planLooks(new Map([['x', (t: number) => 1 / (20 * t)], ['y', () => 0.025]]), { alpha: 0.05, trainings, looks: looks as 1 | 2 }), // biome-ignore format: a line
      () => planTest(new Map([['a', [200]]]), { alpha: 0.0005, trainings, looks: looks as 1 | 2, draws: 999, enumerate: 10 }), // biome-ignore format: a line
    ]),
  ),
  'figures that are fixed': [() => [splitLevel, relabellingCount, defaultDraws]],
  'areas that will be seen': [
    () => leastAreaPlanned({ areas: [{ positive: 10, negative: 20 }], trainings: 3, level: 0.01 }),
    () => leastAreaPlanned({ areas: [{ positive: 10, negative: 20 }, { positive: 7, negative: 5 }], trainings: 1, level: 0.05 }), // biome-ignore format: a line
  ],
  'records told otherwise': [
    ...[3, 8, 9, 10, 20].map((most) => () => chosen(most)),
    () => chosen(30, [1, 1, 1, 1, 0, 1]),
    () => chosen(30, [0, 0, 0]),
    () => chosen(30, [1, 1]),
    ...[1, 2].map((count) => () => relabel(2, chosen(9), Array.from({ length: count }, (_, a) => (records: Int32Array) => records.reduce((sum, i) => sum + scores(`g${a}`, 5)[i]!, 0)))), // biome-ignore format: a line
    () => relabel(2, chosen(9), []),
    ...[1, 2, 3].map((count) => () => ranking(1, chosen(9), Array.from({ length: count }, (_, a) => scores(`r${a}`, 5)))), // biome-ignore format: a line
    () => ranking(1, chosen(9), [[1, 1, 2, 2, 1]]),
    () => ranking(1, chosen(9), []),
    () => swap(4, [1, 3, 2], [0.5, 0.25, 2.5]),
    () => swap(4, [1, 3], [1]),
    () => swap(4, [], []),
  ],
  'seats matched otherwise': [
    ...[[2, 1], [3, 4], [3, 5], [3, 6], [4, 23], [4, 22], [5, 7]].map(([count, most]) => () => [seats(count!, most!), match(0, seats(count!, most!), [pairs('p', count!), pairs('q', count!)])]), // biome-ignore format: a line
    ...[0, 1, 2.5, Number.NaN].map((count) => () => seats(count, 5)),
    () => match(0, seats(2, 1), []),
    () => match(0, seats(2, 1), [pairs('p', 3)]),
    () => match(0, seats(2, 1), [[list(1, 2), list(1)]]),
    () => match(0, seats(2, 1), [[list(1), list(1, 2)]]),
    () => match(0, seats(2, 1), [[list(1, 2)]]),
    ...[1, 0.5, 0.499, 0.05, 1 / 6, 0.0084, 0, -1].map((level) => () => leastClients(level)),
  ],
})
