import { describe, expect, test } from 'vitest'
import type { Bytes, Guest } from '../../federation/exchange.js'
import { keyLine, linesBetween } from './key-line.js'
import { type SeatJob, seatsInThreads } from './thread-seats.js'

const guest = (place: number, client?: number): Guest =>
  ({ place, id: `c${place}`, weight: 1, ...(client !== undefined && { turn: { client } }) }) as unknown as Guest
const bytes = (...values: number[]): Bytes => Uint8Array.from(values) as Bytes

/** Guests in threads that answer every message with itself, and their notes with who they are. */
async function seated(guests: readonly Guest[], workers: number, policy?: string) {
  const posted: [number, SeatJob][] = []
  const seats = await seatsInThreads(guests, {
    ...{ exchange: 7, defence: 'd', policy, workers },
    async post(worker, job) {
      posted.push([worker, job])
      const { request } = job
      if ('sent' in request) for (const [place, answer] of request.sent) job.answered?.({ place, answer })
      return 'leave' in request
        ? ({ notes: job.guests.map(({ id }) => ({ id })) } as never)
        : { done: true, answers: [] }
    },
  })
  const benches = posted.map(([worker, { guests: own }]) => [worker, own.map(({ place }) => place)])
  return { seats, posted, benches }
}

describe('clients in threads', () => {
  test('sit where their records may still be', async () => {
    const { benches } = await seated([guest(1, 4), guest(2, 1), guest(3, 0), guest(4, 3)], 2)
    expect(benches).toEqual([[0, [1, 3]], [1, [2, 4]]]) // biome-ignore format: a list
    expect((await seated([guest(1), guest(2), guest(3)], 2)).benches).toEqual([[0, [2]], [1, [1, 3]]]) // biome-ignore format: a list
  })

  test('unless that bench is full: then on the first of the shortest', async () => {
    const all = Array.from({ length: 7 }, (_, i) => guest(i + 1, 2))
    expect((await seated(all, 3)).benches).toEqual([[0, [4, 6]], [1, [5, 7]], [2, [1, 2, 3]]]) // biome-ignore format: a list
  })

  test('are told the exchange, and a policy where there is one', async () => {
    const guests = [guest(1, 0)]
    expect((await seated(guests, 3)).posted).toEqual([[0, { guests, request: { exchange: 7, defence: 'd', guests } }]])
    const { posted } = await seated(guests, 1, 'strict')
    expect(posted[0]![1].request).toEqual({ exchange: 7, defence: 'd', guests, policy: 'strict' })
  })

  test('get their own messages alone, and a thread without one is left alone', async () => {
    const { seats, posted } = await seated([guest(1, 0), guest(2, 1), guest(3, 2)], 3)
    posted.length = 0
    const answers: [number, Bytes][] = []
    await seats.ask(new Map([[3, bytes(9)], [1, bytes(5)], [8, bytes(1)]]), (...one) => void answers.push(one)) // biome-ignore format: a line
    expect(answers).toEqual([[1, bytes(5)], [3, bytes(9)]]) // biome-ignore format: a list
    expect(posted.map(([worker, { request }]) => [worker, request])).toEqual([
      [0, { exchange: 7, sent: new Map([[1, bytes(5)]]) }],
      [2, { exchange: 7, sent: new Map([[3, bytes(9)]]) }],
    ])
  })

  test('are not heard any more once an answer was refused', async () => {
    const { seats } = await seated([guest(1, 0), guest(2, 0), guest(3, 1)], 2)
    const heard: number[] = []
    const sent = new Map([1, 2, 3].map((place) => [place, bytes(place)]))
    const take = (place: number): void => {
      heard.push(place)
      if (place === 1) throw new Error('refused')
    }
    await expect(seats.ask(sent, take)).rejects.toThrow('refused')
    expect(heard).toEqual([1])
  })

  test('tell their notes when they leave', async () => {
    const { seats, posted } = await seated([guest(1, 0), guest(2, 1), guest(3, 0)], 2)
    posted.length = 0
    expect(await seats.leave()).toEqual([{ id: 'c1' }, { id: 'c3' }, { id: 'c2' }])
    expect(posted.map(([, { request }]) => request)).toEqual(Array(2).fill({ exchange: 7, leave: true }))
  })
})

test('every two threads share a line, and what one posts all others take', () => {
  expect([0, 1, 2, 4].map((n) => linesBetween(n).map((ends) => ends.length))).toEqual([[], [0], [1, 1], [3, 3, 3, 3]])
  const ends = linesBetween(3)
  // Lines of a thread are those of its last federation: all three are asked for in this one, so they are spoken to by hand.
  const first = keyLine(ends[0]!)
  first.post(bytes(1, 2))
  first.post(bytes(3))
  for (const end of ends[1]!) end.postMessage(bytes(4))
  expect([...first.take()]).toEqual([bytes(4)])
  expect([...first.take()]).toEqual([])
  expect([...keyLine(ends[2]!).take()]).toEqual([bytes(1, 2), bytes(3), bytes(4)])
  keyLine([])
})
