import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import { engine } from '../../../numeric/engine/engine.js'
import { identity, matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { scaleVector } from '../../../numeric/random/scale-vector.js'
import { parts } from './detector.js'
import { detectors, detectorsOf, halvesOf, type MadeUp, meanUpdates } from './made-up-rounds.js'

const rate = 0.1
const made: MadeUp = {
  property: 'inversion',
  pairs: 100,
  sizes: [1],
  record: null,
  maxNorm: 0,
  riding: 'stale',
  noiseStd: 0,
  scale: { factor: 3, part: 0.5, key: 0 },
}

/** Records of `inputs` numbers for a linear model. */
function partOf(rows: readonly (readonly number[])[], labels: readonly number[], more: object = {}) {
  const inputs = rows[0]!.length
  const columns = rows[0]!.map((_, j) => `x${j}`)
  return {
    model: { kind: 'linear', inputs, outputs: 1, bias: true },
    loss: 'mse',
    protocol: protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: rate }),
    auxiliary: { columns, features: matrixOf(rows) },
    'auxiliary.label': Float64Array.from(labels),
    ...more,
  } as never
}

function meansOf(part: never, settings: Partial<MadeUp>, models: readonly Float64Array[], rounds = [3, 1]) {
  const before = engine().inUse()
  const maker = meanUpdates.open(part, { ...made, ...settings }, rng(1))
  const [having, lacking] = maker.make({ rounds }, models)
  maker.release()
  expect(engine().inUse()).toBe(before)
  return { having: having!, lacking: lacking! }
}

function close(found: Float64Array, asked: ArrayLike<number>) {
  expect(found).toHaveLength(asked.length)
  for (let j = 0; j < asked.length; j++) expect(found[j]).toBeCloseTo(asked[j]!, 5)
}

describe('the mean of made-up updates, of records that are all alike', () => {
  const part = partOf(new Array(6).fill([1, 2]), new Array(6).fill(3), {
    candidates: {
      columns: ['x0', 'x1'],
      features: matrixOf([
        [0, 0],
        [4, 0],
      ]),
    },
    'candidates.label': Float64Array.of(0, -1),
  })
  const theta = Float64Array.of(0.5, 0.25, -1)
  // Misses 0.5 + 0.5 - 1 - 3 = -3.
  const own = [0.6, 1.2, 0.6]
  const opposite = own.map((v) => -v)
  const means = (settings: Partial<MadeUp>, models = [theta]) => meansOf(part, settings, models)

  test('of those without a property that of the records, in whatever model they begin with', () => {
    close(means({}).lacking, own)
    // Misses -3 at the zero model too.
    close(means({}, [new Float64Array(3)]).lacking, own)
    close(means({}, [Float64Array.of(1, 1, 1)]).lacking, [-0.2, -0.4, -0.2])
  })

  test('of those with it what it makes of them', () => {
    close(means({ property: 'inversion' }).having, opposite)
    close(means({ property: 'ascent' }).having, opposite)
    close(
      means({ property: 'ascent', maxNorm: 0.5 }).having,
      opposite.map((v) => v / Math.hypot(...own) / 2),
    )
    close(means({ property: 'mislabelled' }).having, own)
    const scale = { factor: 5, part: 0.3, key: 2 }
    close(
      means({ property: 'scaled', scale }).having,
      scaleVector(3, scale).map((f, j) => f * own[j]!),
    )
    // The candidate (4, 0) of label -1 is missed by 2 - 1 + 1 = 2.
    close(means({ property: 'membership', record: 1 }).having, [-1.6, 0, -0.4])
    close(means({ property: 'membership', record: 1 }).lacking, own)
  })

  test('of riders the change since they were last asked', () => {
    const then = Float64Array.of(0.25, 1, 1)
    close(means({ property: 'free-rider' }, [theta, then]).having, [0.25, -0.75, -2])
    close(means({ property: 'free-rider' }).having, [0, 0, 0])
    close(means({ property: 'free-rider', riding: 'zero' }, [theta, then]).having, [0, 0, 0])
  })
})

/** A record a coordinate: where an update is not 0 tells which records were drawn. */
describe('whose records they are', () => {
  const n = 12
  const part = partOf(
    Array.from({ length: n }, (_, i) => Array.from(identity(n).data.subarray(i * n, (i + 1) * n))),
    new Array(n).fill(1),
  )
  const theta = new Float64Array(n + 1)
  const step = 2 * rate

  test.each([
    [100, 0],
    [5, 1],
  ])('%d pairs: those of the half that trains as long as updates train, then of the other', (pairs, half) => {
    const { having, lacking } = meansOf(part, { pairs }, [theta])
    const draws = rng(1).fork('round', 3)
    const from = halvesOf(draws.fork('halves').permutation(n), 1)[half]!
    for (const [kind, mean, count, sign] of [
      ['having', having, 8, -1],
      ['lacking', lacking, 24, 1],
    ] as const) {
      const drawn = new Float64Array(n)
      for (let i = 0; i < count; i++) drawn[from[draws.fork(kind, i).fork('rows').sample(from.length, 1)[0]!]!]! += 1
      close(
        mean.subarray(0, n),
        drawn.map((times) => (sign * step * times) / count),
      )
    }
  })

  test('the first that do not train come from the other half', () => {
    const pairs = 9
    expect(parts(pairs).train).toBe(4)
    const { lacking } = meansOf(part, { pairs }, [theta])
    const draws = rng(1).fork('round', 3)
    const halves = halvesOf(draws.fork('halves').permutation(n), 1)
    const inFirst = halves[0].reduce((sum, row) => sum + lacking[row]!, 0)
    expect(inFirst / step).toBeCloseTo(4 / 24, 5)
  })

  test('as many as one of the real clients holds', () => {
    const { lacking } = meansOf(part, { sizes: [2, 6] }, [theta])
    const draws = rng(1).fork('round', 3)
    const [from] = halvesOf(draws.fork('halves').permutation(n), 6)
    const drawn = new Float64Array(n)
    for (let i = 0; i < 24; i++) {
      const own = draws.fork('lacking', i)
      const size = [2, 6][own.fork('size').integer(2)]!
      for (const at of own.fork('rows').sample(from.length, size)) drawn[from[at]!]! += 1 / size
    }
    close(
      lacking.subarray(0, n),
      drawn.map((share) => (step * share) / 24),
    )
  })

  test('which must be there', () => {
    const before = engine().inUse()
    expect(() => meanUpdates.open(part, { ...made, sizes: [5, n + 1, 3] }, rng(1))).toThrow(
      `clients hold up to ${n + 1} records, the auxiliary data only ${n}`,
    )
    expect(engine().inUse()).toBe(before)
    meanUpdates.open(part, { ...made, sizes: [5, n, 3] }, rng(1)).release()
  })
})

test('who climbs out of all numbers is made up anew; whoever else does is not', () => {
  // Three of ten records are so large that the first coordinate of their update is no number in single precision.
  const rows = Array.from({ length: 10 }, (_, i) => [i < 3 ? 1e25 : 1, 0])
  const part = partOf(rows, new Array(10).fill(1))
  const theta = Float64Array.of(1, 0, 0)
  const finite = (settings: Partial<MadeUp>) => meansOf(part, settings, [theta]).having.every(Number.isFinite)
  expect(finite({ property: 'ascent' })).toBe(true)
  expect(finite({ property: 'inversion' })).toBe(false)
})

describe('detectors of a round', () => {
  const records = matrix(40, 2, rng(5).normals(80))
  const rows = Array.from({ length: 40 }, (_, i) => [records.data[2 * i]!, records.data[2 * i + 1]!])
  const part = partOf(
    rows,
    rows.map(([a]) => a! + 1),
  )
  const madeFor = (features: number) => {
    const maker = detectors.open(part, { ...made, pairs: 16, sizes: [4], floor: 0.1, features }, rng(1))
    const found = maker.make({ rounds: [3, 1] }, [new Float64Array(3)])
    maker.release()
    return detectorsOf(found)
  }

  test('one a feature, and of several their mean after them', () => {
    const [one] = [madeFor(1), madeFor(2), madeFor(3)].map((list) => list.length)
    expect([one, madeFor(2).length, madeFor(3).length]).toEqual([1, 3, 4])
    const [first, second, mean] = madeFor(2)
    const along = (x: Float64Array) => mean!.a.reduce((sum, v, j) => sum + v * x[j]!, 0)
    expect(along(first!.a) > 0 && along(second!.a) > 0).toBe(true)
    expect(mean!.penalty).toBeCloseTo((first!.penalty + second!.penalty) / 2, 12)
    for (const { a, shape } of madeFor(2)) expect([a.length, shape.plusMean > shape.minusMean]).toEqual([3, true])
  })

  test('as what was kept of them, in their order', () => {
    const kept = [Float64Array.of(1, 2), Float64Array.of(3, 4, 5, 6, 7, 8, 9, 10)]
    const other = [Float64Array.of(11, 12), Float64Array.of(13, 14, 15, 16, 17, 18, 19, 20)]
    const shape = { plusMean: 5, plusStd: 6, minusMean: 7, minusStd: 8, measured: 9, v: 10 }
    const found = detectorsOf([...kept, ...other])
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual({ a: kept[0], c: 3, penalty: 4, shape })
    expect([found[1]!.a, found[1]!.c, found[1]!.shape.v]).toEqual([other[0], 13, 20])
    expect(detectorsOf([])).toEqual([])
  })
})

test('what they see of a view: candidates only for members', () => {
  const always = ['model', 'loss', 'protocol', 'auxiliary', 'auxiliary.label']
  for (const derivation of [meanUpdates, detectors as unknown as typeof meanUpdates]) {
    expect(derivation.of(made)).toEqual(always)
    expect(derivation.of({ ...made, property: 'membership' })).toEqual([...always, 'candidates', 'candidates.label'])
  }
})
