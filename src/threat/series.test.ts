import { describe, expect, test } from 'vitest'
import type { Transcript } from '../transcript/read-transcript.js'
import type { Update } from '../transcript/round-messages.js'
import { aggregatesOf, exchangesOf, globalsOf, updatesOf } from './series.js'

interface RoundMade {
  readonly global?: Float64Array
  readonly sent?: ReadonlyMap<string, Float64Array>
  readonly clients?: ReadonlyMap<string, Update>
  readonly aggregate?: Float64Array
  readonly participants?: readonly string[] | null
  readonly dropped?: readonly string[]
  readonly learningRate?: number | null
}

/** A transcript in memory that notes what is read of it. */
function recorded(rounds: readonly RoundMade[], { protocol = {}, clients = {} as unknown } = {}) {
  const reads: string[] = []
  const of = (round: number) => {
    const {
      sent = new Map(),
      clients: own = new Map(),
      dropped = [],
      participants,
      learningRate,
      ...rest
    } = rounds[round]!
    const everybody = participants === undefined ? [...own.keys()] : participants
    return { round, sent, clients: own, dropped, participants: everybody, learningRate: learningRate ?? null, ...rest }
  }
  const manifest = {
    clients,
    protocol: { share: 'parameters', aggregateWeights: 'one', learningRate: 0.5, ...protocol },
  }
  const transcript = {
    manifest,
    rounds: () => rounds.map((_, round) => of(round)),
    async contents(round: number) {
      const { global, aggregate, sent, clients: own } = of(round)
      const holds = { global: global !== undefined, aggregate: aggregate !== undefined }
      return { ...holds, sent: new Set(sent.keys()), clients: new Set(own.keys()) }
    },
    async readRound(round: number, { clients: only }: { clients?: readonly string[] } = {}) {
      reads.push(`${round}${only === undefined ? '' : ` ${only.join()}`}`)
      return of(round)
    },
  }
  return { transcript: transcript as unknown as Transcript, reads }
}

const theta = (...values: number[]): Update => ({ kind: 'parameters', theta: Float64Array.from(values) })
const delta = (...values: number[]): Update => ({ kind: 'delta', dTheta: Float64Array.from(values) })
const gradient = (...values: number[]): Update => ({ kind: 'gradient', grad: Float64Array.from(values) })
const global = Float64Array.of(1, 2)

describe('sums that a recording lets one form', () => {
  test('are of changes, weighted, in whatever is shared', async () => {
    const clients = [{ id: 'a', samples: 3 }, { id: 'b', samples: 2 }] // biome-ignore format: a line
    const summed = async (one: RoundMade, protocol: object) => {
      const { transcript } = recorded([one], { clients, protocol: { aggregateWeights: 'samples', ...protocol } })
      const sums = await aggregatesOf(transcript)
      return sums && Array.from((await sums.read(0)).dThetaSum)
    }
    const both = (make: (...values: number[]) => Update) => new Map([['a', make(2, 2)], ['b', make(4, 0)]]) // biome-ignore format: a line
    expect(await summed({ global, clients: both(theta) }, {})).toEqual([9, -4])
    expect(await summed({ clients: both(theta) }, {})).toBeUndefined()
    expect(await summed({ clients: both(delta) }, { share: 'delta' })).toEqual([14, 6])
    expect(await summed({ clients: both(gradient) }, { share: 'gradient' })).toEqual([-7, -3])
    expect(await summed({ clients: both(gradient), learningRate: 2 }, { share: 'gradient' })).toEqual([-28, -12])
    expect(await summed({ clients: both(gradient) }, { share: 'gradient', learningRate: null })).toBeUndefined()
    expect(await summed({ clients: both(delta) }, { share: 'delta', aggregateWeights: 'one' })).toEqual([6, 2])
    const more = { clients: both(delta), participants: ['a', 'b', 'c'] }
    expect(await summed(more, { share: 'delta', aggregateWeights: 'one' })).toBeUndefined()
    const unknown = new Map([...both(delta), ['c', delta(1, 1)] as const])
    expect(await summed({ clients: unknown }, { share: 'delta' })).toBeUndefined()
    expect(await summed({ clients: both(delta), participants: [] }, { share: 'delta' })).toBeUndefined()
    const stated = { clients: both(delta), participants: null }
    expect(await summed(stated, { share: 'delta', aggregateWeights: 'one' }).catch(String)).toMatch(/TypeError/)
  })

  test('by one number of records for everybody, where that is stated', async () => {
    const rounds = [{ clients: new Map([['a', delta(1)]]) }]
    const own = { share: 'delta', aggregateWeights: 'samples' }
    const known = await aggregatesOf(recorded(rounds, { protocol: own, clients: { samples: 7 } }).transcript)
    expect(Array.from((await known!.read(0)).dThetaSum)).toEqual([7])
    expect(
      await aggregatesOf(recorded(rounds, { protocol: own, clients: { samples: null } }).transcript),
    ).toBeUndefined()
  })

  test('are kept up to 16 MB, given as copies, and formed anew beyond', async () => {
    const large = (mark: number) => ({ kind: 'delta', dTheta: new Float64Array(2 ** 20).fill(mark) }) as Update // 8 MB
    const rounds = [1, 2, 3].map((mark) => ({ clients: new Map([['a', large(mark)]]) }))
    const { transcript, reads } = recorded(rounds, { protocol: { share: 'delta' } })
    const sums = (await aggregatesOf(transcript))!
    for (const round of [0, 1, 2]) (await sums.read(round)).dThetaSum.fill(0)
    expect(reads).toEqual(['0', '1', '2'])
    for (const round of [0, 1, 2]) {
      const { dThetaSum, derived } = await sums.read(round)
      expect([dThetaSum[0], dThetaSum.at(-1), derived]).toEqual([round + 1, round + 1, true])
    }
    expect(reads).toEqual(['0', '1', '2', '2'])
    expect(await aggregatesOf(transcript)).toBe(sums)
  })

  test('that were recorded are given as they are', async () => {
    const aggregate = Float64Array.of(5)
    const { transcript, reads } = recorded([{ aggregate }, {}])
    const sums = (await aggregatesOf(transcript))!
    expect(sums.rounds).toEqual([0])
    expect(await sums.read(0)).toEqual({ round: 0, dThetaSum: aggregate, derived: false })
    expect(reads).toEqual(['0 '])
    await expect(sums.read(1)).rejects.toThrow('round 1 is not in this view')
  })
})

describe('turns and models', () => {
  const sent = new Map([['a', Float64Array.of(9, 9)]])
  const rounds: readonly RoundMade[] = [
    { global, clients: new Map([['a', theta(1, 1)]]), learningRate: 0.25 },
    { global, clients: new Map([['b', theta(3, 3)]]), participants: null },
    { global, sent, clients: new Map([['a', theta(2, 2)], ['b', theta(4, 4)]]) }, // biome-ignore format: a line
    { global, dropped: ['a'] },
    { sent },
    { global, participants: ['a'] },
  ]

  test('of one client: what it was sent, or the global model, at the rate of the round', async () => {
    const { transcript } = recorded(rounds)
    const turns = (await exchangesOf(transcript, 'a'))!
    expect(turns.rounds).toEqual([0, 2])
    expect(await turns.read(0)).toMatchObject({ received: global, learningRate: 0.25 })
    expect(await turns.read(2)).toMatchObject({ received: sent.get('a'), learningRate: 0.5 })
    expect(await exchangesOf(transcript, 'c')).toBeUndefined()
    expect(await exchangesOf(transcript, 'a')).toBe(turns)
  })

  test('of all, and those that a client saw', async () => {
    const { transcript, reads } = recorded(rounds)
    expect((await updatesOf(transcript))!.rounds).toEqual([0, 1, 2])
    expect([...(await (await updatesOf(transcript))!.read(2)).keys()]).toEqual(['a', 'b'])
    expect((await globalsOf(transcript))!.rounds).toEqual([0, 1, 2, 3, 5])
    const seen = (await globalsOf(transcript, 'a'))!
    expect(seen.rounds).toEqual([0, 2, 3, 4, 5])
    expect([await seen.read(0), await seen.read(4)]).toEqual([global, sent.get('a')])
    expect(await (await globalsOf(transcript))!.read(1)).toBe(global)
    expect(reads).toEqual(['2', '0 a', '4 a', '1 '])
  })

  test('what went wrong once is found anew', async () => {
    const { transcript } = recorded(rounds)
    const whole = transcript.rounds
    const broken = Object.assign(transcript, { rounds: () => { throw new Error('torn') } }) // biome-ignore format: a line
    await expect(updatesOf(broken)).rejects.toThrow('torn')
    Object.assign(transcript, { rounds: whole })
    expect((await updatesOf(transcript))!.rounds).toEqual([0, 1, 2])
  })
})
