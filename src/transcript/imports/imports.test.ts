import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { parametersOf } from '../../models/index.js'
import { rng } from '../../numeric/random/rng.js'
import { memoryFolder } from '../memory-folder.js'
import { openTranscript } from '../read-transcript.js'
import { memoryStore } from '../store.js'
import type { NamedArray } from './arrays.js'
import { type ImportKind, importRecording, proposeMap } from './import-recording.js'
import { npyArray, npzArrays } from './npy.js'
import { recogniseModel } from './recognise-model.js'
import { namedFile, proposeRounds } from './recording-map.js'
import { torchArrays } from './torch-file.js'
import { unpickle } from './unpickle.js'

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(fileURLToPath(new URL(`../../../test/fixtures/imports/${name}`, import.meta.url))))
const inflate = (bytes: Uint8Array, most: number) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) })
const numbers = (arrays: ReadonlyMap<string, NamedArray>) =>
  Object.fromEntries([...arrays].map(([name, { shape, values }]) => [name, [shape, [...values]]]))

describe('numpy', () => {
  test('an archive by np.savez: positions become names, integers are told', () => {
    const { arrays, warnings } = npzArrays(fixture('two.npz'), inflate, 'two')
    expect(numbers(arrays)).toEqual({
      arr_0: [
        [2, 3],
        [0, 1, 2, 3, 4, 5],
      ],
      arr_1: [[1], [1.5]],
    })
    expect([...arrays.values()].map(({ bits }) => bits)).toEqual([64, 32])
    expect(warnings).toEqual(['two: "arr_2.npy" holds "<i8" and no floats: skipped'])
  })

  test('packed, columns first, greatest byte first', () => {
    const { arrays } = npzArrays(fixture('packed.npz'), inflate, 'packed')
    expect(numbers(arrays)).toEqual({ a: [[2, 3, 4], Array.from({ length: 24 }, (_, i) => i)], b: [[2], [1, 2]] })
  })

  const npy = (header: string, data: Uint8Array = new Uint8Array(0), version = 1): Uint8Array => {
    const text = new TextEncoder().encode(header)
    return Uint8Array.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, text.length & 255, text.length >> 8, ...(version > 1 ? [0, 0] : []), ...text, ...data]) // biome-ignore format: the header as it lies
  }
  const header = (descr: string, shape: string) =>
    `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`

  test('halves, a single number, the second version of the header', () => {
    const halves = new Uint8Array([0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c, 0, 0x7e])
    const read = npyArray(npy(header('<f2', '(5,)'), halves, 2), 'h') as NamedArray
    expect([...read.values]).toEqual([1, -2, 2 ** -24, Number.POSITIVE_INFINITY, Number.NaN])
    const one = new Uint8Array(new Float64Array([2.5]).buffer)
    expect(npyArray(npy(header('<f8', '()'), one), 's')).toEqual({ shape: [], values: Float64Array.of(2.5), bits: 64 })
  })

  test.each([
    [new Uint8Array(5), 'not a .npy file'],
    [npy(header('<f8', '(3,)')), '0 bytes of numbers; the shape needs 24'],
    [npy(header('|O', '(3,)')), 'objects are never unpickled'],
    [npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}"), 'and no structures'],
    [npy(header('<f8', '(99999, 99999)')), 'more than 134217728 numbers'],
    [npy(header('<f8', '(1,)'), new Uint8Array(8), 9), 'version 9 of .npy'],
  ])('what is wrong is told (%#)', (bytes, message) => {
    expect(() => npyArray(bytes, 'x')).toThrow(message)
  })

  test('an archive that promises less than it holds is not unpacked beyond that', () => {
    const bomb = deflateRawSync(new Uint8Array(1 << 20))
    expect(() => inflate(bomb, 100)).toThrow()
    const cut = fixture('packed.npz').subarray(0, 300)
    expect(() => npzArrays(cut, inflate, 'cut')).toThrow('the archive has no directory')
  })
})

describe('PyTorch', () => {
  const state = {
    '0.weight': [
      [2, 3],
      [0, 0.5, 1, 0.25, 0.75, 1.25],
    ],
    '0.bias': [[2], [0.5, -1.5]],
    h: [[2], [1.5, -2.25]],
    b: [[2], [3, -0.15625]],
    d: [[1, 1], [1e-300]],
  }
  test.each(['state.pt', 'legacy.pt'])('%s: strides, halves, doubles; counters are told', (name) => {
    const { arrays, warnings } = torchArrays(fixture(name), inflate, name)
    expect(numbers(arrays)).toEqual(state)
    expect(warnings).toEqual([`${name}: "bn.num_batches_tracked" of LongStorage holds no floats: skipped`])
  })

  test.each(['checkpoint.pt', 'checkpoint-legacy.pt'])('%s: the state dict is found inside', (name) => {
    const { arrays } = torchArrays(fixture(name), inflate, name)
    expect([...arrays.keys()]).toEqual(['0.weight', '0.bias', '2.weight', '2.bias'])
    expect(arrays.get('2.bias')!.values[0]).toBeCloseTo(-0.18720312416553497, 15)
  })

  test.each(['evil.pt', 'evil.pkl.pt'])('%s: whatever a pickle asks for is refused by name and never run', (name) => {
    expect(() => torchArrays(fixture(name), inflate, name)).toThrow('the pickle asks for "posix.system"')
  })

  test.each([
    [[0x80, 2, 0x2e], 'its stack is empty'],
    [[0x80, 2, 0x58, 200, 0, 0, 0, 0x2e], 'cut short'],
    [[0x80, 4, 0x8c, 2, 0x6f, 0x73, 0x8c, 1, 0x78, 0x93, 0x2e], 'asks for "os.x"'],
    [[0x80, 2, 0x4b, 1, 0x4b, 2, 0x52, 0x2e], 'calls what is no function'],
    [[0x80, 2, 0x4b, 1, 0x51, 0x2e], 'refers to what is no storage'],
    [[0x80, 2, 0x68, 9, 0x2e], 'nothing was kept as 9'],
    [[0x80, 2, 0x4b, 1, 0x75, 0x2e], 'a mark is missing'],
    [[0x80, 2, 0xff], 'operation 255 at byte 2'],
  ])('pickle %j', (bytes, message) => {
    expect(() => unpickle(Uint8Array.from(bytes), 0, 'p')).toThrow(message)
  })

  test('numbers, lists and dictionaries', () => {
    const bytes = [
      0x80, 2, 0x7d, 0x28, 0x4b, 1, 0x5d, 0x28, 0x88, 0x4e, 0x65, 0x55, 1, 0x61, 0x8a, 2, 0xff, 0xff, 0x75, 0x2e,
    ]
    expect(unpickle(Uint8Array.from(bytes), 0, 'p')).toEqual({
      value: new Map<unknown, unknown>([
        [1, [true, null]],
        ['a', -1],
      ]),
      end: bytes.length,
    })
  })
})

test('mutated files end in errors that say so, whatever is changed', () => {
  const files = [
    'two.npz',
    'packed.npz',
    'state.pt',
    'legacy.pt',
    'checkpoint.pt',
    'checkpoint-legacy.pt',
    'evil.pt',
  ].map(fixture)
  const stream = rng(5).fork('mutated')
  let [read, refused] = [0, 0]
  for (let i = 0; i < 10_000; i++) {
    const which = stream.integer(files.length)
    const bytes = files[which]!.slice()
    for (let k = stream.integer(4); k >= 0; k--) bytes[stream.integer(bytes.length)] = stream.integer(256)
    const part = stream.integer(8) === 0 ? bytes.subarray(0, stream.integer(bytes.length)) : bytes
    try {
      const { arrays } = which < 2 ? npzArrays(part, inflate, 'm') : torchArrays(part, inflate, 'm')
      read += arrays.size > 0 ? 1 : 0
    } catch (error) {
      if (!(error instanceof OverhearError) || error.code === 'E_INTERNAL') throw error
      refused++
    }
  }
  expect(read).toBeGreaterThan(500)
  expect(refused).toBeGreaterThan(500)
}, 60_000)

describe('which file is what', () => {
  test.each([
    ['round-3-weights.npz', 3, null],
    ['round_007/client_a.npz', 7, 'a'],
    ['clients/hospital-b/r12.npz', 12, 'b'],
    ['12/global.pt', 12, null],
    ['client4/round9.pt', 9, '4'],
    ['weights.npz', undefined, null],
  ])('%s', (path, round, client) => {
    expect(namedFile(path)).toEqual({ path, round, client })
  })

  test('rounds are counted from 0 in their order', () => {
    expect(proposeRounds(['round-10-weights.npz', 'round-2-weights.npz'], 's')).toEqual([
      { round: 0, global: 'round-2-weights.npz', clients: {} },
      { round: 1, global: 'round-10-weights.npz', clients: {} },
    ])
    expect(() => proposeRounds(['round-1/a.npz', 'round-1/b.npz'], 's')).toThrow(
      'two files of round 1 for the global model',
    )
    expect(() => proposeRounds(['weights.npz'], 's')).toThrow('no number of a round in the name "weights.npz"')
  })

  const shapesOf = (model: { kind: string }) => parametersOf(model).map(({ shape }) => shape)
  const named = (...shapes: number[][]) => shapes.map((shape, i) => ({ name: `p${i}`, shape }))
  test.each([
    [named([1, 8], [1]), { kind: 'linear', inputs: 8, outputs: 1 }],
    [named([3, 8]), { kind: 'softmax', inputs: 8, outputs: 3, bias: false }],
    [
      named([16, 8], [16], [4, 16], [4], [1, 4], [1]),
      { kind: 'mlp', inputs: 8, hidden: [16, 4], outputs: 1, activation: 'relu' },
    ],
    [named([16, 8], [16], [1, 15], [1]), { kind: 'opaque' }],
    [named([16, 8], [15]), { kind: 'opaque' }],
    [named([5]), { kind: 'opaque' }],
    [parametersOf({ kind: 'lenet-mnist' }), { kind: 'lenet-mnist', outputs: 10 }],
    [parametersOf({ kind: 'lenet-cifar', outputs: 10 }), { kind: 'lenet-cifar', outputs: 10 }],
    [[{ name: 'q.lora_A.weight', shape: [2, 8] }], { kind: 'opaque' }],
  ])('a model from its shapes (%#)', (parameters, model) => {
    expect(recogniseModel(parameters, shapesOf).model).toEqual(model)
  })
})

describe('a whole import', () => {
  const kinds: [ImportKind, string][] = [
    ['torch', 'checkpoint.pt'],
    ['torch', 'checkpoint-legacy.pt'],
  ]
  test.each(kinds)('%s: %s as the global model and as what clients return', async (kind, name) => {
    const paths = ['r1/global.pt', 'r1/client-a.pt', 'r2/global.pt', 'r2/client-a.pt', 'r2/client-b.pt']
    const ports = {
      kind,
      source: memoryStore(new Map(paths.map((path) => [path, fixture(name)]))),
      inflate,
      parametersOf,
    }
    const { map, asks } = await proposeMap([...paths, 'notes.txt'], ports)
    expect(map.model).toEqual({ kind: 'mlp', inputs: 3, hidden: [4], outputs: 1, activation: 'relu' })
    expect(asks[0]).toContain('relu is taken')
    const files = new Map()
    const target = memoryFolder(files, 'out')
    const given = JSON.parse(
      JSON.stringify({ ...map, protocol: { share: 'parameters', learningRate: 0.1, localEpochs: 2 } }),
    )
    expect(await importRecording(given, { ...ports, target, where: 'map' })).toEqual({ rounds: 2, warnings: [] })
    const transcript = await openTranscript(memoryFolder(files, 'out'), { parametersOf })
    expect(transcript.rounds().map(({ participants }) => participants)).toEqual([['a'], ['a', 'b']])
    expect(transcript.manifest.protocol).toMatchObject({ learningRate: 0.1, localEpochs: 2 })
    const { arrays } = torchArrays(fixture(name), inflate, name)
    const whole = [...arrays.values()].flatMap(({ values }) => [...values])
    const round = await transcript.readRound(1)
    expect([...round.global!]).toEqual(whole)
    expect(round.clients.get('b')).toEqual({ kind: 'parameters', theta: Float64Array.from(whole) })
  })

  test('a map that does not fit is told where', async () => {
    const ports = {
      kind: 'npz',
      source: memoryStore(new Map([['round-1.npz', fixture('two.npz')]])),
      inflate,
      parametersOf,
    } as const
    const { map } = await proposeMap(['round-1.npz'], ports)
    expect(map.model).toEqual({ kind: 'opaque' })
    const write = (change: object) =>
      importRecording({ ...map, ...change }, { ...ports, target: memoryFolder(new Map(), 'o'), where: 'map' })
    await expect(write({ loss: 'hinge' })).rejects.toThrow('map: loss is "hinge"')
    await expect(write({ parameters: [{ name: 'arr_0', shape: [3, 2] }] })).rejects.toThrow(
      '"arr_0" has the shape [2,3]',
    )
    await expect(write({ rounds: [{ round: 0, global: null, clients: {} }] })).rejects.toThrow(
      'rounds[0] names no file',
    )
    const files = new Map()
    await importRecording(map, { ...ports, target: memoryFolder(files, 'o'), where: 'map' })
    // Global models alone do not say who took part.
    expect((await openTranscript(memoryFolder(files, 'o'), { parametersOf })).rounds()[0]!.participants).toBeNull()
    expect(await write({})).toEqual({
      rounds: 1,
      warnings: ['round-1.npz: "arr_2.npy" holds "<i8" and no floats: skipped'],
    })
    await expect(proposeMap(['a.txt'], ports)).rejects.toThrow('.npz or .npy files are needed')
  })
})
