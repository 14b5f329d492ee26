import { describe, expect, test } from 'vitest'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import type { ManifestInput } from './manifest.js'
import { openTranscript } from './read-transcript.js'
import { encode, type TensorToWrite } from './safetensors.js'
import { memoryStore } from './store.js'

const manifest: ManifestInput = {
  format: 'overhear-transcript/1',
  model: { kind: 'linear', inputs: 2, outputs: 1 },
  loss: 'mse',
  parameters: [
    { name: 'w', shape: [1, 2] },
    { name: 'b', shape: [1] },
  ],
  protocol: { share: 'parameters' },
  clients: [{ id: '0' }, { id: '1' }],
  rounds: [{ participants: ['0', '1'] }],
}
const tensor = (name: string, values: number[], shape = [values.length]): TensorToWrite => ({
  name,
  shape,
  data: Float64Array.from(values),
})
const perParameter = (owner: string, [u, v, b]: [number, number, number]) => [
  tensor(`${owner}/b`, [b]),
  tensor(`${owner}/w`, [u, v], [1, 2]),
]
const flat = (owner: string, values: number[]) => [tensor(`${owner}/*`, values)]

function store(tensors: TensorToWrite[], change: object = {}) {
  const files = new Map([
    ['transcript.json', new TextEncoder().encode(JSON.stringify({ ...manifest, ...change }))],
    ['rounds/000000.safetensors', encode(tensors)],
  ])
  return memoryStore(files)
}
const round = async (tensors: TensorToWrite[], change: object = {}, clients?: string[]) => {
  const transcript = await openTranscript(store(tensors, change), { parametersOf })
  return transcript.readRound(0, clients === undefined ? {} : { clients })
}

describe("names that are not the model's", () => {
  const tensors = (owner: string) => [tensor(`${owner}/fc1.bias`, [3]), tensor(`${owner}/fc1.weight`, [1, 2], [1, 2])]

  test('are matched by shape where the manifest lists none', async () => {
    const { global, clients } = await round([...tensors('global'), ...tensors('client/0')], { parameters: undefined })
    expect([...global!]).toEqual([1, 2, 3])
    expect(clients.get('0')).toEqual({ kind: 'parameters', theta: Float64Array.of(1, 2, 3) })
  })

  test('of an opaque model must be listed', async () => {
    await expect(round(tensors('global'), { model: { kind: 'opaque' } })).rejects.toThrow('parameter "w" is missing')
  })

  test("some of the model's own and some not are an error", async () => {
    const mixed = [tensor('global/b', [3]), tensor('global/fc1.weight', [1, 2], [1, 2])]
    await expect(round(mixed)).rejects.toThrow('parameter "w" is missing')
  })
})

describe('a round', () => {
  test('what it holds is looked at once, however often it is asked', async () => {
    const inner = store([...flat('client/0', [1, 2, 3]), ...flat('client/1', [4, 5, 6])])
    const opened: string[] = []
    const watched = {
      ...inner,
      open: (path: string) => {
        opened.push(path)
        return inner.open(path)
      },
    }
    const transcript = await openTranscript(watched, { parametersOf })
    opened.length = 0
    const first = await transcript.contents(0)
    expect([...first.clients]).toEqual(['0', '1'])
    expect(await transcript.contents(0)).toBe(first)
    expect(opened).toEqual(['rounds/000000.safetensors'])
  })

  test('per parameter, in the manifest order whatever the order of the file', async () => {
    const { global, clients, sent, aggregate, warnings } = await round([
      ...perParameter('global', [1, 2, 3]),
      ...perParameter('client/0', [4, 5, 6]),
      ...perParameter('client/1', [7, 8, 9]),
      ...perParameter('sent/1', [0, 0, 1]),
    ])
    expect([...global!]).toEqual([1, 2, 3])
    expect(clients.get('0')).toEqual({ kind: 'parameters', theta: Float64Array.of(4, 5, 6) })
    expect(clients.get('1')).toEqual({ kind: 'parameters', theta: Float64Array.of(7, 8, 9) })
    expect(sent.get('1')).toEqual(Float64Array.of(0, 0, 1))
    expect(aggregate).toBeUndefined()
    expect(warnings).toEqual([])
  })

  test('flat, and the share by its kind', async () => {
    const tensors = [...flat('client/0', [1, 2, 3]), ...flat('client/1', [4, 5, 6])]
    const delta = await round(tensors, { protocol: { share: 'delta' } })
    expect(delta.clients.get('0')).toEqual({ kind: 'delta', dTheta: Float64Array.of(1, 2, 3) })
    expect('global' in delta).toBe(false)
    const gradient = await round(tensors, { protocol: { share: 'gradient' } })
    expect(gradient.clients.get('1')).toEqual({ kind: 'gradient', grad: Float64Array.of(4, 5, 6) })
  })

  test('an aggregate alone', async () => {
    const change = { recordedFor: 'secagg-server', protocol: { share: 'delta', secureAggregation: true } }
    const read = await round(flat('aggregate', [1, 2, 3]), change)
    expect(read.aggregate).toEqual(Float64Array.of(1, 2, 3))
    expect(read.clients.size).toBe(0)
    expect(read.participants).toEqual(['0', '1'])
    expect(read.warnings).toEqual([])
  })

  test('only the clients that were asked for', async () => {
    const tensors = [...flat('client/0', [1, 2, NaN]), ...flat('client/1', [4, 5, 6])]
    const { clients, participants } = await round(tensors, {}, ['1'])
    expect([...clients.keys()]).toEqual(['1'])
    expect(participants).toEqual(['0', '1'])
  })

  test('participants are those who returned something when the entry does not say', async () => {
    expect((await round(flat('client/1', [1, 2, 3]), { rounds: [{}] })).participants).toEqual(['1'])
    expect((await round(flat('global', [1, 2, 3]), { rounds: [{}] })).participants).toBeNull()
  })

  test('what is odd is told', async () => {
    const { warnings } = await round([
      ...perParameter('client/0', [1, 2, 3]),
      tensor('client/0/x', [1]),
      tensor('y', []),
    ])
    expect(warnings).toEqual([
      expect.stringContaining('"y" has no owner'),
      expect.stringContaining('lacks what 1 of 2 participants returned, first "1"'),
      expect.stringContaining('1 tensors are not in the manifest'),
    ])
  })
})

describe('a bad round is an error that says where', () => {
  const both = { rounds: [{ participants: ['0'] }] }
  test.each<[string, TensorToWrite[], object, RegExp]>([
    ['missing', [tensor('client/0/w', [1, 2], [1, 2])], {}, /client "0": parameter "b" is missing/],
    ['shape', [tensor('client/0/w', [1, 2]), tensor('client/0/b', [1])], {}, /"w" has the shape \[2\]; .* \[1, 2\]/],
    ['flat shape', flat('global', [1, 2]), {}, /global: "\*" has the shape \[2\]; \[3\]/],
    ['both forms', [...flat('client/0', [1, 2, 3]), ...perParameter('client/0', [1, 2, 3])], {}, /keep one form/],
    ['NaN', perParameter('client/1', [1, NaN, 3]), {}, /round 0 .*client "1": parameter "w" holds NaN at 1/],
    ['infinite, flat', flat('sent/1', [1, 2, -Infinity]), {}, /sent to client "1": parameter "b" holds -Infinity at 0/],
    ['bad id', flat('client/a b', [1, 2, 3]), {}, /names no client/],
    ['not a participant', flat('client/1', [1, 2, 3]), both, /not in its participants/],
    ['secure', flat('client/0', [1, 2, 3]), { recordedFor: 'secagg-server' }, /only "aggregate"/],
    ['overheard', flat('sent/1', [1, 2, 3]), { recordedFor: 'eavesdropper:0' }, /client "1"; .* client "0" alone/],
  ])('%s', async (_, tensors, change, message) => {
    await expect(round(tensors, change)).rejects.toThrow(message)
    await expect(round(tensors, change)).rejects.toThrow(OverhearError)
  })

  test('no such round, no such file, no manifest', async () => {
    const transcript = await openTranscript(store([], { rounds: [{ round: 3 }] }), { parametersOf })
    await expect(transcript.readRound(0)).rejects.toThrow(/round 0 is not in the transcript; there are 3 to 3/)
    await expect(transcript.readRound(3)).rejects.toThrow(/no file "rounds\/000003.safetensors"/)
    await expect(openTranscript(memoryStore(new Map()), { parametersOf })).rejects.toThrow(/no file "transcript.json"/)
  })
})

test('rounds.jsonl is read, a torn line dropped, and its absence means no rounds yet', async () => {
  const text = (s: string) => new TextEncoder().encode(s)
  const files = new Map([['transcript.json', text(JSON.stringify({ ...manifest, rounds: 'rounds.jsonl' }))]])
  expect((await openTranscript(memoryStore(files), { parametersOf })).rounds()).toEqual([])
  files.set('rounds.jsonl', text('{"round":0,"participants":["0"]}\n{"round":1,"part'))
  const { rounds, warnings } = await openTranscript(memoryStore(files), { parametersOf })
  expect(rounds().map((r) => r.round)).toEqual([0])
  expect(warnings).toEqual(['rounds.jsonl: line 2 was cut off: dropped'])
})
