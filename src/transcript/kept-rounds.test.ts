import { expect, test } from 'vitest'
import { parametersOf } from '../models/index.js'
import { keepRounds } from './kept-rounds.js'
import { openTranscript } from './read-transcript.js'
import { encode, type TensorToWrite } from './safetensors.js'
import { memoryStore } from './store.js'

const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value))
const flat = (owner: string, ...values: number[]): TensorToWrite => ({
  name: `${owner}/*`,
  shape: [values.length],
  data: Float64Array.from(values),
})

/** Two rounds of two clients; `opened` counts how often a file of a round was opened. */
async function recorded(share: 'parameters' | 'delta' | 'gradient' = 'parameters') {
  const files = new Map<string, Uint8Array>([
    [
      'transcript.json',
      bytes({
        format: 'overhear-transcript/1',
        model: { kind: 'linear', inputs: 1, outputs: 1 },
        loss: 'mse',
        protocol: { share, learningRate: 0.5 },
        clients: [{ id: 'a' }, { id: 'b' }],
        rounds: [{ participants: ['a', 'b'] }, { participants: ['a', 'b'], tampered: ['b'] }],
      }),
    ],
    ['rounds/000000.safetensors', encode([flat('global', 1, 1), flat('client/a', 2, 3), flat('client/b', 4, 0)])],
    [
      'rounds/000001.safetensors',
      encode([flat('global', 5, 6), flat('client/a', 7, 8), flat('client/b', 9, 9), flat('sent/b', 0, 1)]),
    ],
  ])
  const store = memoryStore(files)
  const opened: string[] = []
  const counting = {
    ...store,
    open: (path: string) => {
      opened.push(path)
      return store.open(path)
    },
  }
  return { transcript: await openTranscript(counting, { parametersOf }), opened }
}

test.each(['parameters', 'delta', 'gradient'] as const)('gives what the transcript gives: %s', async (share) => {
  const { transcript } = await recorded(share)
  const kept = keepRounds(transcript, { left: 1e6 })
  for (const round of [0, 1, 0, 1]) {
    for (const options of [{}, { clients: [] }, { clients: ['b'] }, { clients: ['a', 'b', 'c'] }]) {
      expect(await kept.readRound(round, options)).toEqual(await transcript.readRound(round, options))
    }
  }
  await expect(kept.readRound(2)).rejects.toThrow('round 2 is not in the transcript')
})

test('opens a file once for its contents and once for its messages', async () => {
  const { transcript, opened } = await recorded()
  const kept = keepRounds(transcript, { left: 1e6 })
  await Promise.all([kept.readRound(0), kept.readRound(0, { clients: ['a'] }), kept.readRound(0)])
  await kept.readRound(0)
  expect(opened).toEqual(['rounds/000000.safetensors', 'rounds/000000.safetensors'])
})

test('of a large round keeps what is asked for: once for each client, and never the others', async () => {
  const { transcript, opened } = await recorded()
  const room = { left: 1e6 }
  const kept = keepRounds(transcript, room, 0)
  for (const round of [0, 1]) {
    for (const options of [{ clients: ['b'] }, { clients: [] }, { clients: ['b'] }, { clients: [] }]) {
      expect(await kept.readRound(round, options)).toEqual(await transcript.readRound(round, options))
    }
  }
  // The global model and b's message, the global model; in round 1 what b was sent, too. Each number is 8 bytes, d is 2.
  expect(1e6 - room.left).toBe(16 * (2 + 1 + 3 + 1))
  expect(opened.filter((path) => path.includes('000000'))).toHaveLength(1 + 2 + 4) // contents, twice kept, and beside it
})

test('large rounds are kept whole if all of them can be', async () => {
  const { transcript } = await recorded()
  for (const [left, taken] of [
    [127, 48], // the second round, of 64 bytes, would not fit twice
    [128, 48 + 64],
  ] as const) {
    const room = { left }
    const kept = keepRounds(transcript, room, 0)
    for (const round of [0, 1]) expect(await kept.readRound(round)).toEqual(await transcript.readRound(round))
    expect(left - room.left).toBe(taken)
  }
})

test('what one reader does to a message, no other sees', async () => {
  const kept = keepRounds((await recorded()).transcript, { left: 1e6 })
  const first = await kept.readRound(1)
  first.global!.fill(666)
  first.sent.get('b')!.fill(666)
  const update = first.clients.get('a')!
  if (update.kind === 'parameters') update.theta.fill(666)
  ;(first.clients as Map<string, unknown>).clear()
  ;(first.participants as string[]).push('c')
  const second = await kept.readRound(1)
  expect([...second.global!, ...second.sent.get('b')!]).toEqual([5, 6, 0, 1])
  expect(second.clients.get('a')).toEqual({ kind: 'parameters', theta: Float64Array.of(7, 8) })
  expect(second.participants).toEqual(['a', 'b'])
})

test('keeps what fits: three messages of two numbers are 48 bytes, four are 64', async () => {
  const { transcript, opened } = await recorded()
  const room = { left: 100 }
  const kept = keepRounds(transcript, room)
  await kept.readRound(0)
  expect(room.left).toBe(52)
  for (let i = 0; i < 3; i++) await kept.readRound(1)
  expect(room.left).toBe(52)
  expect(opened.filter((path) => path.includes('000001'))).toHaveLength(4)
})

test('a message that is wrong is told to whoever asks for it, and to nobody else', async () => {
  const { transcript } = await recorded()
  const broken = {
    ...transcript,
    readRound: async (round: number, options: { readonly clients?: readonly string[] } = {}) => {
      if (options.clients === undefined || options.clients.includes('b')) throw new Error('b is wrong')
      return transcript.readRound(round, options)
    },
  }
  const room = { left: 1000 }
  const kept = keepRounds(broken, room)
  await expect(kept.readRound(0)).rejects.toThrow('b is wrong')
  expect((await kept.readRound(0, { clients: ['a'] })).clients.size).toBe(1)
  expect(room.left).toBe(1000)
})
