import { type FederationSpec, federate, inlinePool, liveChannel, population, runToEnd } from 'overhear/federation'
import { functionsOf, mlp, trainer } from 'overhear/models'
import { clippedGradient, gradient, matrix, matrixOf, trace } from 'overhear/numeric'
import { expect, test } from 'vitest'
import { describeWithShared, vector } from './shared.js'

interface Network {
  W1: number[][]
  b1: number[]
  W2: number[][]
  b2: number[]
}
interface VectorA {
  params: Network
  X: number[][]
  y: number[]
  cases: {
    activation: 'relu' | 'sigmoid' | 'tanh'
    output: 'identity' | 'sigmoid'
    predictions: number[]
    hidden: number[][]
    loss: number
    grad: Network
  }[]
}

const flat = ({ W1, b1, W2, b2 }: Network): Float64Array =>
  Float64Array.from([...W1.flat(), ...b1, ...W2.flat(), ...b2])

/** Relative to the largest value: these are sums of a few dozen products in float64. */
function expectClose(got: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-12): void {
  expect(got.length).toBe(expected.length)
  const size = Math.max(...Array.from(expected, Math.abs), 1e-300)
  for (let i = 0; i < got.length; i++) expect(Math.abs(got[i]! - expected[i]!)).toBeLessThanOrEqual(tolerance * size)
}

describeWithShared('vector a: predictions, hidden units, loss and gradient of an MLP', () => {
  const { params, X, y, cases } = vector<VectorA>('a')
  test('has cases', () => expect(cases.length).toBeGreaterThan(0))
  test.each(cases.map((c) => [`${c.activation}, ${c.output}`, c] as const))('%s', (_, c) => {
    const model = mlp({ inputs: 5, hidden: [4], outputs: 1, activation: c.activation, outputActivation: c.output })
    const f = functionsOf(model, { loss: 'mse' })
    const batch = { features: matrixOf(X), labels: Float64Array.from(y) }
    const theta = flat(params)
    expectClose(f.predict(theta, batch.features).data, c.predictions)
    expectClose(f.penultimate(theta, batch.features).data, c.hidden.flat())
    const { loss, grad } = f.gradient(theta, batch)
    expectClose([loss], [c.loss])
    expectClose(grad, flat(c.grad))
  })
})

interface VectorL {
  s: number[]
  target: number[]
  virtual_gradient: number[]
  cos: number
  dcos_ds: number[]
}

describeWithShared('vector l: the cosine between a gradient and a target, and its derivative in one column', () => {
  test('gradient, cosine, derivative', () => {
    const { s, target, virtual_gradient: g, cos, dcos_ds: derivative } = vector<VectorL>('l')
    const { params, X, y } = vector<VectorA>('a')
    const known = X.map((row) => row.slice(0, 4))
    const f = functionsOf(mlp({ inputs: 5, hidden: [4], outputs: 1 }))
    const model = mlp({ inputs: 5, hidden: [4], outputs: 1 })
    const run = f.derive(6, ({ theta, y }) => {
      const [pub, column] = [trace.input('known', { rows: 6, cols: 4 }), trace.input('s', { rows: 6, cols: 1 })]
      const features = trace.add(trace.scatterCols(pub, [0, 1, 2, 3], 5), trace.scatterCols(column, [4], 5))
      const e = trace.sub(model.trace(theta, features).output, y)
      const [grad] = gradient(trace.scale(trace.dot(e, e), 1 / 6), [theta])
      const goal = trace.input('target', theta)
      const cosine = trace.div(trace.dot(grad!, goal), trace.mul(trace.norm(grad!), trace.norm(goal)))
      return [grad!, cosine, ...gradient(cosine, [column])]
    })
    const numbers = (values: readonly number[]) => Float64Array.from(values)
    const inputs = {
      theta: flat(params),
      y: numbers(y),
      known: numbers(known.flat()),
      s: numbers(s),
      target: numbers(target),
    }
    const [gotGradient, gotCosine, gotDerivative] = run(inputs)
    expectClose(gotGradient!, g)
    expectClose(gotCosine!, [cos])
    expectClose(gotDerivative!, derivative, 1e-11)
  })
})

interface VectorM {
  theta0: number[]
  order: number[]
  B: number
  lr: number
  theta_after_epoch: number[]
  adam_trajectory: number[][]
}

describeWithShared('vector m: a local epoch, and a server that emulates Adam on what comes back', () => {
  const { X, y } = vector<VectorA>('a')
  const m = vector<VectorM>('m')
  const data = { features: matrix(6, 5, Float64Array.from(X.flat())), labels: Float64Array.from(y) }
  const client = trainer(mlp({ inputs: 5, hidden: [4], outputs: 1 }), { data, precision: 'f64' })
  const initial = Float64Array.from(m.theta0)
  const people = population({
    kind: 'sliced',
    records: data,
    clients: [{ id: 'c', rows: Int32Array.from(m.order) }],
  })
  const spec: FederationSpec = {
    model: { kind: 'mlp', inputs: 5, hidden: [4], outputs: 1 },
    rule: { algorithm: 'fedavg', learningRate: m.lr, localEpochs: 1, batchSize: m.B, shuffle: 'never' },
    precision: 'f64',
    seed: 1,
    rounds: 1,
  }
  test('batches of 4 and 2 in the given order', () => {
    client.load(initial)
    for (let i = 0; i < 6; i += m.B) client.step(Int32Array.from(m.order.slice(i, i + m.B)), m.lr)
    expectClose(client.theta(), m.theta_after_epoch)
  })
  test('the same as a round of a federation of one', async () => {
    const { theta } = await runToEnd(federate(spec, { population: people, initial }))
    expectClose(theta, m.theta_after_epoch)
  })
  test('[aia] Alg. 4: Adam on the pseudo-gradient sent - returned, through the line to a live client', async () => {
    const from = await runToEnd(federate({ ...spec, rounds: 0 }, { population: people, initial }))
    const pool = inlinePool(spec, { population: people })
    const channel = liveChannel({ spec, population: people, pool, from, target: 'c' })
    const [eta, beta1, beta2] = [0.05, 0.8, 0.95]
    let theta = initial
    const first = new Float64Array(theta.length)
    const second = new Float64Array(theta.length)
    for (const [t, expected] of m.adam_trajectory.entries()) {
      const sent = theta
      const g = (await channel('c', sent)).map((returned, j) => sent[j]! - returned)
      theta = theta.map((x, j) => {
        first[j] = beta1 * first[j]! + (1 - beta1) * g[j]!
        second[j] = beta2 * second[j]! + (1 - beta2) * g[j]! ** 2
        const [mHat, vHat] = [first[j]! / (1 - beta1 ** (t + 1)), second[j]! / (1 - beta2 ** (t + 1))]
        return x - (eta * mHat) / (Math.sqrt(vHat) + 1e-8)
      })
      expectClose(theta, expected, 1e-11)
    }
  })
})

interface VectorF {
  per_sample: number[][]
  cases: { C: number; per_sample_norms: number[]; clipped_sum: number[]; clipped_mean: number[] }[]
}

describeWithShared('vector f: per-example gradients, their norms, and the clipped mean without them', () => {
  const { params, X, y } = vector<VectorA>('a')
  const { per_sample: perSample, cases } = vector<VectorF>('f')
  const f = functionsOf(mlp({ inputs: 5, hidden: [4], outputs: 1 }))
  const batch = { features: matrixOf(X.slice(0, 4)), labels: Float64Array.from(y.slice(0, 4)) }
  const theta = flat(params)
  test('per-example gradients', () => expectClose(f.gradPerExample(theta, batch).data, perSample.flat()))
  test.each(cases.map((c) => [c.C, c] as const))('clipped at %d', (C, c) => {
    const run = f.derive(4, ({ loss, theta }) => {
      const { norms, grad } = clippedGradient(loss, theta, { maxNorm: trace.fill(C), records: 4 })
      return [norms, grad]
    })
    const [norms, grad] = run({ theta, X: batch.features.data, y: batch.labels })
    expectClose(norms!, c.per_sample_norms)
    expectClose(grad!, c.clipped_mean)
    expectClose(
      grad!.map((x) => 4 * x),
      c.clipped_sum,
    )
  })
})
