/** Full-batch turns of several steps: whoever plays them over with the right values ends where the client ended. */
import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../../test/attack-context.js'
import { accuracy, several, world } from '../../../../../test/attribute-world.js'
import type { Outcome } from '../../../attack.js'
import { aiaLinear } from '../../aia-linear.js'

const network = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16], activation: 'relu' } as const
const detailsOf = (outcome: Outcome) => (outcome.status === 'claimed' ? outcome.details : {})

describe.each([
  ['linear', { kind: 'linear', inputs: 4, outputs: 1 } as const, 8, 0.1],
  ['network', network, 20, 0.05],
])('%s, 20 local steps on all records', (_, model, records, learningRate) => {
  const turn = { model, records, rounds: 12, batchSize: null, localEpochs: 20, learningRate, effect: 0.3, noise: 1 }

  test.each([1, 2, 3])('every value is found, and known to be right: world %i', async (seed) => {
    const w = world({ ...turn, seed, precision: 'f32' })
    const outcome = await attackOn(aiaLinear, w.view)
    const { values, confidence } = only(outcome, 'attribute')
    expect(accuracy(values, w.true[0]!)).toBe(1)
    expect(detailsOf(outcome)).toMatchObject({ solver: 'replayed' })
    expect(detailsOf(outcome).excess).toBeLessThan(5)
    expect(Math.min(...Array.from(confidence!))).toBeCloseTo(records / (records + 1), 6)
  })

  test('people who were not trained on: nothing is sure', async () => {
    const [w, others] = [world({ ...turn, seed: 1 }), world({ ...turn, seed: 9 })]
    const view = { ...w.view, records: others.view.records, 'records.label': others.view['records.label'] }
    const outcome = await attackOn(aiaLinear, view)
    if (outcome.status === 'not-applicable') return
    expect(Math.max(...Array.from(only(outcome, 'attribute').confidence!))).toBeLessThanOrEqual(0.9)
    expect(outcome.status === 'claimed' && outcome.warnings.join()).toMatch(/no guess is called sure/)
  })

  test('a rate that is stated a little too high is noticed', async () => {
    const w = world({ ...turn, seed: 2 })
    const stated = 1.05 * learningRate
    const read = async (round: number) => ({ ...(await w.view.exchanges.read(round)), learningRate: stated })
    const view = {
      ...w.view,
      learningRate: stated,
      protocol: { ...w.view.protocol, learningRate: stated },
      exchanges: { ...w.view.exchanges, read },
    }
    const outcome = await attackOn(aiaLinear, view)
    if (outcome.status === 'claimed') {
      expect(Math.max(...Array.from(only(outcome, 'attribute').confidence!))).toBeLessThanOrEqual(0.9)
    }
  })
})

test.each([1, 2, 3, 4])('more records than a few sums tell apart: right, or not sure (world %i)', async (seed) => {
  const model = { kind: 'linear', inputs: 4, outputs: 1 } as const
  const w = world({ model, records: 14, rounds: 12, batchSize: null, localEpochs: 20, learningRate: 0.1, seed })
  const { values, confidence } = only(await attackOn(aiaLinear, w.view), 'attribute')
  for (const [i, c] of Array.from(confidence!).entries()) if (c > 0.9) expect(values[i]).toBe(w.true[0]![i])
})

test('attributes of several values together', async () => {
  const model = { ...network, inputs: 6 }
  const w = world({ model, records: 10, rounds: 10, batchSize: null, localEpochs: 8, sensitive: several })
  const outcome = await attackOn(aiaLinear, w.view)
  expect(detailsOf(outcome)).toMatchObject({ solver: 'replayed', unknowns: 50 })
  if (outcome.status !== 'claimed') throw new Error('refused')
  for (const [a, claim] of outcome.claims.entries()) {
    if (claim.kind === 'attribute') expect(accuracy(claim.values as Float64Array, w.true[a]!)).toBe(1)
  }
})
