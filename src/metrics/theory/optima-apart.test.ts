import { expect, test } from 'vitest'
import { heterogeneity } from '../../federation/heterogeneity.js'
import { functionsOf } from '../../models/functions.js'
import { linear } from '../../models/linear.js'
import { logistic } from '../../models/logistic.js'
import { mlp } from '../../models/mlp.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { optimaApart } from './optima-apart.js'

/** Clients whose labels follow laws that turn by so much from one to the next. */
const clientsOf = (turn: number, label: (score: number, noise: number) => number, n = 60) =>
  Array.from({ length: 3 }, (_, c) => {
    const stream = rng(5).fork('client', c)
    const features = matrix(n, 2, stream.fork('X').normals(2 * n))
    const noise = stream.fork('noise').normals(n)
    const [u, v] = [Math.cos(c * turn), Math.sin(c * turn)]
    const labels = noise.map((e, i) => label(u * features.data[2 * i]! + v * features.data[2 * i + 1]!, e))
    return { features, labels }
  })

test('of linear models: what the closed form says', () => {
  const clients = clientsOf(0.5, (score, noise) => score + 0.1 * noise)
  const apart = optimaApart({ functions: functionsOf(linear({ inputs: 2, outputs: 1 })), clients, classes: false })
  const closed = heterogeneity(clients)
  expect(apart.excessLoss).toBeCloseTo(closed.excessLoss, 8)
  expect(apart.gradNormSq).toBeCloseTo(closed.gradNormSq, 8)
  apart.distances.data.forEach((x, i) => {
    expect(x).toBeCloseTo(closed.distances.data[i]!, 6)
  })
  expect(apart.doubts).toEqual([undefined, undefined, undefined])
})

test('of logistic models: nothing apart where clients are alike, more the more their laws turn', () => {
  const functions = functionsOf(logistic({ inputs: 2 }))
  const at = (turn: number) =>
    optimaApart({ functions, classes: true, clients: clientsOf(turn, (s, e) => (s + e > 0 ? 1 : 0)) })
  const [alike, apart, opposite] = [at(0), at(0.6), at(Math.PI)]
  const between = ({ distances }: typeof alike) => distances.data[1]! // the first client and the second
  expect(alike.doubts).toEqual([undefined, undefined, undefined])
  expect(between(alike)).toBeLessThan(between(apart))
  expect(between(apart)).toBeLessThan(between(opposite))
  expect(between(opposite)).toBeGreaterThan(1.5)
  expect(opposite.excessLoss).toBeGreaterThan(5 * alike.excessLoss)
  const same = optimaApart({
    functions,
    classes: true,
    clients: Array.from({ length: 2 }, () => clientsOf(0, (s, e) => (s + e > 0 ? 1 : 0))[0]!),
  })
  expect(Math.max(...same.distances.data)).toBeLessThan(1e-6)
  expect(same.excessLoss).toBeLessThan(1e-10)
})

test('classes that can be separated are told; a penalty gives each client one optimum', () => {
  const functions = functionsOf(logistic({ inputs: 2 }))
  const clients = clientsOf(0.6, (score) => (score > 0 ? 1 : 0))
  expect(optimaApart({ functions, classes: true, clients }).doubts[0]).toContain('can be separated')
  const penal = optimaApart({ functions, classes: true, clients, penalty: 0.01 })
  expect(penal.doubts).toEqual([undefined, undefined, undefined])
  expect(penal.localOptima.every((theta) => theta.every((x) => Math.abs(x) < 20))).toBe(true)
})

test('a network has many optima, and nobody is nobody', () => {
  const [functions, clients] = [
    functionsOf(mlp({ inputs: 2, hidden: [2], outputs: 1 })),
    clientsOf(0, (score) => score),
  ]
  expect(() => optimaApart({ functions, clients, classes: false })).toThrow('a model of one layer is needed')
  const flat = functionsOf(linear({ inputs: 2, outputs: 1 }))
  expect(() => optimaApart({ functions: flat, clients: [], classes: false })).toThrow('at least 1')
  expect(() => optimaApart({ functions: flat, clients, classes: false, weights: [1, 0, 1] })).toThrow(
    'one positive weight',
  )
})

test('of a layer without a bias, too; of no client, of two layers, or with weights that are none, an error', () => {
  const clients = clientsOf(0.5, (score, noise) => score + 0.1 * noise)
  const plain = functionsOf(linear({ inputs: 2, outputs: 1, bias: false }))
  expect(optimaApart({ functions: plain, clients, classes: false }).localOptima.map((one) => one.length)).toEqual([
    2, 2, 2,
  ])
  const deep = functionsOf(mlp({ inputs: 2, hidden: [2], outputs: 1 }))
  expect(() => optimaApart({ functions: deep, clients, classes: false })).toThrow('a model of one layer is needed')
  expect(() => optimaApart({ functions: plain, clients: [], classes: false })).toThrow('optima of 0 clients')
  for (const weights of [
    [1, 1],
    [1, 1, 0],
    [1, 1, 1 / 0],
  ])
    expect(() => optimaApart({ functions: plain, clients, classes: false, weights })).toThrow('one positive weight')
})
