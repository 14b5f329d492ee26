import { describe, expect, test } from 'vitest'
import { gradient } from '../numeric/engine/derive.js'
import * as t from '../numeric/engine/trace.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { functionsOf } from './functions.js'
import { initialise } from './initialise.js'
import { lenetCifar } from './lenet-cifar.js'
import { lenetDlg } from './lenet-dlg.js'
import { lenetMnist } from './lenet-mnist.js'
import { trainer } from './trainer.js'

const nets = {
  'lenet-mnist': [lenetMnist(), 21_840],
  'lenet-cifar': [lenetCifar(), 62_006],
  'lenet-dlg': [lenetDlg({ inputs: [1, 12, 11], outputs: 3 }), 12 * 26 + 2 * 12 * 301 + 3 * 109],
} as const

describe.each(Object.entries(nets))('%s', (_, [model, size]) => {
  const f = functionsOf(model)
  const theta = initialise(model, rng(1)).map((x) => 1.5 * x)
  const features = matrix(2, model.inputs, rng(2).normals(2 * model.inputs))
  const batch = { features, labels: Float64Array.of(1, 2) }
  const { grad } = f.gradient(theta, batch)
  /** Central differences along a direction that is one coordinate; kinks show as disagreement of two step sizes. */
  const along = (value: (theta: Float64Array) => number, j: number): number | undefined => {
    const slope = (h: number) => {
      const [up, down] = [theta.slice(), theta.slice()]
      up[j]! += h
      down[j]! -= h
      return (value(up) - value(down)) / (2 * h)
    }
    const [wide, narrow] = [slope(2e-5), slope(1e-5)]
    return Math.abs(wide - narrow) < 1e-8 ? narrow : undefined
  }

  test('parameters', () => expect(f.size).toBe(size))

  test('first order: every parameter against central differences', () => {
    let checked = 0
    let offset = 0
    for (const { shape } of model.parameters) {
      const count = shape.reduce((a, b) => a * b, 1)
      for (const j of [offset, offset + Math.floor(count / 2), offset + count - 1]) {
        const difference = along((x) => f.loss(x, batch), j)
        if (difference === undefined) continue
        expect(Math.abs(grad[j]! - difference)).toBeLessThan(1e-8 + 1e-6 * Math.abs(difference))
        checked++
      }
      offset += count
    }
    expect(checked).toBeGreaterThan(model.parameters.length * 2)
  })

  test('second order: the gradient of a squared distance of gradients, in theta and in the images', () => {
    const target = rng(3).normals(f.size, { mean: 0, std: 0.01 })
    const inputs = {
      X: features.data,
      y: Float64Array.from({ length: 2 * model.outputs }, (_, i) => (i === 1 || i === model.outputs + 2 ? 1 : 0)),
      target,
    }
    const run = f.derive(2, ({ theta, X, loss }) => {
      const e = t.sub(gradient(loss, [theta])[0]!, t.input('target', theta))
      const distance = t.dot(e, e)
      return [distance, ...gradient(distance, [theta, X])]
    })
    const [, second, image] = run({ ...inputs, theta })
    let checked = 0
    for (const j of [0, 7, 100, 260, Math.floor(f.size / 2), f.size - 1]) {
      const difference = along((x) => run({ ...inputs, theta: x })[0]![0]!, j)
      if (difference === undefined) continue
      expect(Math.abs(second![j]! - difference)).toBeLessThan(1e-7 + 1e-6 * Math.abs(difference))
      checked++
    }
    expect(checked).toBeGreaterThan(2)
    const h = 1e-5
    const moved = (by: number) => {
      const X = features.data.slice()
      X[50]! += by
      return run({ ...inputs, X, theta })[0]![0]!
    }
    expect(Math.abs(image![50]! - (moved(h) - moved(-h)) / (2 * h))).toBeLessThan(1e-6)
  })
})

describe('dropout', () => {
  const model = lenetMnist({ dropout: 0.4 })
  const data = { features: matrix(4, 784, rng(1).normals(4 * 784)), labels: Float64Array.of(0, 1, 2, 3) }
  const rows = Int32Array.of(0, 1, 2, 3)
  const train = (seed: number) => {
    const client = trainer(model, { data, precision: 'f64' })
    client.load(initialise(model, rng(5)))
    client.step(rows, 0.1, () => rng(seed))
    return client.theta()
  }
  test('the mask comes from the address given, and only in training', () => {
    expect(train(1)).toEqual(train(1))
    expect(train(1)).not.toEqual(train(2))
    expect(() => trainer(model, { data }).step(rows, 0.1)).toThrow('give step an rng')
    const plain = functionsOf(lenetMnist())
    const theta = initialise(model, rng(5))
    expect(functionsOf(model).loss(theta, data)).toBe(plain.loss(theta, data))
  })
  test('three in ten are dropped and the others grow: what fc2 with its columns masked would learn', () => {
    const some = lenetMnist({ dropout: 0.3 })
    const theta = initialise(some, rng(5))
    const client = trainer(some, { data, precision: 'f64' })
    const plain = functionsOf(lenetMnist())
    const fc2 = 21_840 - 510
    let dropped = 0
    for (let i = 0; i < 4; i++) {
      client.load(theta)
      client.step(Int32Array.of(i), 0.1, () => rng(i))
      // One record: its mask may as well lie on the weights that read the hidden units.
      const mask = rng(i)
        .fork('dropout')
        .uniforms(50)
        .map((u) => (u < 0.3 ? 0 : 1 / 0.7))
      dropped += mask.filter((m) => m === 0).length
      const masked = (x: Float64Array) => x.map((v, j) => (j >= fc2 && j < fc2 + 500 ? v * mask[(j - fc2) % 50]! : v))
      const features = matrix(1, 784, data.features.data.slice(784 * i, 784 * (i + 1)))
      const grad = masked(plain.gradient(masked(theta), { features, labels: Float64Array.of(i) }).grad)
      const moved = client.theta().map((x, j) => (theta[j]! - x) / 0.1)
      const off = Math.max(...moved.map((x, j) => Math.abs(x - grad[j]!)))
      expect(off).toBeLessThan(1e-12)
    }
    expect(Math.abs(dropped / 200 - 0.3)).toBeLessThan(0.1) // three deviations
  })
  test.each([-0.1, 1, NaN])('a rate of %d is refused', (rate) => {
    expect(() => lenetMnist({ dropout: rate })).toThrow(`dropout is ${rate}`)
  })
})
