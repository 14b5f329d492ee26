import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { detailsOf, type MadeUpdate, madeUpdate } from '../../../../test/regression-view.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { labelMean } from './label-mean.js'

const d = 5
const mlp = { kind: 'mlp', inputs: d, hidden: [12, 6], outputs: 1 }

function world(more: Partial<MadeUpdate> = {}, K = 40) {
  const r = rng(more.seed ?? 1).fork('records')
  const records = (n: number, name: string) => matrix(n, d, r.fork(name).normals(n * d))
  const features = records(K, 'client')
  const labels = Float64Array.from({ length: K }, (_, i) => 3 + features.data[i * d]! + 0.1 * r.normal())
  const made = madeUpdate({ model: mlp, features, labels, ...more })
  const mean = labels.reduce((sum, y) => sum + y, 0) / K
  const columns = Array.from({ length: d }, (_, j) => `x${j}`)
  const auxiliary = { columns, features: records(500, 'auxiliary') }
  return { ...made, features, labels, mean, view: { ...made.view, auxiliary } }
}

const estimateOf = async (view: object, estimate: string): Promise<number> =>
  only(await attackOn(labelMean, view, { params: { estimate } }), 'label-mean').value

describe('the mean label', () => {
  test('is the mean prediction minus half the bias gradient, for each estimate', async () => {
    const { view, functions, theta } = world()
    const gradB = ((await view.exchanges.read(0)).update as { grad: Float64Array }).grad.at(-1)!
    const at = (value: number) => functions.predict(theta, matrix(1, d, new Float64Array(d).fill(value))).data[0]!
    expect(await estimateOf(view, 'zero')).toBe(-gradB / 2)
    expect(await estimateOf(view, 'zeros')).toBeCloseTo(at(0) - gradB / 2, 12)
    expect(await estimateOf(view, 'ones')).toBeCloseTo(at(1) - gradB / 2, 12)
    const z = functions.predict(theta, view.auxiliary.features).data
    const zBar = z.reduce((sum, v) => sum + v, 0) / z.length
    expect(await estimateOf(view, 'auxiliary')).toBeCloseTo(zBar - gradB / 2, 12)
  })

  test('auxiliary and normal inputs come near when the records are normal; the error says how near', async () => {
    let beyond = 0
    for (let seed = 0; seed < 30; seed++) {
      const { view, mean } = world({ seed, share: seed % 2 === 0 ? 'parameters' : 'delta' })
      const outcome = await attackOn(labelMean, view)
      const error = detailsOf(outcome).error as number
      const miss = Math.abs(only(outcome, 'label-mean').value - mean)
      if (miss > 2 * error) beyond++
      expect(miss).toBeLessThan(0.2)
      expect(Math.abs((await estimateOf(view, 'normal')) - mean)).toBeLessThan(0.2)
    }
    expect(beyond).toBeLessThanOrEqual(5)
  })

  test('with the batch itself as auxiliary data it is exact, whatever the scale of the loss', async () => {
    for (const lossScale of [0.5, 1, 3]) {
      const { view, features, mean } = world({ protocol: { lossScale } })
      const own = { ...view, auxiliary: { ...view.auxiliary, features } }
      expect(await estimateOf(own, 'auxiliary')).toBeCloseTo(mean, 10)
    }
  })

  test('labelled auxiliary data: the best linear prediction is nearer once the model is trained', async () => {
    const misses = { auxiliary: 0, labels: 0 }
    for (let seed = 0; seed < 8; seed++) {
      const r = rng(seed).fork('trained')
      const [X, A] = [matrix(20, d, r.normals(20 * d)), matrix(400, d, r.normals(400 * d))]
      const label = (row: number, Z: typeof X) => 3 + 2 * Z.data[row * d]! + 0.1 * r.normal()
      const labels = Float64Array.from({ length: 20 }, (_, i) => label(i, X))
      // A linear model that knows the law: what is left of a prediction is the batch's own mean.
      const theta = Float64Array.of(1.9, 0, 0, 0, 0, 3)
      const model = { kind: 'linear', inputs: d, outputs: 1 }
      const { view } = madeUpdate({ model, features: X, labels, theta })
      const columns = Array.from({ length: d }, (_, j) => `x${j}`)
      const known = { columns, features: A }
      const all = {
        ...view,
        auxiliary: known,
        'auxiliary.label': Float64Array.from({ length: 400 }, (_, i) => label(i, A)),
      }
      const mean = labels.reduce((sum, y) => sum + y / 20, 0)
      for (const estimate of ['auxiliary', 'labels'] as const) {
        misses[estimate] += Math.abs((await estimateOf(all, estimate)) - mean) / 8
      }
    }
    expect(misses.labels).toBeLessThan(0.9 * misses.auxiliary)
  })

  test('binary cross-entropy: exact likewise', async () => {
    const labels = Float64Array.from({ length: 40 }, (_, i) => i % 2)
    const model = { kind: 'logistic', inputs: d, outputs: 1 }
    const { view, features } = world({ model, loss: 'binary-cross-entropy', labels })
    expect(await estimateOf({ ...view, auxiliary: { ...view.auxiliary, features } }, 'auxiliary')).toBeCloseTo(0.5, 10)
  })

  test('a sigmoid under squared error: near, with a warning', async () => {
    const labels = Float64Array.from({ length: 40 }, (_, i) => (i % 4) / 4)
    const { view } = world({ model: { ...mlp, outputActivation: 'sigmoid' }, labels })
    const outcome = await attackOn(labelMean, view)
    expect(Math.abs(only(outcome, 'label-mean').value - 0.375)).toBeLessThan(0.02)
    expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/slope/)] })
  })

  test.each(['tanh', 'softplus', 'relu'] as const)(
    'a %s output under squared error: near, with a warning',
    async (end) => {
      let claims = 0
      for (const seed of [1, 2, 3]) {
        const labels = Float64Array.from({ length: 40 }, (_, i) => (i % 4) / 4)
        const { view } = world({ seed, model: { ...mlp, outputActivation: end }, labels })
        const outcome = await attackOn(labelMean, view)
        if (outcome.status !== 'claimed') {
          expect([end, outcome]).toMatchObject(['relu', { missing: ['a slope of the output'] }])
          continue
        }
        claims++
        expect(Math.abs(only(outcome, 'label-mean').value - 0.375)).toBeLessThan(0.1)
        expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/slope/)] })
      }
      expect(claims).toBeGreaterThan(0)
    },
  )

  test('several local steps: near, with a warning', async () => {
    const { view, mean } = world({ share: 'parameters', protocol: { localSteps: 3, learningRate: 0.001 } })
    const outcome = await attackOn(labelMean, view)
    expect(Math.abs(only(outcome, 'label-mean').value - mean)).toBeLessThan(0.2)
    expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/3 local steps/)] })
  })

  test('one record, and a draw of normal inputs that its seed fixes', async () => {
    const { view, mean, features } = world({}, 1)
    expect(await estimateOf({ ...view, auxiliary: { ...view.auxiliary, features } }, 'auxiliary')).toBeCloseTo(mean, 10)
    expect(await estimateOf(view, 'normal')).toBe(await estimateOf(view, 'normal'))
  })
})

describe('refusals', () => {
  test('no auxiliary data, or none in them; no bias', async () => {
    const { auxiliary, ...view } = world().view
    expect(await attackOn(labelMean, view)).toMatchObject({ missing: ['auxiliary'] })
    const empty = { ...auxiliary, features: matrix(0, d) }
    expect(await attackOn(labelMean, { ...view, auxiliary: empty })).toMatchObject({ missing: ['auxiliary'] })
    const unbiased = world({ model: { ...mlp, bias: false } }).view
    expect(await attackOn(labelMean, unbiased)).toMatchObject({ missing: ['a bias'] })
  })
})

test('planted: found by every estimate; shuffled: not', async () => {
  if ('none' in labelMean.plant || 'none' in labelMean.shuffle) throw new Error('no control')
  let near = 0
  for (let seed = 0; seed < 20; seed++) {
    const { view, mean, truth } = world({ seed })
    const input = { view, params: {}, rng: rng(seed), truth } as never
    const planted = (await labelMean.plant(input)).view
    for (const estimate of ['zero', 'zeros', 'ones', 'normal', 'auxiliary']) {
      expect(await estimateOf(planted, estimate)).toBeCloseTo(mean, 10)
    }
    // Entries in another order are what no protocol leaves.
    const shuffled = await attackOn(labelMean, (await labelMean.shuffle(input)).view)
    if (shuffled.status === 'claimed' && Math.abs(only(shuffled, 'label-mean').value - mean) < 0.5) near++
  }
  expect(near).toBeLessThanOrEqual(4)
})
