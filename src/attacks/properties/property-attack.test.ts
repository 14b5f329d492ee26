import { describe, expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { deriveAs, handParams, keptDetector, sumsView } from '../../../test/hand-features.js'
import type { Claimed, Context } from '../attack.js'
import {
  attackProperty,
  type DetectorParams,
  type Estimate,
  type EstimateTools,
  featureOptions,
  type PropertyRun,
} from './property-attack.js'

async function attacked(
  change: Partial<DetectorParams>,
  run: Partial<PropertyRun> & { estimate: PropertyRun['estimate'] },
  view = sumsView(),
) {
  const shares: number[] = []
  const context: Context<DetectorParams> = {
    ...contextFor({ onShare: (share) => shares.push(share) }),
    params: { ...handParams, ...change },
    derive: deriveAs(() => [keptDetector(1), keptDetector(2), keptDetector(3)].flat()),
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
    const detectors: string[] = []
    const prepare = async ({ rounds }: { rounds: readonly number[] }) => {
      expect(asked).toEqual([])
      told.push(...rounds)
    }
    await attacked({ features: 2, rounds: 5 }, { estimate, separate: true, prepare })
    const onDetector: PropertyRun['onDetector'] = ({ a }, { index, feature }) =>
      detectors.push(`${index} ${feature} ${a[0]}`)
    await attacked({ features: 2, rounds: 2 }, { ...estimator(), separate: true, onDetector })
    expect(detectors).toEqual(['0 0 1', '0 1 2', '1 0 1', '1 1 2'])
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
    const found = await warnings(sumsView({ took: ['abc', 'd', 'abd'] }))
    expect(found).toEqual([
      '3 sums cannot separate 4 clients: what is claimed rests on prior belief',
      '2 clients cannot be told apart by these rounds: a, b',
      'always in the same rounds: a, b',
    ])
    const unseen = await warnings(
      sumsView({ took: ['a', 'ab', 'b'], sampleCounts: ['a', 'x', 'b', 'y'].map((id) => ({ id, samples: 5 })) }),
    )
    expect(unseen).toEqual(['never took part, nothing is claimed of them: x, y'])
    const one = await warnings(
      sumsView({ took: ['a', 'b'], sampleCounts: ['a', 'x', 'b'].map((id) => ({ id, samples: 5 })) }),
    )
    expect(one).toEqual(['never took part, nothing is claimed of them: x'])
  })

  test('long lists are cut after ten names, groups after five', async () => {
    const letters = (n: number) => String.fromCharCode(...Array.from({ length: n }, (_, i) => 97 + i))
    const cut = async (n: number) =>
      (await warnings(sumsView({ took: [letters(n), 'z', `${letters(n)}z`] }))).find((one) => one.startsWith('always'))
    expect(await cut(10)).toBe('always in the same rounds: a, b, c, d, e, f, g, h, i, j')
    expect(await cut(11)).toBe('always in the same rounds: a, b, c, d, e, f, g, h, i, j, ...')
    const pairs = (n: number) => Array.from({ length: n }, (_, i) => letters(2 * n).slice(2 * i, 2 * i + 2))
    const groups = async (n: number) =>
      (await warnings(sumsView({ took: [...pairs(n), ...pairs(n)] }))).filter((one) => one.startsWith('always')).length
    expect([await groups(4), await groups(5), await groups(6)]).toEqual([4, 5, 5])
  })

  test('all in every sum with the same weights: only their total is told', async () => {
    const together = sumsView({ took: ['abcd', 'abcd'] })
    await expect(attacked({}, estimator(), together)).rejects.toThrow('sums tell their total only')
    await expect(attacked({}, estimator(), sumsView({ took: ['ab', 'ab'] }))).rejects.toThrow(
      'sums tell their total only',
    )
    expect((await attacked({}, estimator(), sumsView({ took: ['a', 'a'] }))).claim.clients).toHaveLength(1)
  })
})

describe('the options of detectors', () => {
  const of = (change: Partial<DetectorParams>, run: Parameters<typeof featureOptions>[2] = {}, view = {}) =>
    featureOptions(view, { ...handParams, ...change }, run)

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
