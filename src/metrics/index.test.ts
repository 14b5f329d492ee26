import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type HandTruth, tableOf, truthOf } from '../../test/hand-truth.js'
import type { Claim, ClaimKind, ClaimOf, OwnClaim } from '../attacks/claim.js'
import { OverhearError } from '../errors.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import type { Grading, Known, Metric } from './grading.js'
import { type Metrics, metrics, scoreClaim } from './index.js'
import type { Missing, Score } from './score.js'

const N = 12
const straight = Array.from({ length: N }, (_, i) => i)
const x = straight.map((i) => Math.sin(3 * i) + i / 4)
const smoker = straight.map((i) => Number(i % 3 === 0))
const charge = straight.map((i) => 2 * x[i]! + 5 * smoker[i]! + Math.cos(7 * i))
const classOf = straight.map((i) => [0, 1, 1, 2, 1, 0, 1, 1, 2, 1, 1, 0][i]!)
const group = straight.map((i) => i % 4)
const columns = ['x', 'smoker']

/** The client's records in some order, and everything known of them. */
function table(order: readonly number[], labels: readonly number[]) {
  return tableOf(
    columns,
    order.map((i) => [x[i]!, smoker[i]!]),
    { labels: order.map((i) => labels[i]!), metaclasses: order.map((i) => group[i]!) },
  )
}
const aux = (labels: readonly number[]) =>
  tableOf(
    columns,
    labels.map((_, i) => [i / 3, Number(i === 1)]),
    { labels, metaclasses: labels.map((_, i) => i % 4) },
  )

interface World<K extends ClaimKind> {
  readonly truth: HandTruth
  readonly known: Known
  readonly contribution?: ReadonlyMap<string, number>
  readonly right: ClaimOf<K>
  /** What the chance level is a claim of. */
  readonly guess: ClaimOf<K>
  /** Not finite. */
  readonly broken: ClaimOf<K>
  /** What is missing when the truth is empty and nothing is known. */
  readonly missing: readonly string[]
}

const at = { client: '0', round: 2 }
const numeric = (order: readonly number[]): { truth: HandTruth; known: Known } => ({
  truth: {
    clients: { 0: table(order, charge) },
    batches: [{ ...at, rows: [1, 4, 5, 8].map((i) => order.indexOf(i)) }],
  },
  known: { auxiliary: aux([1, 2, 5, 8, 9]), metaclasses: ['a', 'b', 'c', 'd'], batchSize: 4 },
})
const classed = (order: readonly number[]): { truth: HandTruth; known: Known } => ({
  truth: { clients: { 0: table(order, classOf) } },
  known: { auxiliary: aux([0, 1, 1, 1, 1, 2, 0, 1]), classes: 3, metaclasses: ['a', 'b', 'c', 'd'] },
})
const batchOf = [1, 4, 5, 8]
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
const NaNs = new Array<number>(4).fill(Number.NaN)

const worlds: { readonly [K in ClaimKind]: (order: readonly number[]) => World<K> } = {
  model: (order) => ({
    truth: { clients: { 0: table(order, charge) }, optimum: { 0: [2, 5, 1] } },
    known: {
      lastGlobal: Float64Array.of(1, 1, 1),
      functions: functionsOf(linear({ inputs: 2, outputs: 1 })),
    },
    right: { kind: 'model', client: '0', theta: Float64Array.of(2, 5, 1) },
    guess: { kind: 'model', client: '0', theta: Float64Array.of(1, 1, 1) },
    broken: { kind: 'model', client: '0', theta: Float64Array.of(2, Number.NaN, 1) },
    missing: ['optimum.0'],
  }),
  attribute: (order) => ({
    truth: { clients: { 0: table(order, charge) } },
    known: {
      sensitive: [{ name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[0], [1]] }],
      // Without the records nobody learns from public columns, and constants order nobody.
      auxiliary: aux([1, 2, 5, 8, 9]),
    },
    right: {
      kind: 'attribute',
      client: '0',
      name: 'smoker',
      values: order.map((i) => smoker[i]!),
      confidence: order.map((i) => 0.6 + i / 40),
    },
    guess: { kind: 'attribute', client: '0', name: 'smoker', values: order.map(() => 0) },
    broken: { kind: 'attribute', client: '0', name: 'smoker', values: order.map(() => Number.NaN) },
    missing: ['sensitive.smoker', 'clients.0'],
  }),
  label: (order) => ({
    ...numeric(order),
    truth: { ...numeric(order).truth, batches: [{ ...at, rows: [order.indexOf(7)] }] },
    right: { kind: 'label', ...at, value: charge[7]! },
    guess: { kind: 'label', ...at, value: 5 },
    broken: { kind: 'label', ...at, value: Number.POSITIVE_INFINITY },
    missing: ['clients.0'],
  }),
  'label-mean': (order) => ({
    ...numeric(order),
    right: { kind: 'label-mean', ...at, value: mean(batchOf.map((i) => charge[i]!)) },
    guess: { kind: 'label-mean', ...at, value: 5 },
    broken: { kind: 'label-mean', ...at, value: Number.NaN },
    missing: ['clients.0'],
  }),
  'metaclass-means': (order) => ({
    ...numeric(order),
    // Records 4 and 8 are of the first group, 1 and 5 of the second; the others are absent.
    right: {
      kind: 'metaclass-means',
      ...at,
      values: [(charge[4]! + charge[8]!) / 2, (charge[1]! + charge[5]!) / 2, Number.NaN, Number.NaN],
    },
    guess: { kind: 'metaclass-means', ...at, values: [5, 2, 5, 8] }, // auxiliary (1 + 9) / 2, 2, 5, 8
    broken: { kind: 'metaclass-means', ...at, values: NaNs },
    missing: ['clients.0'],
  }),
  'metaclass-counts': (order) => ({
    ...numeric(order),
    right: { kind: 'metaclass-counts', ...at, values: [2, 2, 0, 0] },
    guess: { kind: 'metaclass-counts', ...at, values: [4 * (2 / 5), 4 * (1 / 5), 4 * (1 / 5), 4 * (1 / 5)] },
    broken: { kind: 'metaclass-counts', ...at, values: NaNs },
    missing: ['clients.0'],
  }),
  labels: (order) => ({
    ...classed(order),
    right: { kind: 'labels', ...at, labels: order.map((i) => classOf[i]!) },
    guess: { kind: 'labels', ...at, labels: [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2] },
    broken: { kind: 'labels', ...at, labels: NaNs },
    missing: ['clients.0'],
  }),
  'label-counts': (order) => ({
    ...classed(order),
    right: { kind: 'label-counts', ...at, counts: [3, 7, 2] },
    guess: { kind: 'label-counts', ...at, counts: [3, 7.5, 1.5] },
    broken: { kind: 'label-counts', ...at, counts: [3, Number.NaN, 2] },
    missing: ['clients.0'],
  }),
  records: (order) => ({
    ...numeric(order),
    right: {
      kind: 'records',
      ...at,
      features: [8, 5, 4, 1].map((i) => [x[i]!, smoker[i]!]),
      labels: [8, 5, 4, 1].map((i) => charge[i]!),
    },
    guess: { kind: 'records', ...at, features: batchOf.map(() => [mean([0, 1, 2, 3, 4]) / 3, 1 / 5]), labels: [] },
    broken: { kind: 'records', ...at, features: [[1, Number.NaN]], labels: [1] },
    missing: ['clients.0'],
  }),
  property: (order) => {
    const has = ['0', '3', '5']
    const claim = (is: (id: string) => boolean): ClaimOf<'property'> => ({
      kind: 'property',
      property: 'ascent',
      clients: order.map((i) => ({ id: `${i}`, probability: is(`${i}`) ? 0.9 : 0.2, positive: is(`${i}`) })),
    })
    const [first, ...rest] = claim(() => true).clients
    return {
      truth: { properties: { ascent: has } },
      known: {},
      missing: ['properties.ascent'],
      right: claim((id) => has.includes(id)),
      guess: claim(() => true),
      broken: { ...claim(() => true), clients: [{ ...first!, probability: Number.NaN }, ...rest] },
    }
  },
  members: (order) => {
    const candidates = tableOf(columns, [...[0, 1, 2].map((i) => [x[i]!, smoker[i]!]), [9, 9], [8, 8]], {
      labels: [charge[0]!, charge[1]!, charge[2]!, 0, 0],
    })
    const claim = { kind: 'members', client: '0' } as const
    return {
      truth: { clients: { 0: table(order, charge) } },
      known: { candidates },
      right: { ...claim, rows: [2, 0, 1], scores: [3, 3, 5, -1, 0] },
      guess: { ...claim, rows: [0, 1, 2, 3, 4] },
      broken: { ...claim, rows: [0], scores: [0, 1, 2, 3, Number.NaN] },
      missing: ['candidates', 'clients.0'],
    }
  },
  contribution: (order) => {
    const claim = (score: (i: number) => number): ClaimOf<'contribution'> => ({
      kind: 'contribution',
      clients: order.map((i) => ({ id: `${i}`, score: score(i) })),
    })
    return {
      truth: {},
      known: {},
      missing: ['contribution'],
      contribution: new Map(straight.map((i) => [`${i}`, Math.floor(i / 2)])),
      right: claim((i) => Math.floor(i / 2) * 7),
      guess: claim(() => 1),
      broken: claim(() => Number.NaN),
    }
  },
  participation: () => {
    const claim = (a: readonly boolean[], b: readonly boolean[]): ClaimOf<'participation'> => ({
      kind: 'participation',
      rounds: [0, 1, 2],
      windows: [{ from: 0, to: 2 }],
      clients: [
        { id: 'a', took: a },
        { id: 'b', took: b },
      ],
    })
    return {
      truth: {
        participation: new Map([
          [0, ['a']],
          [1, ['b']],
          [2, ['b']],
        ]),
      },
      known: {},
      missing: ['participation'],
      right: claim([true, false, false], [false, true, true]),
      guess: claim([false, false, false], [true, true, true]),
      broken: claim([true], [false, true, true]),
    }
  },
  protocol: () => {
    const claim = (settings: object): ClaimOf<'protocol'> => ({
      kind: 'protocol',
      client: '0',
      settings: { ...settings },
    })
    const real = { optimizer: { name: 'adam' }, learningRate: 0.001, weightDecay: 0, clipNorm: null }
    const stated = { ...real, optimizer: { name: 'sgd' }, learningRate: 0.01 }
    return {
      truth: { protocol: real },
      known: { protocol: stated },
      missing: ['protocol'],
      right: claim(real),
      guess: claim(stated),
      broken: claim({ ...real, learningRate: Number.NaN }),
    }
  },
}

const gradingOf = ({ truth, known, contribution }: World<ClaimKind>): Grading => ({
  truth: truthOf(truth),
  known,
  contribution,
})
async function scored(claim: Claim, graded: Grading): Promise<Score> {
  const score = await scoreClaim(claim, graded)
  if ('missing' in score) throw new Error(`missing ${score.missing.join(', ')}`)
  return score
}
const kinds = Object.keys(worlds) as ClaimKind[]

/** The same figures, but for rounding; per-record lists apart. */
function sameFigures(a: Score, b: Score): void {
  const figures = ({ value, chance, lift, interval, also }: Score) =>
    Object.entries({ value, chance, lift, low: interval?.[0], high: interval?.[1], ...also })
  const right = Object.fromEntries(figures(b))
  for (const [name, figure] of figures(a)) {
    if (typeof figure === 'number') expect(figure, name).toBeCloseTo(right[name] as number, 9)
    else expect(figure, name).toBe(right[name])
  }
  expect([a.metric, a.guesser, a.intervalKind]).toEqual([b.metric, b.guesser, b.intervalKind])
}

describe.each(kinds)('the metric of %s', (kind) => {
  const world = worlds[kind](straight) as World<ClaimKind>
  const graded = gradingOf(world)

  test('is best at the truth, with a lift of 1', async () => {
    const { value, better, lift, also } = await scored(world.right, graded)
    expect(value).toBeCloseTo(also.lossAtOptimum ?? (better === 'higher' ? 1 : 0), 12)
    expect(lift).toBeCloseTo(1, 12)
  })

  test('gives the chance guess a lift of 0', async () => {
    const { value, chance, lift } = await scored(world.guess, graded)
    expect(value).toBeCloseTo(chance!, 12)
    expect(lift).toBeCloseTo(0, 12)
  })

  test('has an interval that holds the value, or none', async () => {
    for (const claim of [world.right, world.guess]) {
      const { value, interval, intervalKind } = await scored(claim, graded)
      expect(interval === null).toBe(intervalKind === null)
      if (interval === null) continue
      expect(interval[0]).toBeLessThanOrEqual(value)
      expect(interval[1]).toBeGreaterThanOrEqual(value)
    }
  })

  test('does not depend on the order of records or clients', async () => {
    const [right, guess] = [await scored(world.right, graded), await scored(world.guess, graded)]
    const orders = fc.shuffledSubarray(straight, { minLength: N, maxLength: N })
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const other = worlds[kind](order) as World<ClaimKind>
        sameFigures(await scored(other.right, gradingOf(other)), right)
        sameFigures(await scored(other.guess, gradingOf(other)), guess)
      }),
      { numRuns: 5 },
    )
  })

  test('refuses numbers that are not finite', async () => {
    await expect(scoreClaim(world.broken, graded)).rejects.toBeInstanceOf(OverhearError)
  })

  test('names what is missing', async () => {
    expect(await scoreClaim(world.right, { truth: truthOf(), known: {} })).toEqual({ missing: world.missing })
  })

  test('is plain data without numbers that are not finite', async () => {
    const { perRecord, pairedWith, ...score } = await scored(world.right, graded)
    expect(JSON.parse(JSON.stringify(score))).toEqual(score)
    for (const figure of Object.values(score.also)) expect(Number.isFinite(figure)).toBe(true)
    expect(Array.from(perRecord ?? []).every(Number.isFinite)).toBe(true)
  })
})

test('a kind without a metric does not compile', () => {
  const { property, ...rest } = metrics
  // @ts-expect-error: property is not in the table
  const lacking: Metrics = rest
  expect('property' in lacking).toBe(false)
  expectTypeOf(property).toEqualTypeOf<Metric<'property'>>()
  expectTypeOf(scoreClaim).parameter(0).toEqualTypeOf<Claim | OwnClaim>()
  expectTypeOf(scoreClaim).returns.toEqualTypeOf<Promise<Score | Missing>>()
})

test('a candidate is a member by all of its labels', async () => {
  const truth = truthOf({ clients: { 0: tableOf(['x'], [[1], [2]], { labels: [5, 6, 7, 8] }) } })
  const candidates = tableOf(['x'], [[1], [2], [2]], { labels: [5, 6, 7, 8, 7, 9] })
  const claim = { kind: 'members', client: '0', rows: [0, 1] } as const
  expect(await scoreClaim(claim, { truth, known: { candidates } })).toMatchObject({ value: 1, also: { positives: 2 } })
})
