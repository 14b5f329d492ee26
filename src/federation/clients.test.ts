import { describe, expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import type { Records } from '../data/records.js'
import { createModel } from '../models/index.js'
import { trainer } from '../models/trainer.js'
import { checkUpdate, createClients } from './clients.js'
import { heldPopulation, type Population } from './population.js'

const theta = new Float64Array(5)

/** Whose records were asked for, turn after turn. */
function asking(records: readonly Records[], options?: { readonly cacheBytes: number }) {
  const asked: number[] = []
  const held = heldPopulation(records)
  const population: Population = {
    ...held,
    records(client) {
      asked.push(client)
      return held.records(client)
    },
  }
  const clients = createClients(smallSpec, population, options)
  const play = (round: number, client: number, more = {}) => clients.play({ round, client, theta, ...more })
  return { asked, play, clients }
}
const many = Array.from({ length: 70 }, (_, k) => smallRecords[k % 3]!)

describe('records in kernel memory', () => {
  test('stay for the next turn', () => {
    const { asked, play, clients } = asking(smallRecords)
    for (const round of [0, 1, 2]) for (const client of [0, 1, 2]) play(round, client)
    expect(asked).toEqual([0, 1, 2])
    clients.release()
    play(3, 1)
    expect(asked).toEqual([0, 1, 2, 1])
  })

  test('make room for others where bytes are few, those used longest ago first', () => {
    const none = asking(smallRecords, { cacheBytes: 0 })
    for (const client of [0, 0, 1, 0]) none.play(0, client)
    expect(none.asked).toEqual([0, 1, 0])
    const one = smallRecords[0]!
    const worker = trainer(createModel({ kind: 'linear', inputs: 4, outputs: 1 }), { precision: 'f64' })
    const { bytes } = worker.hold(one)
    const askedWith = (cacheBytes: number) => {
      const { asked, play } = asking([one, one, one], { cacheBytes })
      for (const client of [0, 1, 0, 2, 0, 1]) play(0, client)
      return asked
    }
    expect(askedWith(3 * bytes)).toEqual([0, 1, 2])
    expect(askedWith(2 * bytes)).toEqual([0, 1, 2, 1])
    expect(askedWith(2 * bytes - 1)).toEqual([0, 1, 0, 2, 0, 1])
  })

  test('are those of 64 clients, or of as many as one round asked for', () => {
    const few = asking(many)
    for (let client = 0; client < 65; client++) few.play(client, client)
    few.play(100, 1) // 0 has gone, 1 has not
    expect(few.asked).toHaveLength(65)
    few.play(101, 0)
    expect(few.asked).toHaveLength(66)
    const more = asking(many)
    for (let client = 0; client < 66; client++) more.play(0, client)
    more.play(1, 0)
    expect(more.asked).toHaveLength(66)
  })

  test('are given up when steps become private', () => {
    const { asked, play } = asking(smallRecords)
    play(0, 0)
    play(0, 0, { privacy: { maxNorm: 1, noiseMultiplier: 0 } })
    play(1, 0, { privacy: { maxNorm: 1, noiseMultiplier: 0 } })
    expect(asked).toEqual([0, 0])
  })
})

test('numbers that are none stop a turn, which is named', () => {
  const told = { who: 'round 1, client "0"', length: 2, learningRate: 0.5 }
  const returned = (...values: number[]) => ({ kind: 'delta', dTheta: Float64Array.from(values) }) as const
  expect(() => checkUpdate(returned(1, 2), told)).not.toThrow()
  expect(() => checkUpdate(returned(1), told)).toThrow('an update of 1 values')
  expect(() => checkUpdate({ kind: 'other' } as never, told)).toThrow('what was returned is no update')
  expect(() => checkUpdate(undefined as never, told)).toThrow('what was returned is no update')
  expect(() => checkUpdate(returned(Number.NaN, 1), told)).toThrow('training diverged: dTheta[0] is NaN')
  expect(() => checkUpdate(returned(1, -1 / 0), told)).toThrow('dTheta[1] is -Infinity')
})

test('a change is what was returned less what was received', () => {
  const clients = createClients(smallSpec, smallPopulation)
  const turn = { round: 2, client: 1, theta: Float64Array.of(1, 0, -1, 2, 0.5) }
  const update = clients.play(turn) as { theta: Float64Array }
  expect([...clients.change(turn)]).toEqual([...update.theta].map((v, j) => v - turn.theta[j]!))
  expect(() => clients.change(undefined)).toThrow('without a turn')
})
