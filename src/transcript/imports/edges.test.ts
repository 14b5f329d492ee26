import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { parametersOf } from '../../models/index.js'
import { memoryStore } from '../store.js'
import { proposeMap } from './import-recording.js'
import { mapSchema, namedFile } from './recording-map.js'
import { torchArrays } from './torch-file.js'
import { unpickle } from './unpickle.js'
import { zipEntries } from './zip-archive.js'

const inflate = (bytes: Uint8Array): Uint8Array => bytes
const little = (value: number, length: number): number[] => Array.from({ length }, (_, i) => Math.floor(value / 256 ** i) % 256) // biome-ignore format: a line
const zeros = (length: number): number[] => new Array<number>(length).fill(0)
const letters = (text: string): number[] => [...text].map((one) => one.charCodeAt(0))

const local = (name: readonly number[] = []): number[] => [...little(0x04034b50, 4), ...zeros(22), ...little(name.length, 2), 0, 0, ...name] // biome-ignore format: a line
interface Said {
  readonly size?: number
  readonly packed?: number
  readonly offset?: number
  readonly name?: readonly number[]
  readonly extra?: readonly number[]
  readonly extraLength?: number
}
const central = ({ size = 0, packed = 0, offset = 0, name = [], extra = [], extraLength = extra.length }: Said = {}): number[] => // biome-ignore format: a line
  [...little(0x02014b50, 4), ...zeros(16), ...little(packed, 4), ...little(size, 4), ...little(name.length, 2), ...little(extraLength, 2), ...zeros(10), ...little(offset, 4), ...name, ...extra] // biome-ignore format: a line
const end = (count: number, begin: number, comment: readonly number[] = []): number[] => [...little(0x06054b50, 4), ...zeros(6), ...little(count, 2), ...zeros(4), ...little(begin, 4), ...little(comment.length, 2), ...comment] // biome-ignore format: a line
const open = (...parts: readonly (readonly number[])[]) => zipEntries(Uint8Array.from(parts.flat()), inflate, 'here')
const contentOf = (...parts: readonly (readonly number[])[]): number[] => [...open(...parts)[0]!.read()]

describe('a zip archive whose parts end where the file does', () => {
  // What stands last lies in the comment of the archive, so that nothing comes after it.
  test('a directory in the last bytes', () => {
    expect(open(end(1, 22, central()))).toHaveLength(1)
    const named = central({ name: letters('abc'), extra: [9, 0, 0, 0] })
    expect(open(end(1, 22, named))[0]!.name).toBe('abc')
    expect(() => open(end(1, 22, central({ extra: [9, 0, 0], extraLength: 4 })))).toThrow('entry 0 of the directory ends beyond the file') // biome-ignore format: a line
    for (const cut of [1, 43]) {
      const error = "entry 0 of the archive's directory is damaged"
      expect(() => open(end(1, 22, central().slice(0, 46 - cut)))).toThrow(error)
    }
  })

  test('an entry in the last bytes', () => {
    const directory = central({ offset: 68 })
    expect(contentOf(end(1, 22, [...directory, ...local()]))).toEqual([])
    for (const cut of [1, 27]) {
      const damaged = open(end(1, 22, [...directory, ...local().slice(0, 30 - cut)]))
      expect(() => damaged[0]!.read()).toThrow('here: "": the entry is damaged')
    }
    const full = central({ offset: 68, size: 2, packed: 2 })
    expect(contentOf(end(1, 22, [...full, ...local(), 7, 8]))).toEqual([7, 8])
    expect(() => contentOf(end(1, 22, [...full, ...local(), 7]))).toThrow('the entry ends beyond the file')
  })

  test('the end of a large archive, from its first byte to its last', () => {
    const locator = (place: number): number[] => [...little(0x07064b50, 4), ...zeros(4), ...little(place, 8), ...zeros(4)] // biome-ignore format: a line
    // It says that there are no entries, the plain end that there are five.
    const wide = [...little(0x06064b50, 4), ...zeros(52)]
    expect(open(locator(42), end(5, 0, wide))).toEqual([])
    for (const place of [43, 96]) expect(() => open(locator(place), end(5, 0, wide))).toThrow("entry 0 of the archive's directory is damaged") // biome-ignore format: a line
  })
})

test('sizes in an extra field that is too short for them are not known', () => {
  const sized = (extra: readonly number[]) => open(end(1, 22, central({ size: 0xffffffff, extra })))[0]!.size
  expect(sized([1, 0, 8, 0, ...little(3, 8)])).toBe(3)
  expect(sized([1, 0, 7, 0, ...little(3, 8)])).toBeNaN()
  expect(sized([1, 0, 0, 0])).toBeNaN()
  expect(sized([5, 0, 1, 0, 9, 1, 0, 8, 0, ...little(3, 8)])).toBe(3)
})

describe('pickles and what they describe', () => {
  test('a long name for what is kept is four bytes, and no more', () => {
    expect(unpickle(Uint8Array.of(75, 7, 114, 1, 0, 0, 0, 133, 46), 0, 'here')).toEqual({ value: [7], end: 9 })
  })

  const word = (text: string): number[] => [140, text.length, ...letters(text)]
  const global = (name: string): number[] => {
    const dot = name.lastIndexOf('.')
    return [99, ...letters(`${name.slice(0, dot)}\n${name.slice(dot + 1)}\n`)]
  }
  const storage = (count: number): number[] => [40, ...word('storage'), ...global('torch.FloatStorage'), ...word('0'), 78, 75, count, 116, 81] // biome-ignore format: a line
  const tensor = (count: number, offset: number, size: number): number[] => [...global('torch._utils._rebuild_tensor_v2'), 40, ...storage(count), 75, offset, 75, size, 133, 75, 1, 133, 116, 82] // biome-ignore format: a line

  /** A file of torch.save in the zip format, with one storage of so many bytes. */
  const saved = (pickle: readonly number[], bytes: number) => {
    const files = [[letters('m/data.pkl'), [...pickle, 46]], [letters('m/data/0'), zeros(bytes)]] as const // biome-ignore format: a list
    const body: number[] = []
    const directory = files.flatMap(([name, content]) => {
      const offset = body.length
      body.push(...local(name), ...content)
      return central({ size: content.length, packed: content.length, offset, name })
    })
    return Uint8Array.from([...body, ...directory, ...end(2, body.length)])
  }
  const read = (pickle: readonly number[], bytes: number) => torchArrays(saved(pickle, bytes), inflate, 'here').arrays

  test('a tensor of nothing may lie anywhere, one of a single number not beyond its storage', () => {
    expect(read(tensor(2, 10, 0), 8).get('0')).toEqual({ shape: [0], values: new Float64Array(0), bits: 32 })
    expect([...read(tensor(2, 1, 1), 8).get('0')!.values]).toEqual([0])
    expect(() => read(tensor(2, 2, 1), 8)).toThrow('its last number lies at 2; the storage has 2')
  })

  test('a list that holds itself ends, also in the format before the zip one', () => {
    const magic = [138, 10, ...[0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19]]
    const numbers = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64]
    const keys = [93, 40, ...word('0'), 101, 46]
    const round = [93, 148, 40, ...tensor(2, 0, 2), 104, 0, 101]
    const legacy = Uint8Array.from([...magic, 46, 75, 1, 46, 78, 46, ...round, 46, ...keys, ...numbers])
    expect([...torchArrays(legacy, inflate, 'here').arrays.get('0')!.values]).toEqual([1, 2])
  })
})

describe('maps', () => {
  test('the round is the number behind its word, wherever other numbers stand', () => {
    expect(namedFile('run5/round-3/client-a.npz')).toMatchObject({ round: 3, client: 'a' })
    expect(namedFile('run5/7.npz')).toMatchObject({ round: 5, client: null })
  })

  test('names may be one letter long, and a size may be nothing', () => {
    const map = {
      format: 'overhear-import/1',
      model: { kind: 'm' },
      loss: 'mse',
      protocol: { share: 'delta' },
      parameters: [{ name: 'w', shape: [0, 2] }],
      clients: [{ id: 'a', samples: 0 }],
      rounds: [{ round: 0, global: 'g', clients: { a: 'f' } }],
    }
    expect(mapSchema.parse(map)).toEqual(map)
    for (const change of [
      { model: { kind: '' } },
      { parameters: [] },
      { parameters: [{ name: '', shape: [] }] },
      { parameters: [{ name: 'w', shape: [-1] }] },
      { rounds: [] },
      { clients: [{ id: 'a', samples: -1 }] },
      { rounds: [{ round: -1, global: null, clients: {} }] },
      { rounds: [{ round: 0, global: '', clients: {} }] },
    ]) {
      // biome-ignore format: a list
      expect(mapSchema.safeParse({ ...map, ...change }).success, JSON.stringify(change)).toBe(false)
    }
  })

  test('without a global model the first file of a client says what there is', async () => {
    const npy = Uint8Array.from([0x93, ...letters('NUMPY'), 1, 0, ...little(55, 2), ...letters("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"), ...zeros(8)]) // biome-ignore format: as it lies
    const source = memoryStore(new Map([['r1-client-a.npy', npy]]))
    const { map } = await proposeMap(['r1-client-a.npy'], { kind: 'npz', source, inflate, parametersOf })
    expect(map).toMatchObject({ clients: [{ id: 'a', samples: null }], parameters: [{ name: '0', shape: [1] }] })
    expect(map.rounds).toEqual([{ round: 0, global: null, clients: { a: 'r1-client-a.npy' } }])
  })
})

test('errors of these readers are ours', () => {
  expect(() => open(zeros(30))).toThrow(OverhearError)
})
