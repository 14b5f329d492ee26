import { expect, test } from 'vitest'
import { seriesOf } from '../../../test/linear-federation.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { messagesOf } from './turn-matrices.js'

const values = (...all: number[]) => Float64Array.from(all)

const exchange = (round: number, more: Partial<Exchange>): Exchange => ({
  round,
  received: values(1, 2),
  learningRate: 0.5,
  update: { kind: 'parameters', theta: values(0.5, 1) },
  ...more,
})
const read = (...exchanges: Exchange[]) => messagesOf({ exchanges: seriesOf(exchanges), target: '0' })

test('whatever is shared, what was descended', async () => {
  const { theta, descent } = await read(
    exchange(0, {}),
    exchange(1, { update: { kind: 'delta', dTheta: values(-0.5, -1) } }),
  )
  expect([...theta.data]).toEqual([1, 2, 1, 2])
  expect([...descent.data]).toEqual([0.5, 1, 0.5, 1])
  const shared = await read(exchange(0, { update: { kind: 'gradient', grad: values(3, 4) }, learningRate: null }))
  expect([...shared.descent.data]).toEqual([3, 4])
})

test('rounds without the model that was sent are left out, with a word; without any nothing can be said', async () => {
  const { rounds, warnings } = await read(exchange(0, { received: undefined }), exchange(1, {}))
  expect(rounds).toEqual([1])
  expect(warnings).toEqual(['1 rounds lack the model that was sent and are left out'])
  await expect(read(exchange(0, { received: undefined }))).rejects.toThrow('no round tells which model')
})

test('steps of different rates are brought to one', async () => {
  const { descent, warnings } = await read(exchange(0, {}), exchange(1, { learningRate: 0.25 }))
  expect([...descent.data]).toEqual([0.5, 1, 1, 2])
  expect(warnings[0]).toMatch('the learning rate changed')
})

test('what is not finite is an error that says where', async () => {
  const update = { kind: 'parameters', theta: values(Number.NaN, 1) } as const
  await expect(read(exchange(3, { update }))).rejects.toThrow('round 3: value 0 is NaN')
})

test('turns of different sizes are an error', async () => {
  await expect(read(exchange(0, {}), exchange(1, { received: values(1) }))).rejects.toThrow('round 1 holds')
})
