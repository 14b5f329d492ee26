import { describe, expect, test } from 'vitest'
import { mlpSpec, protocolOf } from '../../../../test/label-views.js'
import { functionsOf } from '../../../models/functions.js'
import { mlp } from '../../../models/mlp.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { rng } from '../../../numeric/random/rng.js'
import { cosineOfMlp } from './cosine-mlp.js'
import { cosineOfSparse } from './cosine-sparse.js'

interface Asked {
  readonly k: number
  readonly activation?: 'relu' | 'tanh' | 'sigmoid'
  readonly places?: readonly number[]
  /** Every so many columns hold a number. */
  readonly every?: number
  readonly scale?: number
}

const [n, h] = [5, 4]
function world({ k, activation = 'relu', places = [1, 3], every = 1, scale = 1 }: Asked) {
  const model = mlpSpec({ inputs: k, hidden: [h], outputs: 1, activation })
  const functions = functionsOf(mlp(model), { loss: 'mse', lossScale: scale })
  const draws = rng(`${k} ${activation}`)
  const records = matrix(n, k, draws.fork('x').normals(n * k).map((v, at) => ((at % k) % every === 0 ? v : 0))) // biome-ignore format: one line
  for (let i = 0; i < n; i++) for (const j of places) records.data[i * k + j] = draws.fork('s', i, j).normal()
  const labels = draws.fork('y').normals(n)
  const messages = [1, 2].map((m) => ({
    theta: draws.fork('theta', m).normals(functions.size, { std: 0.4 }),
    descent: draws.fork('descent', m).normals(functions.size),
  }))
  const view = { model, loss: 'mse', protocol: protocolOf({ lossScale: scale }) } as const
  const input = { functions, view, labels, places, records: n }
  return { input, functions, records, labels, messages, places, k, h, d: functions.size, scale }
}

/** By its definition: gradients of the whole batch, and central differences. */
function defined({ functions, labels, places, k }: ReturnType<typeof world>, records: Matrix, message: Message) {
  const value = (data: Float64Array) => {
    const { grad } = functions.gradient(message.theta, { features: matrix(n, k, data), labels })
    return dot(grad, message.descent) / norm(grad) / norm(message.descent)
  }
  const slope = Array.from({ length: n * places.length }, (_, at) => {
    const place = Math.floor(at / places.length) * k + places[at % places.length]!
    const beside = (by: number) => value(records.data.map((v, j) => (j === place ? v + by : v)))
    return (beside(1e-5) - beside(-1e-5)) / 2e-5
  })
  return { value: value(records.data), slope }
}
type Message = ReturnType<typeof world>['messages'][number]

function agrees(made: ReturnType<typeof world>, found: ReturnType<typeof cosineOfMlp>): void {
  const moved = matrix(n, made.k, made.records.data.slice())
  for (let i = 0; i < n; i++) for (const j of made.places) moved.data[i * made.k + j]! += 0.3
  for (const message of made.messages) {
    for (const records of [made.records, moved]) {
      const { value, slope } = found!(records, message)
      const expected = defined(made, records, message)
      expect(value).toBeCloseTo(expected.value, 10)
      for (const [at, s] of expected.slope.entries()) expect(slope[at]).toBeCloseTo(s, 5)
    }
  }
}

describe('the written-out cosine is that of the gradient, and its slope the derivative', () => {
  test.each<Asked>([
    { k: 6 },
    { k: 6, places: [2], scale: 0.5 },
    { k: 6, activation: 'tanh' },
    { k: 5, activation: 'sigmoid', places: [0, 4, 2], scale: 3 },
    { k: 23 },
    { k: 24 },
    { k: 30, places: [29], scale: 0.5 },
    { k: 30, every: 4 },
    { k: 26, every: 5, places: [0, 25, 7], scale: 2 },
    { k: 30, activation: 'tanh', every: 4 },
  ])('%o', (asked) => {
    const made = world(asked)
    agrees(made, cosineOfMlp(made.input))
  })
})

describe('records that are mostly zeros', () => {
  const sparse = (made: ReturnType<typeof world>) =>
    cosineOfSparse({ ...made, n, precision: 'f64' }, { labels: made.labels, records: made.records })
  test('have it by their nonzeros, however few columns there are', () => {
    for (const asked of [
      { k: 6, every: 3 },
      { k: 30, every: 4, places: [0, 8] },
    ]) {
      const made = world(asked)
      agrees(made, sparse(made))
    }
  })
  test('are those of which fewer than half of all numbers are not zero, the sensitive ones aside', () => {
    expect(sparse(world({ k: 6, every: 1 }))).toBeUndefined()
    const half = world({ k: 4, every: 2, places: [3] })
    expect(sparse(half)).toBeUndefined() // 2 of 4
    half.records.data[half.records.data.findIndex((x, at) => x !== 0 && at % 4 !== 3)] = 0
    expect(sparse(half)).toBeDefined() // one less than half
    expect(sparse(world({ k: 5, every: 2, places: [0, 3] }))).toBeDefined() // 2 of 5, were it not for place 0
  })
})

test.each([
  ['two hidden layers', { hidden: [4, 3] }, {}],
  ['several outputs', { outputs: 2 }, {}],
  ['a bounded output', { outputActivation: 'sigmoid' }, {}],
  ['no bias', { bias: false }, {}],
  ['another loss', {}, { loss: 'binary-cross-entropy' }],
] as const)('%s: not written out', (_, shape, change) => {
  const model = mlpSpec({ inputs: 6, hidden: [h], outputs: 1, ...shape })
  const made = world({ k: 6 })
  const view = { ...made.input.view, ...change }
  expect(cosineOfMlp({ ...made.input, functions: functionsOf(mlp(model)), view })).toBeUndefined()
  expect(cosineOfMlp({ ...made.input, labels: new Float64Array(n + 1) })).toBeUndefined()
})
