import { describe, expect, test } from 'vitest'
import { headView } from '../../../test/label-views.js'
import type { Exchange, Series } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import { turnOf, turnsOf } from './target-turns.js'
import { mapped, optimumOf, permutedTurns, plantedTurns, returning } from './turn-controls.js'

const of = (...values: number[]) => Float64Array.from(values)
const theta = of(10, 20)
const head = { round: 3, received: theta, learningRate: 0.5 }
const messages = {
  parameters: { kind: 'parameters', theta: of(9, 22) },
  delta: { kind: 'delta', dTheta: of(-1, 2) },
  gradient: { kind: 'gradient', grad: of(2, -4) },
} as const
const kinds = Object.keys(messages) as (keyof typeof messages)[]

describe.each(kinds)('a turn of %s', (kind) => {
  const exchange: Exchange = { ...head, update: messages[kind] }

  test('is what was received, what was returned, and the descent between them', () => {
    expect(turnOf(exchange)).toEqual({ round: 3, theta, returned: of(9, 22), descent: of(1, -2), learningRate: 0.5 })
  })

  test('that ends elsewhere is read as ending there', () => {
    const changed = returning(exchange, of(12, 19))
    expect(changed.update.kind).toBe(kind)
    expect(turnOf(changed)).toMatchObject({ theta, returned: of(12, 19), descent: of(-2, 1) })
  })

  test('needs the model that was sent', () => {
    expect(() => turnOf({ ...exchange, received: undefined })).toThrow('round 3 lacks the model that was sent')
  })
})

test('a shared gradient becomes a model by the rate alone', () => {
  const exchange = { ...head, learningRate: null, update: messages.gradient }
  expect(() => turnOf(exchange)).toThrow('a shared gradient needs the step to become a model')
  expect(turnOf({ ...exchange, update: messages.delta }).learningRate).toBeNull()
})

const series: Series<Exchange> = {
  rounds: [3, 5],
  read: async (round) => ({ ...head, round, update: messages.delta }),
}

test('turns are those of all rounds, or of those that are asked for', async () => {
  const rounds = async (options?: { rounds: number[] }) =>
    (await turnsOf({ exchanges: series }, options)).map(({ round }) => round)
  expect(await rounds()).toEqual([3, 5])
  expect(await rounds({ rounds: [5] })).toEqual([5])
  const changed = mapped(series, (one) => ({ ...one, round: one.round + 1 }))
  expect(changed.rounds).toEqual([3, 5])
  expect((await changed.read(5)).round).toBe(6)
})

const view = { ...headView({ gradW: [[1], [1]], K: 2 }), exchanges: series }

test('planted turns all end at the true optimum, and there must be one', async () => {
  const truth = { optimum: async (id: string) => (id === 'a' ? of(1, 2) : undefined) } as unknown as Truth
  const { view: planted } = await plantedTurns({ view, truth })
  for (const { returned } of await turnsOf(planted)) expect(returned).toEqual(of(1, 2))
  await expect(optimumOf(truth, 'b')).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringContaining('no optimum of client "b"'),
  })
})

test('coordinates change places in one order for all messages, whatever their kind', async () => {
  let drawn = 0
  const rng = {
    permutation(n: number) {
      drawn++
      return Int32Array.from({ length: n }, (_, i) => (i + 1) % n)
    },
  }
  const all = kinds.map((kind, i): Exchange => ({ ...head, round: i, received: of(7, 8, 9), update: longer(kind) }))
  const exchanges = { rounds: [0, 1, 2], read: async (round: number) => all[round]! }
  const { view: permuted } = await permutedTurns({ view: { ...view, exchanges } as typeof view, rng })
  const found = []
  for (const round of [0, 1, 2]) found.push(await permuted.exchanges.read(round))
  expect(found.map(({ received }) => received)).toEqual([of(8, 9, 7), of(8, 9, 7), of(8, 9, 7)])
  expect(found.map(({ update }) => update)).toEqual([
    { kind: 'parameters', theta: of(2, 3, 1) },
    { kind: 'delta', dTheta: of(2, 3, 1) },
    { kind: 'gradient', grad: of(2, 3, 1) },
  ])
  expect(drawn).toBe(1)
  const silent = { rounds: [0], read: async () => ({ ...all[0]!, received: undefined }) }
  const { view: without } = await permutedTurns({ view: { ...view, exchanges: silent } as typeof view, rng })
  expect((await without.exchanges.read(0)).received).toBeUndefined()
})

function longer(kind: (typeof kinds)[number]): Exchange['update'] {
  const values = of(1, 2, 3)
  if (kind === 'parameters') return { kind, theta: values }
  return kind === 'delta' ? { kind, dTheta: values } : { kind, grad: values }
}
