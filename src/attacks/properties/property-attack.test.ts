import { describe, expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { protocolOf } from '../../../test/label-views.js'
import { rng } from '../../numeric/random/rng.js'
import type { Claimed, Context, Outcome } from '../attack.js'
import type { Derive } from '../derivation.js'
import { freeRider } from './free-rider.js'
import {
  attackProperty,
  type DetectorParams,
  type Estimate,
  type EstimateTools,
  featureOptions,
  type PropertyRun,
} from './property-attack.js'

const ids = ['a', 'b', 'c', 'd']
type Rows = readonly string[]
const rows: Rows = ['ab', 'bc', 'cd', 'ac', 'abd', 'd', 'bcd', 'a']

/** Sums of one number each, 0 unless told. */
function viewOf({
  took = rows,
  sum = (_: number) => 0,
  ...change
}: {
  took?: Rows
  sum?: (r: number) => number
  [key: string]: unknown
} = {}) {
  const rounds = took.map((_, r) => 10 + r)
  const read = async (round: number) => ({ round, dThetaSum: Float64Array.of(sum(round - 10)), derived: false })
  return {
    protocol: protocolOf(),
    aggregates: { rounds, read },
    globals: { rounds, read: async () => new Float64Array(1) },
    participation: took.map((one, r) => ({ round: 10 + r, participants: [...one], dropped: [] })),
    sampleCounts: ids.map((id) => ({ id, samples: 5 })),
    property: { name: 'inversion' },
    ...change,
  } as never
}

const shape = { plusMean: 1, plusStd: 1, minusMean: -1, minusStd: 2, measured: 9, v: 0.5 }
const kept = (a: number, own = shape) => [Float64Array.of(a), Float64Array.of(0, 0.1, ...Object.values(own))]
const deriveOf =
  (make: (index: number, settings: Record<string, unknown>) => Float64Array[]): Derive =>
  async (_, { settings, items, onItem, tick }) => {
    for (const index of items.keys()) {
      tick?.(index, items.length)
      await onItem(index, make(index, settings as Record<string, unknown>))
    }
  }

const params: DetectorParams = {
  pairs: 8,
  features: 1,
  records: 0,
  floor: 0.1,
  maxNorm: 2,
  rounds: 0,
  curve: 0,
  property: 'given',
}

async function attacked(
  change: Partial<DetectorParams>,
  run: Partial<PropertyRun> & { estimate: PropertyRun['estimate'] },
  view = viewOf(),
) {
  const shares: number[] = []
  const context: Context<DetectorParams> = {
    ...contextFor({ onShare: (share) => shares.push(share) }),
    params: { ...params, ...change },
    derive: deriveOf(() => [kept(1), kept(2), kept(3)].flat()),
  }
  const outcome = await attackProperty(view, context, run)
  return { outcome: outcome as Claimed, claim: only(outcome, 'property'), shares }
}

/** As many probabilities as clients, and what was asked for. */
function estimator(probability: readonly number[] | null = [0.1, 0.99, 0.5, 0.2]) {
  const asked: { rounds: number; lists: number; rough: boolean | undefined }[] = []
  const estimate = (features: Parameters<PropertyRun['estimate']>[0], tools: EstimateTools): Estimate => {
    asked.push({ rounds: features[0]!.A.rows, lists: features.length, rough: tools.rough })
    tools.tick(10, 10)
    const score = Float64Array.of(3, -1, 2, 0)
    const probabilities = probability === null ? null : Float64Array.from(probability)
    return {
      score,
      probability: probabilities,
      positive: [false, true, false, false],
      details: { own: 1 },
      warnings: ['mine'],
    }
  }
  return { asked, estimate }
}

describe('from a view to a claim', () => {
  test('with probabilities: of each client one, and a curve of some of the rounds', async () => {
    const { asked, estimate } = estimator()
    const { claim, shares, outcome } = await attacked({ curve: 3 }, { estimate })
    expect(claim.clients).toEqual([
      { id: 'a', probability: 0.1, positive: false },
      { id: 'b', probability: 0.99, positive: true },
      { id: 'c', probability: 0.5, positive: false },
      { id: 'd', probability: 0.2, positive: false },
    ])
    expect(claim.property).toBe('inversion')
    expect(claim.ranksOnly).toBe(undefined)
    expect(asked).toEqual([8, 3, 5].map((rounds) => ({ rounds, lists: 1, rough: rounds < 8 })))
    expect(claim.exposure).toMatchObject({ rounds: [12, 14, 17], exposedAt: { b: 12 } })
    for (let r = 0; r < 8; r++) expect(shares[r]).toBeCloseTo((r / 8) * 0.8, 12)
    for (const [k, share] of [0, 0.25, 0.5].entries()) expect(shares[8 + k]).toBeCloseTo(0.8 + 0.2 * (share + 0.05), 12)
    expect(shares).toHaveLength(11)
    expect(outcome.warnings).toEqual(['mine'])
    expect(outcome.details).toMatchObject({ rounds: 8, clients: 4, pairs: 8, rank: 4, own: 1 })
    expect(outcome.details).toMatchObject({ inseparable: [], together: [], neverSeen: [] })
    expect('participants' in outcome.details).toBe(false)
    expect(outcome.workings?.features).toMatchObject({ property: 'inversion' })
  })

  test('without them: scores, no curve; and nobody is accused where they only rank', async () => {
    const { asked, estimate } = estimator(null)
    const { claim } = await attacked({ curve: 3 }, { estimate })
    expect(claim.clients[1]).toEqual({ id: 'b', probability: null, score: -1, positive: true })
    expect([asked.length, claim.exposure]).toEqual([1, undefined])
    const ranked = (await attacked({}, { ...estimator(null), ranksOnly: true })).claim
    expect([ranked.ranksOnly, ranked.clients.some(({ positive }) => positive)]).toEqual([true, false])
    expect((await attacked({}, { ...estimator(), ranksOnly: true })).claim.clients[1]).toEqual({
      ...{ id: 'b', probability: 0.99, positive: false },
    })
  })

  test('features as one or each for itself, of the first rounds if so told, prepared before', async () => {
    const { asked, estimate } = estimator()
    const told: number[] = []
    const prepare = async ({ rounds }: { rounds: readonly number[] }) => {
      expect(asked).toEqual([])
      told.push(...rounds)
    }
    await attacked({ features: 2, rounds: 5 }, { estimate, separate: true, prepare })
    await attacked({ features: 2 }, { estimate })
    expect(asked.map(({ lists, rounds }) => [lists, rounds])).toEqual([
      [2, 5],
      [1, 8],
    ])
    expect(told).toEqual([10, 11, 12, 13, 14])
  })
})

describe('what to hold against a claim', () => {
  const warnings = async (view: never) => (await attacked({}, estimator(), view)).outcome.warnings.slice(0, -1)

  test('too few sums, clients who are never apart, clients who were never seen', async () => {
    const found = await warnings(viewOf({ took: ['abc', 'd', 'abd'] }))
    expect(found).toEqual([
      '3 sums cannot separate 4 clients: what is claimed rests on prior belief',
      '2 clients cannot be told apart by these rounds: a, b',
      'always in the same rounds: a, b',
    ])
    const unseen = await warnings(
      viewOf({ took: ['a', 'ab', 'b'], sampleCounts: ['a', 'x', 'b', 'y'].map((id) => ({ id, samples: 5 })) }),
    )
    expect(unseen).toEqual(['never took part, nothing is claimed of them: x, y'])
  })

  test('long lists are cut after ten names, groups after five', async () => {
    const letters = (n: number) => String.fromCharCode(...Array.from({ length: n }, (_, i) => 97 + i))
    const cut = async (n: number) =>
      (await warnings(viewOf({ took: [letters(n), 'z', `${letters(n)}z`] }))).find((one) => one.startsWith('always'))
    expect(await cut(10)).toBe('always in the same rounds: a, b, c, d, e, f, g, h, i, j')
    expect(await cut(11)).toBe('always in the same rounds: a, b, c, d, e, f, g, h, i, j, ...')
    const pairs = (n: number) => Array.from({ length: n }, (_, i) => letters(2 * n).slice(2 * i, 2 * i + 2))
    const groups = async (n: number) =>
      (await warnings(viewOf({ took: [...pairs(n), ...pairs(n)] }))).filter((one) => one.startsWith('always')).length
    expect([await groups(4), await groups(5), await groups(6)]).toEqual([4, 5, 5])
  })

  test('all in every sum with the same weights: only their total is told', async () => {
    const together = viewOf({ took: ['abcd', 'abcd'] })
    await expect(attacked({}, estimator(), together)).rejects.toThrow('sums tell their total only')
    expect((await attacked({}, estimator(), viewOf({ took: ['a', 'a'] }))).claim.clients).toHaveLength(1)
  })
})

describe('the options of detectors', () => {
  const of = (change: Partial<DetectorParams>, run: Parameters<typeof featureOptions>[2] = {}, view = {}) =>
    featureOptions(view, { ...params, ...change }, run)

  test('follow from the parameters, the property from wherever it is said', () => {
    const named = { property: { name: 'ascent' } }
    expect(of({}, {}, named)).toEqual({
      ...{ property: 'ascent', pairs: 8, records: 0, floor: 0.1, maxNorm: 2, features: 1, riding: 'any', acting: 1 },
      ...{ joined: true, scale: { factor: 3, part: 0.5, key: 0 } },
    })
    expect(of({ property: 'scaled', factor: 9, part: 0.1, key: 4 }, {}, named)).toMatchObject({
      ...{ property: 'scaled', scale: { factor: 9, part: 0.1, key: 4 } },
    })
    const run = { property: 'free-rider', separate: true, riding: 'zero' } as const
    expect(of({ acting: 0.3 }, run, named)).toMatchObject({
      ...{ property: 'free-rider', joined: false, riding: 'zero', acting: 0.3 },
    })
    expect(() => of({})).toThrow('nothing says which property to look for')
    expect(() => of({ property: 'kindness' })).toThrow('kindness')
  })
})

describe('free riders of any kind', () => {
  /** Honest clients have features about 1; riders of one kind -1, of which the detectors of each kind know more or less. */
  const took = Array.from({ length: 24 }, (_, r) =>
    [...'abcdef'].filter((_, i) => i === r % 6 || rng(2).fork(r, i).uniform() < 0.4).join(''),
  )
  const noise = rng(4).normals(24, { std: 0.3 })
  const sum = (r: number) => [...took[r]!].reduce((all, id) => all + (id === 'c' ? -1 : 1), noise[r]!)
  const view = viewOf({ took, sum })
  const own = { plusMean: -1, plusStd: 0.1, minusMean: 1, minusStd: 0.15, measured: 9, v: 0.9 }
  const shapes: Record<string, typeof own> = {
    zero: own,
    noise: { ...own, plusStd: 0.4, v: 0.8 },
    stale: { ...own, plusMean: 0.5, minusMean: 4 },
  }
  const { property: _, ...plain } = params
  const context = (riding: string, stream = rng(1), decision: 'fdr' | 'f1' = 'fdr') => ({
    ...contextFor(),
    rng: stream,
    params: { ...plain, acting: 1, riding, decision, share: 0.1, chains: 2, sweeps: 40, maxSweeps: 80 },
    derive: deriveOf((_, settings) => kept(1, shapes[settings.riding as string]!)),
  })
  const run = (...asked: Parameters<typeof context>) => freeRider.run(view, context(...asked)) as Promise<Outcome>

  test('of each the kind it is likeliest guilty of, among the kinds that explain the sums', async () => {
    const kinds = ['zero', 'noise', 'stale']
    const single = (await Promise.all(kinds.map((kind) => run(kind, rng(1).fork(kind))))) as Claimed[]
    const unlike = single.map(({ details }) => (details.extra as number) + Math.max(0, (details.rho as number) - 1))
    const fitting = kinds.filter((_, k) => unlike[k]! <= 2 * Math.min(...unlike) + 0.5)
    expect(fitting).toEqual(['zero', 'noise'])
    const any = (await run('any')) as Claimed
    expect(any.details.fitting).toEqual(fitting)
    const { clients } = only(any, 'property')
    for (const [i, { probability }] of clients.entries()) {
      const third = single.slice(0, 2).map((one) => {
        const p = only(one, 'property').clients[i]!.probability!
        return p / (p + 3 * (1 - p))
      })
      expect(probability).toBe(Math.max(...third))
    }
    expect(clients.filter(({ positive }) => positive).map(({ id }) => id)).toEqual(['c'])
    expect(any.warnings).toEqual([...new Set(single.slice(0, 2).flatMap(({ warnings }) => warnings))])
    for (const [k, kind] of kinds.entries()) expect(any.details[kind]).toEqual(single[k]!.details)
    expect(any.workings).toEqual(single[0]!.workings)
  })
})
