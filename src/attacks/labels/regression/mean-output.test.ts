/** Models of several outputs: what is claimed is the mean over the labels of a record, as its error alone is seen as a sum. */
import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { madeUpdate } from '../../../../test/regression-view.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { meanOf, meanPerRecord } from '../../../numeric/special/summaries.js'
import { labelMean } from './label-mean.js'
import { metaclassCounts } from './metaclass-counts.js'
import { metaclassMeans } from './metaclass-means.js'

const [d, c] = [4, 3]
const mlp = { kind: 'mlp', inputs: d, hidden: [12, 6], outputs: c }

/** People of two kinds, whose labels lie 4 apart in the mean over three outputs. */
function people(n: number, seed: number, shareOfFirst: number) {
  const r = rng(seed).fork('several outputs')
  const kinds = Float64Array.from({ length: n }, (_, i) => Number(i >= shareOfFirst * n))
  const features = matrix(n, d, r.normals(n * d))
  for (const [i, kind] of kinds.entries()) features.data[i * d]! += 3 * kind
  const labels = Float64Array.from({ length: n * c }, (_, k) => {
    const i = Math.floor(k / c)
    return 10 + 6 * (k % c) + 4 * kinds[i]! * (k % c) + 0.1 * r.normal()
  })
  return { features, labels, kinds }
}

function world(seed: number, more: Partial<Parameters<typeof madeUpdate>[0]> = {}) {
  const [own, like] = [people(40, seed, 0.7), people(400, seed + 100, 0.5)]
  const made = madeUpdate({ model: mlp, ...own, metaclasses: own.kinds, seed, ...more })
  const means = meanPerRecord(own.labels, 40)
  const known = {
    auxiliary: { columns: [...'abcd'], features: like.features },
    'auxiliary.label': like.labels,
    'auxiliary.metaclass': like.kinds,
    metaclasses: ['one', 'other'],
    metaclassCounts: [28, 12],
  }
  const ofKinds = [0, 1].map((kind) => meanOf(means.filter((_, i) => own.kinds[i] === kind)))
  return { ...made, means, ofKinds, view: { ...made.view, ...known } }
}

describe('the mean over three outputs', () => {
  test.each(['gradient', 'parameters'] as const)(
    'of all records, of each metaclass, and how many these have: %s',
    async (share) => {
      for (const seed of [1, 2, 3]) {
        const { view, means, ofKinds } = world(seed, { share, protocol: { lossScale: 0.5 } })
        for (const estimate of ['auxiliary', 'labels']) {
          const outcome = await attackOn(labelMean, view, { params: { estimate } })
          expect(Math.abs(only(outcome, 'label-mean').value - meanOf(means)), estimate).toBeLessThan(0.6)
          expect(outcome).toMatchObject({ details: { error: null, explained: false } })
          expect(outcome).toMatchObject({ warnings: [expect.stringMatching(/^of 3 outputs the mean is claimed/)] })
        }
        const ofEach = await attackOn(metaclassMeans, view)
        for (const [k, y] of ofKinds.entries()) {
          expect(Math.abs(only(ofEach, 'metaclass-means').values[k]! - y)).toBeLessThan(1)
        }
        const counts = await attackOn(metaclassCounts, view)
        expect(Math.abs(only(counts, 'metaclass-counts').values[0]! - 28)).toBeLessThan(4)
        for (const outcome of [ofEach, counts])
          expect(outcome).toMatchObject({ details: { errors: null, explained: false } })
      }
    },
  )

  test('is exact where the mean prediction is known, whatever the outputs differ by', async () => {
    const { view, functions, theta, means } = world(4)
    const batch = people(40, 4, 0.7)
    const own = { ...view, auxiliary: { ...view.auxiliary, features: batch.features } }
    const { value } = only(await attackOn(labelMean, own), 'label-mean')
    expect(value).toBeCloseTo(meanOf(means), 9)
    // The last output's alone would be another number.
    const { grad } = functions.gradient(theta, batch)
    expect(Math.abs(grad.at(-1)! - grad.at(-2)!)).toBeGreaterThan(1)
  })

  test('several rounds, several steps: claimed, with a word', async () => {
    const { view } = world(5, { rounds: 2, share: 'parameters', protocol: { learningRate: 1e-3 } })
    const outcome = await attackOn(metaclassMeans, view, { params: { rounds: [0, 1] } })
    if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
    expect(outcome.warnings.filter((one) => one.startsWith('of 3 outputs'))).toHaveLength(1)
    const steps = await attackOn(
      labelMean,
      world(5, { share: 'parameters', protocol: { localSteps: 3, learningRate: 1e-4 } }).view,
    )
    expect(steps).toMatchObject({ warnings: [expect.stringMatching(/3 local steps/), expect.stringMatching(/^of 3/)] })
  })

  test('planted: found', async () => {
    for (const attack of [labelMean, metaclassMeans, metaclassCounts]) {
      const { view, truth, means, ofKinds } = world(6)
      if ('none' in attack.plant) throw new Error('no control')
      const input = { view, params: {}, truth, rng: rng(1) } as never
      const planted = await attackOn(attack, (await attack.plant(input)).view)
      if (attack === labelMean) expect(only(planted, 'label-mean').value).toBeCloseTo(meanOf(means), 9)
      if (attack === metaclassMeans)
        for (const [k, y] of ofKinds.entries()) expect(only(planted, 'metaclass-means').values[k]).toBeCloseTo(y, 2)
      if (attack === metaclassCounts) expect(only(planted, 'metaclass-counts').values[0]).toBeCloseTo(28, 1)
    }
  })
})

describe('refused', () => {
  test.each([labelMean, metaclassMeans, metaclassCounts])(
    '$id: outputs that bend, each in its own way',
    async (attack) => {
      const { view } = world(1, { model: { ...mlp, outputActivation: 'tanh' } })
      expect(await attackOn(attack, view)).toMatchObject({
        missing: ['one output, or plain ones'],
        why: expect.stringContaining('each of the 3 outputs has a slope of its own'),
      })
    },
  )

  test('labels that are not as many each', async () => {
    const { view } = world(1)
    const odd = { ...view, 'auxiliary.label': view['auxiliary.label'].slice(0, 1199) }
    await expect(attackOn(labelMean, odd)).rejects.toThrow('1199 labels for 400 auxiliary records')
  })
})
