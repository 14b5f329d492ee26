import { describe, expect, test } from 'vitest'
import { parametersOf } from '../models/index.js'
import { canonical } from './canonical.js'
import { digestOf, sha256Of } from './file-digest.js'
import { parseJson, repeatedKey } from './json.js'
import { jsonPieces } from './json-pieces.js'
import { openKnowledge } from './knowledge-file.js'
import { manifestOf } from './manifest.js'
import { matchByShape } from './match-parameters.js'
import { memoryFolder } from './memory-folder.js'
import { openTranscript } from './read-transcript.js'
import { parseRoundLines, readRoundLines } from './round-list.js'
import { encode } from './safetensors.js'
import { bytesSource, memoryStore } from './store.js'
import { openTruth } from './truth-file.js'
import { writeTruth } from './write-truth.js'

const text = (words: string): Uint8Array => new TextEncoder().encode(words)
const storeOf = (files: Readonly<Record<string, string | Uint8Array>>) => memoryStore(new Map(Object.entries(files).map(([path, one]) => [path, typeof one === 'string' ? text(one) : one]))) // biome-ignore format: a line

test('canonical JSON sorts keys at every depth and leaves lists as they are', () => {
  expect(canonical({ b: [2, 1], a: { d: 1, c: null } })).toBe('{"a":{"c":null,"d":1},"b":[2,1]}')
  expect(canonical({ c: 1, a: 2, b: 3 })).toBe('{"a":2,"b":3,"c":1}')
  expect([canonical(undefined), canonical(null), canonical([{ b: 1, a: 1 }])]).toEqual(['undefined', 'null', '[{"a":1,"b":1}]']) // biome-ignore format: a line
})

test('SHA-256 of bytes, of a source, and of one that has its own', async () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect([await sha256Of(text('abc')), await digestOf(bytesSource(text('abc')))]).toEqual([abc, abc])
  expect(await digestOf({ ...bytesSource(text('abc')), sha256: async () => 'own' })).toBe('own')
})

describe('JSON of strangers', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":1},"b":2}', undefined],
    ['{"a":["a","a"],"b":"a"}', undefined],
    ['[{"a":1},{"a":2}]', undefined],
    ['{"a":[],"\\u0061":2}', 'a'],
    ['{"a":"\\"","b":"\\\\","a":1}', 'a'],
    ['{"a":{},"b":{"c":1,"c":2}}', 'c'],
    ['{"":1,"":2}', ''],
    ['{"a":[{"b":1}],"a":2}', 'a'],
    ['"a,a"', undefined],
    ['{"a":[1,2],"b":["x","x","y"]}', undefined],
    ['{"a":"b","b":"b","c":"{\\"a\\":1,\\"a\\":1}"}', undefined],
  ])('%s: the first key that stands there twice', (json, key) => {
    expect(repeatedKey(json)).toBe(key)
    if (key === undefined) expect(parseJson(json, 'x')).toEqual(JSON.parse(json))
    else expect(() => parseJson(json, 'x')).toThrow(`x: the key ${JSON.stringify(key)} stands there twice; keep one`)
  })

  test('pieces are cut where they are long enough, and lists of numbers below a thousand are one', () => {
    const pieces = (value: unknown) => [...jsonPieces(value)]
    expect(pieces('x'.repeat(65_536 - 2))).toHaveLength(1)
    // Two halves of a piece, and what is left.
    const half = 'x'.repeat(32_766)
    expect(pieces([half, half]).map((one) => one.length)).toEqual([65_538, 1])
    expect(pieces([])).toEqual(['[]'])
    expect(pieces(['a', undefined, 1])).toEqual(['["a",null,1]'])
    const long = Array.from({ length: 70_000 }, () => 1)
    expect(pieces(long).length).toBeGreaterThan(1)
    expect(pieces(long).join('')).toBe(JSON.stringify(long))
  })
})

describe('rounds.jsonl', () => {
  test('is nothing where it is not there, and may end inside a character', async () => {
    expect(await readRoundLines(storeOf({}))).toBe('')
    expect(await readRoundLines(storeOf({ 'rounds.jsonl': '' }))).toBe('')
    const cut = text('{"round":0}\n{"file":"ü').subarray(0, -1)
    expect(await readRoundLines(storeOf({ 'rounds.jsonl': cut }))).toBe('{"round":0}\n{"file":"\ufffd')
    // Before the last line every character must be whole.
    const broken = Uint8Array.of(0xff, 10, 0x7b)
    await expect(readRoundLines(storeOf({ 'rounds.jsonl': broken }))).rejects.toThrow('the bytes are not UTF-8 text')
  })
  test('tells of unknown keys until it has told of twenty', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `{"round":${i},"x${i}":1}\n`).join('')
    const told = async (count: number) => (await parseRoundLines(lines(count))).warnings
    expect(await told(2)).toEqual([0, 1].map((i) => expect.stringContaining(`rounds.jsonl: line ${i + 1}: unknown key x${i}`))) // biome-ignore format: a line
    expect(await told(20)).toHaveLength(20)
    expect(await told(25)).toHaveLength(20)
  })
})

const manifest = { format: 'overhear-transcript/1', model: { kind: 'linear', inputs: 1, outputs: 1 }, loss: 'mse', protocol: { share: 'delta' }, clients: [{ id: 'a' }], rounds: [] as object[] } // biome-ignore format: a line

describe('what a recording says of its training', () => {
  const protocol = async (told: object, tool?: string) => {
    const json = { ...manifest, protocol: { share: 'delta', ...told }, ...(tool !== undefined && { source: { tool } }) }
    const { value, warnings } = await manifestOf(json, parametersOf)
    return { value: { protocol: value.protocol as unknown as Record<string, unknown> }, warnings }
  }
  test('other people who are silent leave it open, ours mean the default', async () => {
    const open = (await protocol({})).value.protocol
    for (const key of ['optimizer', 'weightDecay', 'clipNorm', 'dropLast', 'schedule', 'compression']) expect(open).not.toHaveProperty(key) // biome-ignore format: a line
    const ours = (await protocol({}, 'overhear')).value.protocol
    expect(ours).toMatchObject({ optimizer: { name: 'sgd' }, weightDecay: 0, clipNorm: null, dropLast: false, schedule: null, compression: null }) // biome-ignore format: a line
    expect((await protocol({}, 'other')).value.protocol).not.toHaveProperty('optimizer')
  })
  test('unknown is unknown, also of ours; an optimizer of null is, and a schedule of null is none', async () => {
    const told = { optimizer: 'unknown', weightDecay: 'unknown', schedule: null, clipNorm: 2 }
    const read = (await protocol(told, 'overhear')).value.protocol
    expect([read.schedule, read.clipNorm]).toEqual([null, 2])
    for (const key of ['optimizer', 'weightDecay']) expect(read).not.toHaveProperty(key)
    const silent = (await protocol({ optimizer: null, clipNorm: null })).value.protocol
    expect([silent.clipNorm, 'optimizer' in silent]).toEqual([null, false])
  })
  test('of epochs and steps the steps count, with a word on it', async () => {
    const both = await protocol({ localSteps: 3, localEpochs: 2 })
    expect([both.value.protocol.localEpochs, both.value.protocol.localSteps]).toEqual([null, 3])
    expect(both.warnings).toEqual([expect.stringMatching(/: protocol holds both localSteps and localEpochs: localSteps counts$/)]) // biome-ignore format: a line
    for (const one of [{ localSteps: 3 }, { localEpochs: 2 }, { localSteps: 3, localEpochs: null }]) expect((await protocol(one)).warnings).toEqual([]) // biome-ignore format: a line
    expect((await protocol({})).value.protocol.localEpochs).toBe(1)
    expect((await protocol({ localEpochs: null })).value.protocol.localEpochs).toBeNull()
  })
})

describe('a model that is given to an opaque recording', () => {
  const open = (json: object, model: unknown) => openTranscript(storeOf({ 'transcript.json': JSON.stringify(json) }), { parametersOf, model }) // biome-ignore format: a line
  const opaque = { ...manifest, model: { kind: 'opaque' }, parameters: [{ name: 'w', shape: [1, 1] }, { name: 'b', shape: [1] }] } // biome-ignore format: a line
  const linear = { kind: 'linear', inputs: 1, outputs: 1 }
  test('describes it, with a loss of its own where it has one', async () => {
    expect((await open(opaque, linear)).manifest).toMatchObject({ model: linear, loss: 'mse' })
    const { model: _, ...silent } = opaque
    expect((await open(silent, { ...linear, loss: 'cross-entropy' })).manifest).toMatchObject({ model: linear, loss: 'cross-entropy' }) // biome-ignore format: a line
    expect((await open(opaque, linear)).manifest.model).not.toHaveProperty('loss')
  })
  test('is an object, and none is given where there is one', async () => {
    for (const model of [null, 5, [linear]]) await expect(open(opaque, model)).rejects.toThrow(`the model is described by ${JSON.stringify(model)}; an object such as`) // biome-ignore format: a line
    await expect(open(manifest, linear)).rejects.toThrow('a model was given; the recording says by itself that it is "linear"') // biome-ignore format: a line
  })
})

describe('digests of rounds', () => {
  const bytes = encode([{ name: 'global/*', shape: [2], data: Float64Array.of(1, 2) }])
  const recorded = async (sha256: string | undefined) => {
    const files = new Map([['transcript.json', text(JSON.stringify({ ...manifest, rounds: [{ ...(sha256 && { sha256 }) }] }))], ['rounds/000000.safetensors', bytes]]) // biome-ignore format: a line
    const digests: string[] = []
    const store = memoryStore(files)
    const counting = { ...store, open: async (path: string) => ({ ...(await store.open(path)), sha256: async () => { digests.push(path); return sha256Of(files.get(path)!) } }) } // biome-ignore format: a line
    return { transcript: await openTranscript(counting, { parametersOf }), digests }
  }
  test('are compared once, and not where there is none', async () => {
    const { transcript, digests } = await recorded((await sha256Of(bytes)).toUpperCase())
    expect([...(await transcript.readRound(0)).global!]).toEqual([1, 2])
    await transcript.readRound(0)
    expect(digests).toHaveLength(1)
    const silent = await recorded(undefined)
    await silent.transcript.readRound(0)
    expect(silent.digests).toHaveLength(0)
  })
  test('that differ are told each time', async () => {
    const { transcript } = await recorded('0'.repeat(64))
    for (let k = 0; k < 2; k++) await expect(transcript.readRound(0)).rejects.toThrow(/round 0 \(rounds\/000000.safetensors\) was changed after it was recorded: its sha256 is [0-9a-f]{64}; 0{64} is what the list/) // biome-ignore format: a line
  })
  test('of no rounds there is none to read', async () => {
    const transcript = await openTranscript(storeOf({ 'transcript.json': JSON.stringify(manifest) }), { parametersOf })
    await expect(transcript.readRound(0)).rejects.toThrow('round 0 is not in the transcript; there are none')
  })
})

describe('tensors by their shapes', () => {
  const match = (...names: string[]) => matchByShape(names.map((_, i) => ({ name: `p${i}`, shape: [2] })), new Map(names.map((name) => [name, { shape: [2] }])) as never, 'here') // biome-ignore format: a line
  test('those of one shape by the one number in which their names differ', () => {
    expect(match('fc10.w', 'fc9.w')).toEqual(['fc9.w', 'fc10.w'])
    expect(match('3', '1', '2')).toEqual(['1', '2', '3'])
    expect(match('a1b2', 'a1b1')).toEqual(['a1b1', 'a1b2'])
    for (const names of [['a1', 'b1'], ['a1b1', 'a2b2'], ['a1', 'a2b'], ['a1', 'a2b3']]) expect(() => match(...names)).toThrow('here has the tensors') // biome-ignore format: a list
  })
  test('twelve are named in an error, and long names are cut', () => {
    const many = (count: number) => matchByShape([{ name: 'w', shape: [3] }], new Map(Array.from({ length: count }, (_, i) => [`t${i}`, { shape: [1] }])) as never, 'x') // biome-ignore format: a line
    expect(() => many(12)).toThrow(/"t11" \[1\]: /)
    expect(() => many(13)).toThrow(/"t11" \[1\], \.\.\.: /)
    const long = () => matchByShape([{ name: 'w', shape: [3] }], new Map([['n'.repeat(90), { shape: [1] }]]) as never, 'x') // biome-ignore format: a line
    expect(long).toThrow(`"${'n'.repeat(80)}" [1]`)
  })
})

describe('truth', () => {
  const least = '{"format":"overhear-truth/1"'
  test('an optimum that is not finite is told by its place, also the first', async () => {
    for (const [theta, at] of [
      [[Number.NaN, 1], 0],
      [[1, Number.POSITIVE_INFINITY], 1],
    ] as const) {
      // biome-ignore format: a list
      const file = encode([{ name: 'theta', shape: [2], data: Float64Array.from(theta) }])
      const truth = await openTruth(storeOf({ 'truth.json': `${least},"optimum":{"a":"t"}}`, t: file }))
      await expect(truth.optimum('a')).rejects.toThrow(`t: theta holds ${theta[at]} at ${at}`)
      const writing = writeTruth(memoryFolder(new Map()), { optimum: new Map([['a', Float64Array.from(theta)]]) })
      await expect(writing).rejects.toThrow(`the optimum of client "a" holds ${theta[at]} at ${at}`)
    }
    const flat = encode([{ name: 'theta', shape: [1, 1], data: Float64Array.of(1) }])
    const truth = await openTruth(storeOf({ 'truth.json': `${least},"optimum":{"a":"t"}}`, t: flat }))
    await expect(truth.optimum('a')).rejects.toThrow('t holds no tensor "theta" of one dimension')
    expect(await truth.optimum('b')).toBeUndefined()
  })
  test('a batch beyond the records is told where its client is read, and nowhere else', async () => {
    const truth = await openTruth(storeOf({ 'truth.json': `${least},"clients":{"a":{"file":"a.csv","label":"y"},"b":{"file":"a.csv","label":"y","id":"x"}},"batches":[{"round":3,"client":"a","rows":[0,2]}]}`, 'a.csv': 'x,y\n1,2\n3,4\n' })) // biome-ignore format: a line
    await expect(truth.client('a')).rejects.toThrow('truth.json: the batch of round 3, client "a" holds row 2; its file has 2 rows, counted from 0') // biome-ignore format: a line
    expect((await truth.client('b'))!.ids).toEqual(['1', '3'])
    expect([await truth.ids('a'), await truth.ids('b'), await truth.heldBackIds('b'), await truth.ids('c')]).toEqual([undefined, ['1', '3'], undefined, undefined]) // biome-ignore format: a line
    expect([truth.batch({ round: 3, client: 'a' }), truth.batch({ round: 3, client: 'b' })]).toEqual([[0, 2], undefined]) // biome-ignore format: a line
  })
  test('no key may be the prototype', async () => {
    await expect(openTruth(storeOf({ 'truth.json': `${least},"properties":{"__proto__":["a"]}}` }))).rejects.toThrow('properties holds the key "__proto__"') // biome-ignore format: a line
    expect((await openTruth(storeOf({ 'truth.json': `${least},"extra":null}` }))).warnings).toHaveLength(1)
  })
})

test('a sensitive column that is filled is told by its record, also in the first column and the last record', async () => {
  const knowledge = (csv: string) => openKnowledge(storeOf({ 'knowledge.json': '{"format":"overhear-knowledge/1","records":{"file":"r.csv"},"sensitive":[{"name":"s","columns":["s"],"kind":"binary","values":[[0],[1]]}]}', 'r.csv': csv })) // biome-ignore format: a line
  const read = async (csv: string) => (await knowledge(csv)).records()
  expect((await read('s,x\n,1\n,2\n'))!.features.rows).toBe(2)
  await expect(read('s,x\n,1\n0,2\n')).rejects.toThrow('the sensitive column "s" holds 0 in record 2 of records; sensitive columns are present there, and empty') // biome-ignore format: a line
  await expect(read('x,s\n1,1\n2,\n')).rejects.toThrow('holds 1 in record 1')
  await expect(read('x\n1\n')).rejects.toThrow('the sensitive column "s" is not in records')
})
