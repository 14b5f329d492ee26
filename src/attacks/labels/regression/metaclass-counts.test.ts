import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { madeBatch, maeOf, medianOf } from '../../../../test/regression-batch.js'
import { detailsOf } from '../../../../test/regression-view.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { metaclassCounts } from './metaclass-counts.js'

type Given = Readonly<Record<string, unknown>>
const countsOf = async (view: object, params: Given = {}): Promise<number[]> =>
  Array.from(only(await attackOn(metaclassCounts, view, { params }), 'metaclass-counts').values)
const sum = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0)

/** A world in which nothing inside a metaclass varies. */
async function clean(options: Parameters<typeof madeBatch>[0] = {}) {
  const made = await madeBatch(options)
  if ('none' in metaclassCounts.plant) throw new Error('no plant')
  const planted = await metaclassCounts.plant({ view: made.view, params: {}, truth: made.truth, rng: rng(1) } as never)
  return { ...made, view: planted.view as typeof made.view }
}

describe('where nothing inside a metaclass varies', () => {
  test.each([
    { solver: 'pinv' },
    { solver: 'pinv', scaling: 'rows' },
    { solver: 'pinv', scaling: 'both' },
    { solver: 'pinv', constrain: 'simplex' },
    { solver: 'tsvd', rank: 4 },
    { solver: 'tikhonov', rule: 'discrepancy' },
    { solver: 'tikhonov', rule: 'gcv', constrain: 'simplex' },
    { solver: 'blup', shift: 'none' },
    {},
    { whole: true },
  ])('%o: every number is found', async (params) => {
    for (const share of ['gradient', 'parameters'] as const) {
      const { view, counts } = await clean({ share, protocol: { lossScale: share === 'gradient' ? 1 : 0.5 } })
      expect(maeOf(await countsOf(view, params), counts)).toBeLessThan(1e-3)
    }
  })

  test('two rounds of the same batch', async () => {
    const { view, counts } = await clean({ rounds: 2, share: 'parameters', protocol: { learningRate: 1e-3 } })
    for (const solver of ['pinv', 'blup']) {
      expect(maeOf(await countsOf(view, { rounds: '0,1', solver }), counts)).toBeLessThan(1e-3)
    }
  })
})

describe('synthetic metaclasses', () => {
  const runs = 10
  const worlds = Promise.all(Array.from({ length: runs }, (_, seed) => madeBatch({ seed, data: { records: 1200 } })))

  // methods.md 6.3: the best linear prediction beats the auxiliary shares, the pseudo-inverse does not everywhere.
  test('blup comes nearer than the auxiliary shares, and nearer than the published solvers', async () => {
    const errors: Record<string, number[]> = { blup: [], pinv: [], tikhonov: [], shares: [] }
    for (const { view, counts, aux } of await worlds) {
      for (const solver of ['blup', 'pinv', 'tikhonov'])
        errors[solver]!.push(maeOf(await countsOf(view, { solver }), counts))
      const shares = counts.map((_, c) => (40 * aux.metaclasses.filter((m) => m === c).length) / 500)
      errors.shares!.push(maeOf(shares, counts))
    }
    const [blup, pinv, tikhonov, shares] = Object.values(errors).map(medianOf)
    expect(blup).toBeLessThan(0.7 * shares!)
    expect(blup).toBeLessThanOrEqual(pinv!)
    expect(blup).toBeLessThanOrEqual(tikhonov!)
  })

  test('sums to K, is not negative, and whole where asked; the error it states is right on average', async () => {
    let squares = 0
    for (const { view, counts } of await worlds) {
      const outcome = await attackOn(metaclassCounts, view)
      const values = Array.from(only(outcome, 'metaclass-counts').values)
      expect(sum(values)).toBeCloseTo(40, 9)
      const whole = await countsOf(view, { whole: true })
      expect(sum(whole)).toBe(40)
      expect(whole.every((k) => Number.isInteger(k) && k >= 0)).toBe(true)
      // None where the update is an unlikely one.
      const stated = detailsOf(outcome).errors as number[] | null
      if (stated === null) continue
      for (const [c, k] of counts.entries()) squares += ((values[c]! - k) / stated[c]!) ** 2 / (4 * runs)
    }
    expect(squares).toBeGreaterThan(0.3)
    expect(squares).toBeLessThan(3)
  })

  test('labels that are all a third too high: believed less, still nearer than without thinking of it', async () => {
    const errors: Record<string, number[]> = { evidence: [], none: [] }
    for (const { view, counts } of await worlds) {
      const shifted = { ...view, 'auxiliary.label': view['auxiliary.label'].map((y) => 0.7 * y) }
      for (const shift of ['evidence', 'none']) errors[shift]!.push(maeOf(await countsOf(shifted, { shift }), counts))
    }
    expect(medianOf(errors.evidence!)).toBeLessThan(0.8 * medianOf(errors.none!))
  })

  test('the same world, the same claim; another scale of the loss, the same claim', async () => {
    const { view } = (await worlds)[0]!
    expect(await countsOf(view)).toEqual(await countsOf(view))
    const halved = await madeBatch({ seed: 0, data: { records: 1200 }, protocol: { lossScale: 0.5 } })
    const [a, b] = [await countsOf(view), await countsOf(halved.view)]
    for (const [c, k] of a.entries()) expect(b[c]).toBeCloseTo(k, 6)
  })

  test('clusters of the auxiliary data stand for the column', async () => {
    const { view, counts } = (await worlds)[1]!
    const outcome = await attackOn(metaclassCounts, view, { params: { metaclasses: 'clusters', clusters: 4 } })
    const values = Array.from(only(outcome, 'metaclass-counts').values)
    expect(sum(values)).toBeCloseTo(40, 9)
    // The clusters are the metaclasses here, in another order.
    const sorted = (list: readonly number[]) => [...list].sort((x, y) => x - y)
    expect(maeOf(sorted(values), sorted(counts))).toBeLessThan(3)
    // The claim says which groups it is about, so that nobody grades it against the column's.
    expect(only(outcome, 'metaclass-counts').clusters!.centres).toHaveLength(4)
  })
})

describe('at the edges', () => {
  test('one metaclass: all records are its', async () => {
    const { view } = await madeBatch({ data: { metaclasses: 1, records: 700 } })
    for (const solver of ['pinv', 'tikhonov', 'blup']) {
      expect((await countsOf(view, { solver, constrain: 'clip' }))[0]).toBeCloseTo(40, 6)
    }
  })

  test('a wide last layer', async () => {
    const { view, counts } = await madeBatch({ hidden: [100], data: { records: 700 } })
    expect(maeOf(await countsOf(view), counts)).toBeLessThan(2)
    expect(maeOf(await countsOf(view, { solver: 'tikhonov' }), counts)).toBeLessThan(8)
  })

  test('one record', async () => {
    const { view, counts } = await madeBatch({ K: 1, data: { records: 700 } })
    const found = await countsOf(view, { whole: true })
    expect(sum(found)).toBe(1)
    expect(sum(counts)).toBe(1)
  })

  test('a dead layer: the auxiliary shares, and a system of low rank', async () => {
    const { view } = await madeBatch({ data: { records: 700 } })
    const exchange = await view.exchanges.read(0)
    const received = new Float64Array(exchange.received!.length)
    const grad = new Float64Array(received.length)
    grad[grad.length - 1] = 0.3
    const update = { kind: 'gradient', grad }
    const dead = { ...view, exchanges: { rounds: [0], read: async () => ({ ...exchange, received, update }) } }
    const found = await countsOf(dead)
    expect(sum(found)).toBeCloseTo(40, 9)
    const outcome = await attackOn(metaclassCounts, dead, { params: { solver: 'pinv' } })
    expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/other labels/), expect.stringMatching(/rank/)] })
  })

  test('a gradient of zeros is not a number of records: finite all the same', async () => {
    const { view } = await madeBatch({ data: { records: 700 } })
    const exchange = await view.exchanges.read(0)
    const update = { kind: 'gradient', grad: new Float64Array(exchange.received!.length) }
    const silent = { ...view, exchanges: { rounds: [0], read: async () => ({ ...exchange, update }) } }
    for (const solver of ['pinv', 'tsvd', 'tikhonov', 'blup']) {
      expect((await countsOf(silent, { solver })).every(Number.isFinite)).toBe(true)
    }
  })

  test('a metaclass without auxiliary records counts 0, and is named', async () => {
    const { view } = await madeBatch({ data: { records: 700 } })
    const outcome = await attackOn(metaclassCounts, { ...view, metaclasses: ['A', 'B', 'C', 'D', 'never'] })
    expect(only(outcome, 'metaclass-counts').values[4]).toBe(0)
    expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/never/)] })
  })

  test('what is missing is named', async () => {
    const { view } = await madeBatch({ data: { records: 700 } })
    const without = (key: string) => Object.fromEntries(Object.entries(view).filter(([name]) => name !== key))
    const missing = async (given: object, params: Given = {}) => attackOn(metaclassCounts, given, { params })
    expect(await missing(without('auxiliary.label'))).toMatchObject({ missing: ['auxiliary.label'] })
    expect(await missing(without('auxiliary.metaclass'))).toMatchObject({ missing: ['auxiliary.metaclass'] })
    expect(await missing({ ...view, round: 7 })).toMatchObject({ missing: ['exchanges'] })
    const none = { auxiliary: { ...view.auxiliary, features: matrix(0, 30) }, 'auxiliary.label': new Float64Array(0) }
    expect(await missing({ ...view, ...none })).toMatchObject({ missing: ['auxiliary'] })
    const { batchSize: _, samples: __, ...uncounted } = view
    expect(await missing(uncounted)).toMatchObject({ missing: ['batchSize'] })
    await expect(missing({ ...view, 'auxiliary.metaclass': new Float64Array(500).fill(9) })).rejects.toThrow(
      /of metaclass 9/,
    )
    await expect(missing({ ...view, 'auxiliary.metaclass': new Float64Array(3) })).rejects.toThrow(/3 metaclasses/)
  })
})

test('planted: found by the default; shuffled: no nearer than the auxiliary shares', async () => {
  if ('none' in metaclassCounts.shuffle) throw new Error('no control')
  const lifts: number[] = []
  for (let seed = 0; seed < 6; seed++) {
    const { view, counts, aux } = await clean({ seed, share: 'delta', data: { records: 800 } })
    expect(maeOf(await countsOf(view), counts)).toBeLessThan(1e-3)
    const honest = await madeBatch({ seed, share: 'delta', data: { records: 800 } })
    const input = { view: honest.view, params: {}, rng: rng(seed) } as never
    const shuffled = (await metaclassCounts.shuffle(input)).view
    const shares = counts.map((_, c) => (40 * aux.metaclasses.filter((m) => m === c).length) / 500)
    // Entries in another order are what no protocol leaves: mostly refused.
    const outcome = await attackOn(metaclassCounts, shuffled)
    const named = outcome.status === 'claimed' ? Array.from(only(outcome, 'metaclass-counts').values) : shares
    lifts.push(maeOf(shares, counts) - maeOf(named, counts))
  }
  expect(medianOf(lifts)).toBeLessThan(0.1)
})

describe('a record unlike all auxiliary ones', () => {
  const odd = { stretched: 30, hidden: [8], epochs: 2 }
  test('leaves more of a true gradient than others do, which is told and not refused', async () => {
    const { view } = await madeBatch({ ...odd, share: 'gradient' })
    const outcome = await attackOn(metaclassCounts, view)
    expect(sum(Array.from(only(outcome, 'metaclass-counts').values))).toBeCloseTo(40, 9)
    expect(detailsOf(outcome)).toMatchObject({ explained: false, errors: null })
    expect('warnings' in outcome && outcome.warnings.join()).toContain('unlike the auxiliary ones')
  })
  test('is refused where a recipe stands between the gradient and the message', async () => {
    const { view } = await madeBatch({ ...odd, share: 'parameters', protocol: { learningRate: 1e-3 } })
    expect(await attackOn(metaclassCounts, view)).toMatchObject({ missing: ['a protocol that explains the update'] })
  })
})
