import { describe, expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import { compile } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { functionsOf } from './functions.js'
import { initialise } from './initialise.js'
import { lenetMnist } from './lenet-mnist.js'
import { linear } from './linear.js'
import { logistic } from './logistic.js'
import { mlp } from './mlp.js'
import { trainer } from './trainer.js'

const model = mlp({ inputs: 4, hidden: [6], outputs: 1 })
const data = { features: matrix(10, 4, rng(1).normals(40)), labels: rng(2).normals(10) }
const theta0 = initialise(model, rng(3))

// With a single output records are read where they lie; otherwise they are copied into a batch.
const single = { linear: linear({ inputs: 4, outputs: 1 }), logistic: logistic({ inputs: 4 }) }
test.each(Object.entries({ mlp: model, ...single }))(
  'steps on batches of any size equal theta - learning rate * gradient of those records: %s',
  (kind, net) => {
    const labels = kind === 'logistic' ? data.labels.map((y) => (y > 0 ? 1 : 0)) : data.labels
    const theta0 = initialise(net, rng(3))
    const t = trainer(net, { data: { ...data, labels }, precision: 'f64' })
    const f = functionsOf(net)
    t.load(theta0)
    let expected = theta0
    for (const rows of [[0, 1, 2, 3], [9], [4, 4, 7], [3, 2, 1, 0]]) {
      t.step(Int32Array.from(rows), 0.1)
      const features = matrix(
        rows.length,
        4,
        Float64Array.from(rows.flatMap((i) => [...data.features.data.subarray(4 * i, 4 * i + 4)])),
      )
      const { grad } = f.gradient(expected, { features, labels: Float64Array.from(rows, (i) => labels[i]!) })
      expected = expected.map((x, j) => x - 0.1 * grad[j]!)
      for (const [j, x] of t.theta().entries()) expect(x).toBeCloseTo(expected[j]!, 13)
    }
    expect(t.loss()).toBeCloseTo(f.loss(expected, { ...data, labels }), 12)
  },
)

test.each([
  ['plain', {}],
  ['momentum', { momentum: 0.9 }],
  ['compressed rows', { sparse: true }],
  ['clipped', { privacy: { maxNorm: 0.5, noiseMultiplier: 0 } }],
] as const)('steps on the same records over and over are single ones, to the bit: %s', (_, options) => {
  const rows = Int32Array.of(7, 1, 4)
  const [a, b] = [trainer(model, { data, ...options }), trainer(model, { data, ...options })]
  for (const one of [a, b]) one.load(theta0)
  a.repeat(rows, 0.1, 5)
  a.repeat(rows, 0.2, 0)
  a.repeat(Int32Array.of(2, 3, 5), 0.2, 2)
  for (let s = 0; s < 5; s++) b.step(rows, 0.1)
  for (let s = 0; s < 2; s++) b.step(Int32Array.of(2, 3, 5), 0.2)
  expect(a.theta()).toEqual(b.theta())
  expect(a.theta()).not.toEqual(theta0)
})

test('one input and one output, clipped', () => {
  const net = linear({ inputs: 1, outputs: 1 })
  const narrow = { features: matrix(10, 1, data.features.data.subarray(0, 10)), labels: data.labels }
  const t = trainer(net, { data: narrow, precision: 'f64', privacy: { maxNorm: 0.1, noiseMultiplier: 0 } })
  t.load(initialise(net, rng(3)))
  t.step(Int32Array.of(2, 5), 1)
  const moved = t.theta().map((x, j) => x - initialise(net, rng(3))[j]!)
  expect(Math.hypot(...moved)).toBeGreaterThan(0)
  expect(Math.hypot(...moved)).toBeLessThanOrEqual(0.1 + 1e-12)
})

describe('what is wrong is said', () => {
  const t = trainer(model, { data })
  t.load(theta0)
  test('records out of range, empty batches, rates that are no numbers, wrong sizes', () => {
    expect(() => t.step(Int32Array.of(3, 10), 0.1)).toThrow('record 10 was asked for; records are 0 to 9')
    expect(() => t.step(new Int32Array(0), 0.1)).toThrow('an empty batch')
    expect(() => t.step(Int32Array.of(1), NaN)).toThrow('the learning rate is NaN')
    expect(() => t.load(new Float64Array(3))).toThrow('theta has 3 values')
  })
  test('divergence is found on request, with the step and the operation', () => {
    const rows = Int32Array.from({ length: 10 }, (_, i) => i)
    const diverge = () => {
      for (let s = 0; s < 100; s++) t.stepChecked(rows, 1e6)
    }
    expect(diverge).toThrow(/step \d+: (NaN|-?Infinity) in [a-z+]+.* \[\d+ x \d+\] at row \d+, column \d+/)
  })
})

describe('sparse features', () => {
  const wide = { inputs: 23, hidden: [37], outputs: 1 } as const
  const net = mlp(wide)
  const r = rng(9)
  const X = r.normals(40 * 23).map((x) => (r.uniform() < 0.75 ? 0 : x))
  X.fill(0, 5 * 23, 6 * 23) // a record of zeros
  const records = { features: matrix(40, 23, X), labels: rng(10).normals(40) }
  const start = initialise(net, rng(11))

  test.each(['f32', 'f64'] as const)('give the bits of dense ones: %s', (precision) => {
    const results = [true, false].map((sparse) => {
      const t = trainer(net, { data: records, precision, sparse })
      t.load(start)
      for (let s = 0; s < 20; s++) t.step(rng(s).sample(40, 2 + (s % 9)), 0.05)
      return { theta: t.theta(), loss: t.loss(), sparse: t.sparse }
    })
    expect(results.map((x) => x.sparse)).toEqual([true, false])
    expect(results[0]!.theta).toEqual(results[1]!.theta)
    expect(results[0]!.loss).toBe(results[1]!.loss)
    expect(results[0]!.theta).not.toEqual(start)
  })
  test('agree for a batch of one too, where the dense product is summed by lanes', () => {
    const [a, b] = [true, false].map((sparse) => {
      const t = trainer(net, { data: records, precision: 'f64', sparse })
      t.load(start)
      t.step(Int32Array.of(3), 0.05)
      return t.theta()
    })
    for (const [j, x] of a!.entries()) expect(x).toBeCloseTo(b![j]!, 14)
  })
  test('are chosen by density, and refused by convolutions', () => {
    expect(trainer(net, { data: records }).sparse).toBe(true)
    expect(trainer(model, { data }).sparse).toBe(false)
    const images = { features: matrix(1, 784), labels: Float64Array.of(3) }
    expect(trainer(lenetMnist(), { data: images }).sparse).toBe(false)
    expect(() => trainer(lenetMnist(), { data: images, sparse: true })).toThrow(
      'a lenet-mnist model cannot read sparse features',
    )
  })
  test('what cannot read them says so', () => {
    const x = t.input('X', { rows: 2, cols: 3 }, { sparse: true })
    expect(() => compile({ outputs: [t.relu(x)], precision: 'f64' })).toThrow(
      'relu [2 x 3] cannot read the sparse input "X"',
    )
  })
})

describe('Adam', () => {
  test('is [kingma2015] Alg. 1 on the same gradients', () => {
    const rows = Int32Array.of(0, 3, 5)
    const t = trainer(model, { data, precision: 'f64', adam: { beta1: 0.8, beta2: 0.95 } })
    const f = functionsOf(model)
    t.load(theta0)
    const [m, v] = [new Float64Array(f.size), new Float64Array(f.size)]
    let expected = theta0
    for (let s = 1; s <= 5; s++) {
      t.step(rows, 0.03)
      const picked = Float64Array.from([...rows].flatMap((i) => [...data.features.data.subarray(4 * i, 4 * i + 4)]))
      const batch = { features: matrix(3, 4, picked), labels: Float64Array.from(rows, (i) => data.labels[i]!) }
      const { grad } = f.gradient(expected, batch)
      expected = expected.map((x, j) => {
        m[j] = 0.8 * m[j]! + (1 - 0.8) * grad[j]!
        v[j] = 0.95 * v[j]! + (1 - 0.95) * grad[j]! ** 2
        return x - (0.03 * (m[j]! / (1 - 0.8 ** s))) / (Math.sqrt(v[j]! / (1 - 0.95 ** s)) + 1e-8)
      })
      for (const [j, x] of t.theta().entries()) expect(x).toBeCloseTo(expected[j]!, 11)
    }
  })
})

describe('DP-SGD', () => {
  const rows = Int32Array.of(1, 4, 6, 9)
  const trained = (
    privacy: { maxNorm: number; noiseMultiplier: number },
    seed = 1,
    net = model,
    records = data,
    start = theta0,
  ) => {
    const t = trainer(net, { data: records, precision: 'f64', privacy, sparse: false })
    t.load(start)
    t.step(rows, 0.5, () => rng(seed))
    return t.theta()
  }
  /** The clipped mean from explicit per-example gradients. */
  const reference = (net: typeof model, records: typeof data, start: Float64Array, maxNorm: number) => {
    const f = functionsOf(net)
    const k = net.inputs
    const features = matrix(
      4,
      k,
      Float64Array.from([...rows].flatMap((i) => [...records.features.data.subarray(k * i, k * i + k)])),
    )
    const G = f.gradPerExample(start, { features, labels: Float64Array.from(rows, (i) => records.labels[i]!) })
    const sum = new Float64Array(f.size)
    for (let i = 0; i < 4; i++) {
      const g = G.data.subarray(i * f.size, (i + 1) * f.size)
      const scale = Math.min(1, maxNorm / Math.sqrt(g.reduce((s, x) => s + x * x, 0)))
      for (const [j, x] of g.entries()) sum[j]! += (scale * x) / 4
    }
    return start.map((x, j) => x - 0.5 * sum[j]!)
  }
  const images = {
    features: matrix(10, 784, rng(5).normals(7840)),
    labels: Float64Array.from({ length: 10 }, (_, i) => i),
  }
  const cases = {
    mlp: [model, data, theta0],
    linear: [single.linear, data, initialise(single.linear, rng(3))],
    'no bias, tanh': (() => {
      const net = mlp({ inputs: 4, hidden: [3, 5], outputs: 1, activation: 'tanh', bias: false })
      return [net, data, initialise(net, rng(4))]
    })(),
    lenet: [lenetMnist(), images, initialise(lenetMnist(), rng(4))],
  } as unknown as Record<string, [typeof model, typeof data, Float64Array]>
  test.each(Object.entries(cases))(
    'ghost clipping equals clipping per-example gradients: %s',
    (_, [net, records, start]) => {
      for (const maxNorm of [0.05, 1, 1e6]) {
        const [got, expected] = [
          trained({ maxNorm, noiseMultiplier: 0 }, 1, net, records, start),
          reference(net, records, start, maxNorm),
        ]
        for (const [j, x] of got.entries()) expect(x).toBeCloseTo(expected[j]!, 12)
      }
    },
  )
  test('the noise has the standard deviation it was asked for, and its address', () => {
    const big = mlp({ inputs: 4, hidden: [900], outputs: 1 })
    const start = initialise(big, rng(4))
    const noiseless = trained({ maxNorm: 0.2, noiseMultiplier: 0 }, 1, big, data, start)
    for (const noiseMultiplier of [0.3, 2]) {
      const noisy = trained({ maxNorm: 0.2, noiseMultiplier }, 7, big, data, start)
      const d = noisy.length
      const std = Math.sqrt(noisy.reduce((s, x, j) => s + (x - noiseless[j]!) ** 2, 0) / d)
      const asked = (0.5 * noiseMultiplier * 0.2) / 4 // rate * sigma * C / B
      expect(Math.abs(std / asked - 1)).toBeLessThan(4 / Math.sqrt(2 * d))
      expect(trained({ maxNorm: 0.2, noiseMultiplier }, 7, big, data, start)).toEqual(noisy)
    }
  })
  test('wrong settings are refused', () => {
    expect(() => trained({ maxNorm: 0, noiseMultiplier: 1 })).toThrow('maxNorm is 0; a positive number is needed')
    expect(() => trained({ maxNorm: 1, noiseMultiplier: -1 })).toThrow('noiseMultiplier is -1')
    expect(() => trainer(model, { data, privacy: { maxNorm: 1, noiseMultiplier: 1 } }).step(rows, 0.1)).toThrow(
      'give step an rng',
    )
  })
  test('a zero gradient stays zero', () => {
    const zero = { features: matrix(10, 4), labels: new Float64Array(10) }
    const start = new Float64Array(theta0.length)
    expect(trained({ maxNorm: 1, noiseMultiplier: 0 }, 1, model, zero, start)).toEqual(start)
  })
})

describe('one trainer, many sets of records', () => {
  const many = { features: matrix(7, 4, rng(20).normals(28)), labels: rng(21).normals(7) }
  const mostlyZero = { features: matrix(6, 4), labels: rng(22).normals(6) }
  mostlyZero.features.data[5] = 1.5
  const alone = (records: typeof data, rows: readonly number[][]) => {
    const t = trainer(model, { data: records, precision: 'f64' })
    t.load(theta0)
    for (const batch of rows) t.step(Int32Array.from(batch), 0.1)
    return { theta: t.theta(), loss: t.loss() }
  }
  test('steps on each as a trainer of its own would, dense and sparse in turn', () => {
    const shared = trainer(model, { precision: 'f64' })
    expect(() => shared.step(Int32Array.of(0), 0.1)).toThrow('the trainer has no records')
    const sets = [data, many, mostlyZero].map((records) => ({ records, held: shared.hold(records) }))
    for (const { records, held } of [...sets, ...sets.toReversed()]) {
      shared.use(held)
      shared.load(theta0)
      for (const batch of [[0, 1, 2], [5], [4, 3, 2]]) shared.step(Int32Array.from(batch), 0.1)
      const own = alone(records, [[0, 1, 2], [5], [4, 3, 2]])
      expect(shared.theta()).toEqual(own.theta)
      expect(shared.loss()).toBe(own.loss)
      expect(shared.records).toBe(records.labels.length)
    }
    expect(sets.map(({ held }) => held.sparse)).toEqual([false, false, true])
  })

  test('batches of more sizes than programs are kept are stepped on as by a trainer of their own, and again', () => {
    const t = trainer(model, { data: many, precision: 'f64' })
    t.load(theta0)
    for (let s = 0; s < 160; s++) {
      const rows = Int32Array.from({ length: 1 + (s % 80) }, (_, i) => (i * 7 + s) % many.labels.length)
      const own = trainer(model, { data: many, precision: 'f64' })
      own.load(t.theta())
      own.step(rows, 1e-3)
      t.step(rows, 1e-3)
      expect(t.theta()).toEqual(own.theta())
      own.release()
    }
    t.release()
  })

  test('gives every byte back on release, whatever was held, compiled or thrown out', () => {
    const host = createEngine()
    const before = host.inUse()
    for (let repeat = 0; repeat < 3; repeat++) {
      const t = trainer(model, { data, engine: host, momentum: 0.5, proxMu: 0.1 })
      const held = [many, mostlyZero].map((records) => t.hold(records))
      t.load(theta0)
      for (let n = 1; n <= 80; n++) t.step(new Int32Array(n), 1e-3) // more sizes than programs are kept
      t.step(new Int32Array(1), 1e-3)
      for (const records of held) {
        t.use(records)
        t.gradient(Int32Array.of(1, 2))
        records.release()
        records.release() // a second time takes nothing from anybody
      }
      t.release()
      expect(host.inUse()).toBe(before)
    }
  })
})

describe('the way down', () => {
  const rows = Int32Array.of(0, 3, 5)
  const picked = Float64Array.from([...rows].flatMap((i) => [...data.features.data.subarray(4 * i, 4 * i + 4)]))
  const batch = { features: matrix(3, 4, picked), labels: Float64Array.from(rows, (i) => data.labels[i]!) }
  const f = functionsOf(model)

  test.each([
    { momentum: 0.9, proxMu: 0 },
    { momentum: 0, proxMu: 0.7 },
    { momentum: 0.5, proxMu: 0.3 },
  ])('is v = beta v + g + mu (theta - theta0), theta -= eta v: %o', ({ momentum, proxMu }) => {
    const t = trainer(model, { data, precision: 'f64', momentum, proxMu })
    for (const start of [theta0, theta0.map((x) => x + 0.1)]) {
      t.load(start) // velocity and anchor begin anew
      let expected = start
      let v = new Float64Array(f.size)
      for (let s = 0; s < 6; s++) {
        t.step(rows, 0.05)
        const { grad } = f.gradient(expected, batch)
        v = v.map((old, j) => momentum * old + grad[j]! + proxMu * (expected[j]! - start[j]!))
        expected = expected.map((x, j) => x - 0.05 * v[j]!)
        for (const [j, x] of t.theta().entries()) expect(x).toBeCloseTo(expected[j]!, 13)
      }
    }
  })
  test.each(['f32', 'f64'] as const)('how far theta has moved is said in doubles: %s', (precision) => {
    const t = trainer(model, { data, precision })
    const from = Float32Array.from(theta0)
    t.load(from)
    t.step(rows, 0.05)
    const to = new Float64Array(f.size)
    t.movedInto(to, from)
    expect(to).toEqual(t.theta().map((x, j) => x - from[j]!))
  })
  test('the gradient is the mean one, and leaves theta alone', () => {
    const t = trainer(model, { data, precision: 'f64' })
    t.load(theta0)
    const { grad } = f.gradient(theta0, batch)
    for (const [j, g] of t.gradient(rows).entries()) expect(g).toBeCloseTo(grad[j]!, 13)
    expect(t.theta()).toEqual(theta0)
  })
  test('a private gradient is clipped and noised as the step is', () => {
    const privacy = { maxNorm: 0.5, noiseMultiplier: 0.8 }
    const t = trainer(model, { data, precision: 'f64', privacy })
    t.load(theta0)
    const grad = t.gradient(rows, () => rng(5))
    t.step(rows, 0.1, () => rng(5))
    for (const [j, x] of t.theta().entries()) expect(x).toBeCloseTo(theta0[j]! - 0.1 * grad[j]!, 13)
  })
  test('refuses what means nothing', () => {
    expect(() => trainer(model, { data, momentum: 1 })).toThrow('momentum is 1; a number from 0 to below 1')
    expect(() => trainer(model, { data, momentum: 0.5, adam: {} })).toThrow('momentum is 0.5 beside Adam')
    expect(() => trainer(model, { data, proxMu: Number.NaN })).toThrow('proxMu is NaN')
  })
})

describe('a sampled private step', () => {
  const privacy = { maxNorm: 0.4, noiseMultiplier: 0.7, sampleRate: 0.3 }
  const moved = (options: object, rows: readonly number[], seed = 5) => {
    const t = trainer(model, { data, precision: 'f64', ...options })
    t.load(theta0)
    t.step(Int32Array.from(rows), 0.1, () => rng(seed))
    return t.theta().map((x, j) => (theta0[j]! - x) / 0.1)
  }
  test('divides the clipped sum and its noise by the expected batch, 0.3 of 10 records', () => {
    const rows = [1, 4, 6, 7, 9]
    const clipped = moved({ privacy: { maxNorm: 0.4, noiseMultiplier: 0 } }, rows) // the mean over the five
    const noise = rng(5)
      .fork('noise')
      .normals(theta0.length, { std: 0.7 * 0.4 })
    for (const [j, g] of moved({ privacy }, rows).entries()) {
      expect(g).toBeCloseTo((5 * clipped[j]! + noise[j]!) / 3, 12)
    }
    const silent = moved({ privacy: { ...privacy, noiseMultiplier: 0 } }, rows)
    for (const [j, g] of silent.entries()) expect(g).toBeCloseTo((5 * clipped[j]!) / 3, 12)
  })
  test('on nobody is noise alone', () => {
    const noise = rng(5)
      .fork('noise')
      .normals(theta0.length, { std: (0.7 * 0.4) / 3 })
    for (const [j, g] of moved({ privacy }, []).entries()) expect(g).toBeCloseTo(noise[j]!, 12)
    expect(() => moved({ privacy: { ...privacy, sampleRate: 0 } }, [])).toThrow('sampleRate is 0')
  })
})
