import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../../test/attack-context.js'
import { headView, mlpSpec, modelView, rowsOf, truthOf } from '../../../../test/label-views.js'
import { sparsified } from '../../../../test/plain-network.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { softmaxRegression } from '../../../models/softmax.js'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { rowSums } from './class-evidence.js'
import { idlg, opposedRows } from './idlg.js'

interface VectorC {
  cases: { idlg: { label: number; grad_W: number[][]; grad_b: number[]; row_sums: number[]; eq38_indices: number[] } }
}

const positive = { params: { activations: 'positive' } }

describeWithShared('vector c: iDLG', () => {
  const { label, grad_W, grad_b, row_sums, eq38_indices } = vector<VectorC>('c').cases.idlg
  test('row sums, the opposed row and the label', async () => {
    for (const [i, sum] of rowSums(matrixOf(grad_W)).entries()) expect(sum).toBeCloseTo(row_sums[i]!, 14)
    expect(opposedRows(matrixOf(grad_W))).toEqual(eq38_indices)
    for (const options of [positive, {}]) {
      const view = headView({ gradW: grad_W, gradB: grad_b, K: 1 })
      expect(only(await attackOn(idlg, view, options), 'labels').labels).toEqual([label])
    }
  })
})

describe('a head of three classes, by hand', () => {
  // z = (ln 2, 0, 0) for a = (1, 2): p = (1/2, 1/4, 1/4); row i of the gradient is (p_i - [i = y]) a.
  const p = [0.5, 0.25, 0.25]
  const a = [1, 2]
  const gradient = (y: number, sign = 1) => p.map((pi, i) => a.map((v) => sign * v * (pi - (i === y ? 1 : 0))))

  test.each([0, 1, 2])('label %d', async (y) => {
    const claim = only(await attackOn(idlg, headView({ gradW: gradient(y), K: 1 }), positive), 'labels')
    expect(claim).toEqual({ kind: 'labels', client: 'a', round: 3, labels: [y] })
  })

  test('answers what the gradient says, not what is so: with negative activations taken for positive it errs', async () => {
    const misled = headView({ gradW: gradient(0, -1), K: 1 })
    expect(only(await attackOn(idlg, misled, positive), 'labels').labels).toEqual([1])
    expect(only(await attackOn(idlg, misled), 'labels').labels).toEqual([0])
  })

  test('a batch: the K smallest sums, or the negative ones; each class once', async () => {
    // Two records of class 1 and one of class 2, all with p and a as above.
    const gradW = p.map((pi, i) => a.map((v) => v * (pi - [0, 2 / 3, 1 / 3][i]!)))
    const labels = async (K: number, take: string) => {
      const outcome = await attackOn(idlg, headView({ gradW, K }), { params: { activations: 'positive', take } })
      return only(outcome, 'labels').labels
    }
    expect(await labels(2, 'smallest')).toEqual([1, 2])
    expect(await labels(3, 'smallest')).toEqual([1, 2, 0])
    expect(await labels(3, 'auto')).toEqual([1, 2])
    expect(await labels(30, 'auto')).toEqual([1, 2])
    expect(await labels(1, 'negative')).toEqual([1])
  })

  test('signed activations: the bias decides; without one, inner products', async () => {
    for (const y of [0, 1, 2]) {
      const gradW = p.map((pi, i) => [3, -4].map((v) => v * (pi - (i === y ? 1 : 0))))
      const gradB = p.map((pi, i) => pi - (i === y ? 1 : 0))
      const biased = await attackOn(idlg, headView({ gradW, gradB, K: 1 }))
      const plain = await attackOn(idlg, headView({ gradW, K: 1 }))
      expect(only(biased, 'labels').labels).toEqual([y])
      expect(only(plain, 'labels').labels).toEqual([y])
      expect(biased).toMatchObject({ warnings: [], details: { evidence: 'bias' } })
      expect(plain).toMatchObject({ warnings: [], details: { evidence: 'inner products' } })
    }
  })
})

describe('what cannot say is refused', () => {
  test('a gradient of zero', async () => {
    const outcome = await attackOn(
      idlg,
      headView({
        gradW: [
          [0, 0],
          [0, 0],
        ],
        gradB: [0, 0],
        K: 1,
      }),
      positive,
    )
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['a gradient other than zero'] })
  })
  test('a dead layer below leaves the bias', async () => {
    const view = headView({
      gradW: [
        [0, 0],
        [0, 0],
      ],
      gradB: [0.3, -0.3],
      K: 1,
    })
    expect(only(await attackOn(idlg, view, positive), 'labels').labels).toEqual([1])
  })
  test('two classes, signed, no bias: both fit', async () => {
    const outcome = await attackOn(
      idlg,
      headView({
        gradW: [
          [1, -2],
          [-1, 2],
        ],
        K: 1,
      }),
    )
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['a bias in the last layer'] })
  })
  test('a value that is not finite', async () => {
    await expect(
      attackOn(
        idlg,
        headView({
          gradW: [
            [1, Number.NaN],
            [0, 0],
          ],
          K: 1,
        }),
      ),
    ).rejects.toThrow('holds NaN at 1')
  })
  test('a loss that is no cross-entropy', async () => {
    const view = { ...headView({ gradW: [[1], [-1]], K: 1 }), loss: 'mse' }
    expect(await attackOn(idlg, view, positive)).toMatchObject({ status: 'not-applicable' })
  })
})

describe('models', () => {
  test('one record of any label, any activation, with and without a bias: always right', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('relu', 'sigmoid', 'tanh'),
        fc.boolean(),
        fc.integer({ min: 3, max: 9 }),
        fc.nat(),
        async (activation, bias, outputs, seed) => {
          const model = mlpSpec({ inputs: 4, hidden: [8], outputs, activation, bias })
          const r = rng(seed)
          const y = r.integer(outputs)
          const batch = { features: matrix(1, 4, r.normals(4)), labels: Float64Array.of(y) }
          const view = modelView({ model, theta: initialise(mlp(model), r), batch })
          const outcome = await attackOn(idlg, view)
          // A layer of which no unit is active leaves nothing without a bias.
          if (outcome.status === 'not-applicable') expect([activation, bias]).toEqual(['relu', false])
          else expect(only(outcome, 'labels').labels).toEqual([y])
        },
      ),
      { numRuns: 60 },
    )
  })

  const model = { kind: 'softmax', inputs: 2, outputs: 3, bias: true } as const
  const theta = initialise(softmaxRegression(model), rng(4))
  const batch = { features: rowsOf([1, 2]), labels: Float64Array.of(2) }

  test('parameters, deltas and gradients say the same, whether or not the step is known', async () => {
    const steps = [undefined, { kind: 'parameters', learningRate: 0.1 }, { kind: 'delta', learningRate: 0.1 }] as const
    for (const step of steps) {
      const view = modelView({ model, theta, batch, ...(step && { step }) })
      expect(only(await attackOn(idlg, view), 'labels').labels).toEqual([2])
    }
    const { exchanges, ...rest } = modelView({ model, theta, batch, step: { kind: 'delta', learningRate: 0.1 } })
    const exchange = { ...(await exchanges.read(3)), learningRate: null, received: undefined }
    const unknown = { ...rest, exchanges: { rounds: [3], read: async () => exchange } }
    expect(only(await attackOn(idlg, unknown), 'labels').labels).toEqual([2])
  })

  test('planted labels are found; shifted classes are claimed for their neighbours', async () => {
    const batch = { features: rowsOf([1, 2], [3, 1], [0, 1]), labels: Float64Array.of(1, 1, 1) }
    const view = modelView({ model, theta, batch, step: { kind: 'parameters', learningRate: 0.1 } })
    const input = { view, params: {}, truth: truthOf(batch), rng: rng(1) }
    if ('none' in idlg.plant || 'none' in idlg.shuffle) throw new Error('no controls')
    const planted = await idlg.plant(input)
    expect(only(await idlg.run(planted.view, contextFor()), 'labels').labels).toEqual([1])
    const shuffled = await idlg.shuffle({ ...input, view: planted.view as typeof view })
    const found = only(await idlg.run(shuffled.view, contextFor()), 'labels').labels
    expect(found).not.toContain(1)
  })
})

describe('a single record is checked against the whole layer', () => {
  const model = mlpSpec({ inputs: 6, hidden: [12], outputs: 4 })
  const theta = initialise(mlp(model), rng(4))
  const viewOf = (K: number, seed: number) => {
    const features = matrix(K, 6, rng(seed).normals(6 * K))
    const labels = Float64Array.from({ length: K }, (_, i) => (seed + i) % 4)
    return modelView({ model, theta, batch: { features, labels } })
  }

  test('fits where it is one', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const { labels, fit } = only(await attackOn(idlg, viewOf(1, seed)), 'labels')
      expect(labels).toEqual([seed % 4])
      expect(fit).toMatchObject({ p: 1 })
      expect(fit!.misfit).toBeLessThan(1e-12)
    }
  })

  test('five records stated as one, and a gradient cut to its largest tenth: refused', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const five = { ...viewOf(5, seed), batchSize: 1 }
      expect(await attackOn(idlg, five)).toMatchObject({ missing: ['a protocol that explains the update'] })
      const one = viewOf(1, seed)
      const exchange = await one.exchanges.read(3)
      const grad = sparsified((exchange.update as { grad: Float64Array }).grad, 0.1)
      const heard = { rounds: [3], read: async () => ({ ...exchange, update: { kind: 'gradient', grad } }) }
      expect((await attackOn(idlg, { ...one, exchanges: heard })).status).toBe('not-applicable')
    }
  })
})
