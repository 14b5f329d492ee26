import { expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, world } from '../../../test/attribute-world.js'
import { rng } from '../../numeric/random/rng.js'
import type { Channel } from '../../threat/granted-keys.js'
import { aiaLinearActive } from './aia-linear-active.js'

const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [48], activation: 'relu' } as const
const small = { model, records: 40, rounds: 3, batchSize: 8, learningRate: 0.02, effect: 0.4, noise: 1 } as const

test('sends shaken models, one turn each, and tells every record by the answers', async () => {
  const w = world(small)
  const sent: Float64Array[] = []
  const channel: Channel = async (client, theta) => {
    expect(client).toBe('0')
    sent.push(theta)
    return w.turn(theta, sent.length)
  }
  const outcome = await attackOn(aiaLinearActive, { ...w.view, channel }, { params: { rounds: 6, sigma: 0.3 } })
  expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBe(1)
  expect(sent.length).toBe(6)
  const { received } = await w.view.exchanges.read(2)
  const rms = (x: Float64Array): number => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length)
  for (const theta of sent) expect(rms(theta.map((v, j) => v - received![j]!)) / rms(received!)).toBeCloseTo(0.3, 1)
  expect(outcome).toMatchObject({ details: { rounds: 6, sent: 6, heard: 'sent', sigma: 0.3 } })
  const all = await attackOn(aiaLinearActive, { ...w.view, channel }, { params: { rounds: 2, heard: 'all' } })
  expect(all).toMatchObject({ details: { rounds: 5 } })
})

test('an opaque model is refused before anything is sent; a client that never moves says nothing', async () => {
  const w = world(small)
  let sent = 0
  const channel: Channel = async (_, theta) => {
    sent++
    return theta
  }
  const opaque = { ...w.view, channel, model: { kind: 'opaque' } } as const
  expect(await attackOn(aiaLinearActive, opaque)).toMatchObject({ status: 'not-applicable', missing: ['model'] })
  expect(sent).toBe(0)
  const still = await attackOn(aiaLinearActive, { ...w.view, channel }, { params: { rounds: 2 } })
  expect(still).toMatchObject({ status: 'not-applicable', missing: ['exchanges'] })
})

test('planted: found; shuffled: at chance', async () => {
  const w = world({ ...small, rounds: 1 })
  const channel: Channel = async (_client, theta) => w.turn(theta, 0)
  const view = { ...w.view, channel }
  const plant = aiaLinearActive.plant as Exclude<typeof aiaLinearActive.plant, { none: string }>
  const planted = await plant({ view, params: {}, truth: w.truth, rng: rng(3) })
  const found = only(await attackOn(aiaLinearActive, planted.view), 'attribute')
  expect(accuracy(found.values, w.true[0]!)).toBe(1)
  const shuffle = aiaLinearActive.shuffle as Exclude<typeof aiaLinearActive.shuffle, { none: string }>
  const shuffled = await shuffle({ view, params: {}, rng: rng(3) })
  const lost = only(await attackOn(aiaLinearActive, shuffled.view, { params: { rounds: 3 } }), 'attribute')
  const majority = 1 - w.true[0]!.reduce((sum, v) => sum + v, 0) / 40
  expect(accuracy(lost.values, w.true[0]!)).toBeLessThan(majority + 0.05)
})
