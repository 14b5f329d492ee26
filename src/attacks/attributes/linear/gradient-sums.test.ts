import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import type { Protocol } from '../../../transcript/manifest.js'
import { Inapplicable } from '../../attack.js'
import { linearRounds } from './gradient-sums.js'

const received = Float64Array.of(1, 2)
const turn = (round: number, update: Exchange['update'], more: Partial<Exchange> = {}): Exchange => ({
  round,
  received,
  update,
  learningRate: null,
  ...more,
})
const returned = (...theta: number[]): Exchange['update'] => ({ kind: 'parameters', theta: Float64Array.from(theta) })

/** Rounds of turns of a client with ten records. */
function roundsOf(exchanges: readonly Exchange[], change: Partial<Protocol> = {}, rate?: number) {
  const protocol = protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.5, ...change })
  const read = async (round: number) => exchanges.find((one) => one.round === round)!
  const series = { rounds: exchanges.map(({ round }) => round), read }
  return linearRounds({ exchanges: series, protocol }, { samples: 10, ...(rate !== undefined && { rate }) })
}

describe('what a turn says of its gradients', () => {
  test('one step on all records: where it began, over the rate', async () => {
    const found = await roundsOf([turn(3, returned(0, 3))])
    expect(found).toMatchObject({ steps: 1, exact: true, rateKnown: true, repeated: 0 })
    const one = { round: 3, theta: received, rate: 0.5, at: received, mean: Float64Array.of(2, -2) }
    expect(found.rounds).toMatchObject([one])
    // Numbers that single precision holds: half a unit in the last place of what was sent and of the step, over the rate.
    const unit = 2 ** -24 / 0.5
    const sent = Float64Array.of(0, 3)
    expect(found.rounds[0]!.rounding).toEqual(sent.map((x, j) => unit * (Math.abs(x) + Math.abs(received[j]! - x))))
  })

  test('several steps: the middle of the path, over all of it', async () => {
    const found = await roundsOf([turn(3, returned(0, 3))], { localEpochs: null, localSteps: 4 })
    expect(found).toMatchObject({ steps: 4, exact: false })
    expect(found.rounds[0]).toMatchObject({ at: Float64Array.of(0.5, 2.5), mean: Float64Array.of(0.5, -0.5) })
  })

  test.each([
    [{ batchSize: 10 }, 1, true],
    [{ batchSize: 11 }, 1, true],
    [{ batchSize: null }, 1, true],
    [{ batchSize: 9 }, 2, false],
    [{ batchSize: 9, localEpochs: null, localSteps: 1 }, 1, false],
    [{ batchSize: 4 }, 3, false],
    [{ batchSize: 4, localEpochs: 2 }, 6, false],
    [{ localEpochs: 2 }, 2, false],
    [{ localEpochs: null, localSteps: null }, 1, true],
    [{ localEpochs: 0 }, 1, true],
  ])('%j is %i steps', async (change, steps, exact) => {
    expect(await roundsOf([turn(0, returned(0, 0))], change)).toMatchObject({ steps, exact })
  })

  test('of a momentum m: m of every step is gone again in the next', async () => {
    // Steps along a constant gradient of 1: v = 1, 1.5, 1.75, and 4.25 in all.
    const { rounds } = await roundsOf([turn(0, returned(-3.25, 2))], { localSteps: 3, localEpochs: null, momentum: 0.5, learningRate: 1 }) // biome-ignore format: one line
    expect(rounds[0]!.mean[0]).toBeCloseTo(1, 12)
    const two = await roundsOf([turn(0, returned(-1.8, 2))], { localSteps: 2, localEpochs: null, momentum: 0.8, learningRate: 1 }) // biome-ignore format: one line
    expect(two.rounds[0]!.mean[0]).toBeCloseTo(1, 12) // 1 + 1.8
  })

  test('of a proximal pull mu: less, by half of what the path is long', async () => {
    const { rounds } = await roundsOf([turn(0, returned(0, 2))], { localSteps: 4, localEpochs: null, proxMu: 0.25 })
    expect(rounds[0]!.mean[0]).toBeCloseTo(1 / (2 / (1 + (0.25 * 0.5 * 4) / 2)), 12)
  })

  test('of differences and gradients', async () => {
    const delta = await roundsOf([turn(0, { kind: 'delta', dTheta: Float64Array.of(-1, 1) })], { share: 'delta' })
    expect(delta.rounds[0]).toMatchObject({ at: received, mean: Float64Array.of(2, -2) })
    const grad = Float64Array.of(5, 6)
    const shared = await roundsOf([turn(0, { kind: 'gradient', grad })], { share: 'gradient', localSteps: 4 })
    expect(shared).toMatchObject({ steps: 1, exact: true, rateKnown: true })
    expect(shared.rounds[0]).toMatchObject({ at: received, rate: 1, mean: grad })
  })

  test('by the rate that is believed, else that of the round, else that of the protocol, else up to a factor', async () => {
    const one = turn(0, returned(0, 2), { learningRate: 0.25 })
    expect((await roundsOf([one], {}, 0.1)).rounds[0]!.rate).toBe(0.1)
    expect((await roundsOf([one])).rounds[0]!.rate).toBe(0.25)
    expect((await roundsOf([turn(0, returned(0, 2))])).rounds[0]!.rate).toBe(0.5)
    const unknown = await roundsOf([one, turn(1, returned(0, 4))], { learningRate: null })
    expect(unknown.rateKnown).toBe(false)
    expect(unknown.rounds.map(({ rate }) => rate)).toEqual([0.25, 1])
  })

  test('once, however often it is heard', async () => {
    const again = [turn(0, returned(0, 3)), turn(1, returned(0, 3)), turn(2, returned(0, 4)), turn(3, returned(0, 3), { received: Float64Array.of(1, 3) })] // biome-ignore format: one line
    const found = await roundsOf(again)
    expect(found.rounds.map(({ round }) => round)).toEqual([0, 2, 3])
    expect(found.repeated).toBe(1)
    const kinds = [turn(0, returned(0, 3)), turn(1, { kind: 'delta', dTheta: Float64Array.of(0, 3) })]
    expect((await roundsOf(kinds)).repeated).toBe(0)
  })

  test('nothing without a step or a model; what is not finite is an error', async () => {
    await expect(roundsOf([], { localSteps: 0 })).rejects.toBeInstanceOf(Inapplicable)
    const deaf = turn(7, returned(0, 0), { received: undefined })
    await expect(roundsOf([deaf])).rejects.toThrow('round 7 lacks the model that was sent')
    await expect(roundsOf([turn(7, returned(0, Number.NaN))])).rejects.toThrow('round 7: the update holds NaN at 1')
  })
})
