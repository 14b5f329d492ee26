import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { linearFederation, relativeError, seriesOf, truthOf } from '../../../test/linear-federation.js'
import { functionsOf } from '../../models/functions.js'
import { logistic } from '../../models/logistic.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { minimise } from '../../numeric/optimise/optimiser.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Attack, Claimed } from '../attack.js'
import { lmraMapping } from './lmra-mapping.js'
import { coordinatesOf, scaleColumns } from './mapping-coordinates.js'

const world = linearFederation({ d: 5, clients: 6, taking: 3, rounds: 120, learningRate: 0.05, perturb: 0.05 })
const view = { exchanges: seriesOf(world.exchanges), target: '0' }
const last = (world.exchanges.at(-1)!.update as { theta: Float64Array }).theta

test('a map that happens to be affine: its zero is found, far nearer than the last returned model', async () => {
  const outcome = await attackOn(lmraMapping, view)
  const error = relativeError(only(outcome, 'model').theta, world.optimum)
  expect(error).toBeLessThan(0.3 * relativeError(last, world.optimum))
  expect(await attackOn(lmraMapping, view)).toEqual(outcome)
})

/** A client of logistic regression with overlapping classes, asked at models around the start of training. */
function logisticClient(std = 0.7, rateIn: (round: number) => number = () => 0.5) {
  const stream = rng(12)
  const features = matrix(200, 3, stream.normals(600))
  const law = [2, -1.5, 0.5]
  const labels = Float64Array.from({ length: 200 }, (_, i) => {
    const z = law.reduce((sum, v, j) => sum + v * features.data[3 * i + j]!, 0.7)
    return stream.uniform() < 1 / (1 + Math.exp(-z)) ? 1 : 0
  })
  const functions = functionsOf(logistic({ inputs: 3 }))
  const objective = (theta: Float64Array) => {
    const { loss: value, grad } = functions.gradient(theta, { features, labels })
    return { value, gradient: grad }
  }
  const optimum = minimise(lbfgs(), objective, new Float64Array(4), { maxIterations: 200, gradientTolerance: 1e-10 }).x
  const exchanges = Array.from({ length: 60 }, (_, round): Exchange => {
    const received = stream.fork('round', round).normals(4, { mean: 0.3, std })
    let theta = received
    for (let s = 0; s < 5; s++) {
      const { grad } = functions.gradient(theta, { features, labels })
      theta = theta.map((x, j) => x - rateIn(round) * grad[j]!)
    }
    return { round, received, update: { kind: 'parameters', theta }, learningRate: 0.5 }
  })
  return { exchanges, optimum }
}

test('one map in all rounds, and one that changes half-way: what is left says which', async () => {
  const fitOf = async (rateIn: (round: number) => number) => {
    const exchanges = seriesOf(logisticClient(0.7, rateIn).exchanges)
    const outcome = await attackOn(lmraMapping, { exchanges, target: '0' }, { params: { hidden: 60 } })
    return { p: only(outcome, 'model').fit?.p, warnings: (outcome as Claimed).warnings.join() }
  }
  const [same, other] = [await fitOf(() => 0.5), await fitOf((round) => (round < 30 ? 0.5 : 0.05))]
  expect(same.p).toBeGreaterThan(0.01)
  expect(same.warnings).not.toContain('alike from turn to turn')
  expect(other.p).toBeLessThan(1e-3)
  expect(other.warnings).toContain('alike from turn to turn')
})

test('logistic regression, several local steps', async () => {
  const { exchanges, optimum } = logisticClient()
  const outcome = await attackOn(lmraMapping, { exchanges: seriesOf(exchanges), target: '0' })
  const { theta } = exchanges.at(-1)!.update as { theta: Float64Array }
  const error = relativeError(only(outcome, 'model').theta, optimum)
  expect(error).toBeLessThan(0.25)
  expect(error).toBeLessThan(0.5 * relativeError(theta, optimum))
})

test('outputs of different sizes: scaled each they are all learned, unscaled the small ones are not', async () => {
  const units = [1, 1e3, 1e-2, 1, 10]
  const scaled = world.exchanges.map((one): Exchange => {
    const inUnits = (x: Float64Array) => x.map((v, j) => v * units[j]!)
    const update = { kind: 'parameters' as const, theta: inUnits((one.update as { theta: Float64Array }).theta) }
    return { ...one, received: inUnits(one.received!), update }
  })
  const heard = { exchanges: seriesOf(scaled), target: '0' }
  const errorWith = async (scale: string) => {
    const { theta } = only(await attackOn(lmraMapping, heard, { params: { scale } }), 'model')
    return relativeError(
      theta.map((v, j) => v / units[j]!),
      world.optimum,
    )
  }
  const each = await errorWith('each')
  expect(each).toBeLessThan(0.3 * relativeError(last, world.optimum))
  expect(await errorWith('none')).toBeGreaterThan(3 * each)
})

test.each([
  { decode: 'adam', iterations: 2000 },
  { inputs: 'each', epochs: 600 },
])('other ways: %o', async (params) => {
  const { theta } = only(await attackOn(lmraMapping, view, { params }), 'model')
  expect(relativeError(theta, world.optimum)).toBeLessThan(0.6 * relativeError(last, world.optimum))
})

test('a shared gradient without a known rate', async () => {
  const exchanges = world.exchanges.map((one): Exchange => {
    const theta = (one.update as { theta: Float64Array }).theta
    const grad = theta.map((x, j) => (one.received![j]! - x) / 0.05)
    return { ...one, update: { kind: 'gradient', grad }, learningRate: null }
  })
  const { theta } = only(await attackOn(lmraMapping, { ...view, exchanges: seriesOf(exchanges) }), 'model')
  expect(relativeError(theta, world.optimum)).toBeLessThan(0.3 * relativeError(last, world.optimum))
})

describe('what cannot be said', () => {
  test('one message, or the same one again: not applicable', async () => {
    const once = await attackOn(lmraMapping, { ...view, exchanges: seriesOf(world.exchanges.slice(0, 1)) })
    expect(once).toMatchObject({ status: 'not-applicable', missing: ['messages that differ'] })
    const same = Array.from({ length: 9 }, (_, round) => ({ ...world.exchanges[0]!, round }))
    expect(await attackOn(lmraMapping, { ...view, exchanges: seriesOf(same) })).toMatchObject({
      missing: ['messages that differ'],
    })
  })

  test('fewer messages than parameters: said, and the directions not heard stay as last returned', async () => {
    const few = world.exchanges.slice(0, 3)
    const outcome = (await attackOn(lmraMapping, { ...view, exchanges: seriesOf(few) })) as Claimed
    expect(outcome.warnings[0]).toContain('3 messages tell at most 2 of 5 directions apart')
    expect(outcome.details.directions).toBe(2)
    const returned = (few.at(-1)!.update as { theta: Float64Array }).theta
    const move = only(outcome, 'model').theta.map((v, j) => v - returned[j]!)
    const heard = few.slice(1).map(({ received }) => received!.map((v, j) => v - few[0]!.received![j]!))
    // The move lies in the span of the differences of the models sent: its part across is nothing.
    const [a, b] = heard as [Float64Array, Float64Array]
    const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, v, j) => sum + v * y[j]!, 0)
    const c = b.map((v, j) => v - (dot(a, b) / dot(a, a)) * a[j]!)
    const rest = move.map((v, j) => v - (dot(a, move) / dot(a, a)) * a[j]! - (dot(c, move) / dot(c, c)) * c[j]!)
    expect(Math.sqrt(dot(rest, rest))).toBeLessThan(1e-9 * Math.sqrt(dot(move, move)) + 1e-12)
  })

  test('a map too large to learn: not applicable, with its size', async () => {
    const outcome = await attackOn(
      lmraMapping,
      { ...view, exchanges: seriesOf(wide(201)) },
      { params: { hidden: 100_000 } },
    )
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['a smaller model'] })
  })

  test.each([
    [1e-3, true],
    [0.055, true],
    [0.058, false],
  ])('models heard within %d of one place, the optimum far away: a guess beyond ten times that', async (std, far) => {
    const { exchanges } = logisticClient(std)
    const outcome = (await attackOn(lmraMapping, { ...view, exchanges: seriesOf(exchanges) })) as Claimed
    const heard = matrix(60, 4)
    for (const [i, { received }] of exchanges.entries()) heard.data.set(received!, 4 * i)
    const z = coordinatesOf(heard, 'whiten').to(only(outcome, 'model').theta)
    const outside = Math.sqrt(z.reduce((sum, x) => sum + x * x, 0) / 4)
    expect(outcome.details.outside).toBeCloseTo(outside, 6)
    expect(outcome.warnings).toEqual(
      far ? [expect.stringContaining('times further out than the models that were heard')] : [],
    )
  })

  test.each([
    [0, 100],
    [20, 54.2],
    [26, 44.3],
  ])('%d steps towards where the map vanishes leave %d %%: said above the half', async (iterations, percent) => {
    const params = { decode: 'adam', iterations }
    const { details, warnings } = (await attackOn(lmraMapping, view, { params })) as Claimed
    expect(details).toMatchObject({ iterations, updateAtClaim: expect.closeTo(percent / 100, 2) })
    const still = expect.stringMatching(`^no resting point was found: the map still predicts ${percent} % of the last`)
    expect(warnings).toEqual(percent > 50 ? [still] : [])
  })

  test('a diverged model is an error', async () => {
    const update = { kind: 'parameters', theta: new Float64Array(5).fill(Number.NaN) } as const
    const exchanges = world.exchanges.map((one) => ({ ...one, update }))
    await expect(attackOn(lmraMapping, { ...view, exchanges: seriesOf(exchanges) })).rejects.toThrow('is NaN')
  })
})

const wide = (d: number): Exchange[] =>
  Array.from({ length: 3 }, (_, round) => ({
    round,
    received: rng(round).normals(d),
    learningRate: 0.1,
    update: { kind: 'parameters', theta: rng(round).normals(d) },
  }))

describe('coordinates', () => {
  const theta = matrix(30, 4, rng(2).normals(120))
  test.each(['whiten', 'each', 'none'] as const)('there and back: %s', (how) => {
    const among = coordinatesOf(theta, how)
    const x = Float64Array.of(3, -1, 0.2, 7)
    expect(relativeError(among.from(among.to(x), Float64Array.of(1, 1, 1, 1)), x)).toBeLessThan(1e-12)
    expect(relativeError(among.to(theta.data.slice(4, 8)), among.rows.data.slice(4, 8))).toBeLessThan(1e-12)
  })

  test('whitened rows have spread 1 and no correlation, however long and thin the cloud', () => {
    const thin = matrix(30, 4, theta.data.slice())
    for (let i = 0; i < 30; i++) for (let j = 0; j < 4; j++) thin.data[4 * i + j] = i + 1e-4 * theta.data[4 * i + j]!
    const { rows, size } = coordinatesOf(thin, 'whiten')
    expect(size).toBe(4)
    for (let p = 0; p < 4; p++) {
      for (let q = 0; q < 4; q++) {
        let sum = 0
        for (let i = 0; i < 30; i++) sum += (rows.data[4 * i + p]! * rows.data[4 * i + q]!) / 30
        expect(sum).toBeCloseTo(p === q ? 1 : 0, 8)
      }
    }
  })

  test('a column that never changes is no division by zero', () => {
    const flat = matrix(3, 2, Float64Array.of(1, 5, 2, 5, 3, 5))
    expect([...scaleColumns(flat, 'each').rows.data].every(Number.isFinite)).toBe(true)
    expect(coordinatesOf(flat, 'whiten').size).toBe(1)
  })
})

describe('controls', () => {
  test('a planted optimum is found', async () => {
    const plant = lmraMapping.plant as Exclude<Attack['plant'], { none: string }>
    const input = { view: { ...view, exchanges: seriesOf(world.exchanges.slice(0, 4)) }, params: {} }
    const planted = await plant({ ...input, truth: truthOf(world), rng: rng(1) })
    const outcome = await lmraMapping.run(planted.view, contextFor())
    const error = relativeError(only(outcome, 'model').theta, world.optimum)
    expect(error).toBeLessThan(0.1)
  })

  test('shuffled coordinates hide it', async () => {
    const shuffle = lmraMapping.shuffle as Exclude<Attack['shuffle'], { none: string }>
    const shuffled = await shuffle({ view, params: {}, rng: rng(1) })
    const outcome = await lmraMapping.run(shuffled.view, contextFor())
    expect(relativeError(only(outcome, 'model').theta, world.optimum)).toBeGreaterThan(0.5)
  })
})
