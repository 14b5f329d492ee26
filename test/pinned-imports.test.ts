import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { OverhearError } from '../src/errors.js'
import { parametersOf } from '../src/models/index.js'
import { numberAt, quoted, sizeOf } from '../src/transcript/imports/arrays.js'
import { type ImportKind, importRecording, proposeMap } from '../src/transcript/imports/import-recording.js'
import { npyArray, npzArrays } from '../src/transcript/imports/npy.js'
import { recogniseModel } from '../src/transcript/imports/recognise-model.js'
import { namedFile, proposeRounds } from '../src/transcript/imports/recording-map.js'
import { torchArrays } from '../src/transcript/imports/torch-file.js'
import { unpickle } from '../src/transcript/imports/unpickle.js'
import { isZip, zipEntries } from '../src/transcript/imports/zip-archive.js'
import { memoryFolder } from '../src/transcript/memory-folder.js'
import { memoryStore } from '../src/transcript/store.js'
import { pinResults } from './pinned-results.js'

const inflate = (bytes: Uint8Array, most: number) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) })
const letters = (text: string): number[] => [...new TextEncoder().encode(text)]
const bytesOf = (value: number | bigint, length: number): number[] => Array.from({ length }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 255n)) // biome-ignore format: a line
const dashed = (text: string): string => text.replaceAll(' ', '-')

/** What a reader gives, or the words of its refusal. */
const told = (run: () => unknown) => () => {
  try {
    return run()
  } catch (error) {
    if (error instanceof OverhearError) return dashed(error.message)
    throw error
  }
}

interface Entry {
  readonly name: string
  readonly content: readonly number[]
  readonly method?: number
  readonly flags?: number
  readonly size?: number
  readonly packed?: number
  readonly offset?: number
  readonly extra?: readonly number[]
  readonly localExtra?: readonly number[]
  readonly comment?: string
}
interface Archive {
  readonly comment?: string
  readonly count?: number
  readonly begin?: number
  /** Ends like an archive of more than 4 GiB. */
  readonly wide?: boolean | 'misplaced' | 'damaged'
  readonly signature?: number
  readonly before?: readonly number[]
}

/** A zip archive, right or wrong as it is asked for. */
function zip(entries: readonly Entry[], archive: Archive = {}): Uint8Array {
  const bytes: number[] = [...(archive.before ?? [])]
  const central: number[] = []
  for (const { name, content, method = 0, flags = 0, extra = [], localExtra = [], comment = '', ...said } of entries) {
    const data = method === 8 ? [...deflateRawSync(Uint8Array.from(content))] : content
    const { size = content.length, packed = data.length, offset = bytes.length } = said
    bytes.push(...bytesOf(0x04034b50, 4), ...bytesOf(0, 22), ...bytesOf(letters(name).length, 2), ...bytesOf(localExtra.length, 2), ...letters(name), ...localExtra, ...data) // biome-ignore format: as it lies
    central.push(...bytesOf(archive.signature ?? 0x02014b50, 4), 0, 0, 0, 0, ...bytesOf(flags, 2), ...bytesOf(method, 2), ...bytesOf(0, 8), ...bytesOf(packed, 4), ...bytesOf(size, 4), ...bytesOf(letters(name).length, 2), ...bytesOf(extra.length, 2), ...bytesOf(comment.length, 2), ...bytesOf(0, 8), ...bytesOf(offset, 4), ...letters(name), ...extra, ...letters(comment)) // biome-ignore format: as it lies
  }
  const { comment = '', count = entries.length, begin = bytes.length, wide = false } = archive
  bytes.push(...central)
  if (wide) {
    const place = bytes.length
    bytes.push(...bytesOf(wide === 'damaged' ? 1 : 0x06064b50, 4), ...bytesOf(0, 28), ...bytesOf(count, 8), ...bytesOf(0, 8), ...bytesOf(begin, 8)) // biome-ignore format: as it lies
    bytes.push(...bytesOf(0x07064b50, 4), ...bytesOf(0, 4), ...bytesOf(wide === 'misplaced' ? 1e6 : place, 8), ...bytesOf(1, 4)) // biome-ignore format: as it lies
  }
  bytes.push(...bytesOf(0x06054b50, 4), ...bytesOf(0, 6), ...bytesOf(wide === true ? 0xffff : count, 2), ...bytesOf(central.length, 4), ...bytesOf(wide === true ? 0xffffffff : begin, 4), ...bytesOf(comment.length, 2), ...letters(comment)) // biome-ignore format: as it lies
  return Uint8Array.from(bytes)
}
const read = (bytes: Uint8Array) => told(() => zipEntries(bytes, inflate, 'here').map((entry) => [entry.name, entry.size, told(() => entry.read())()])) // biome-ignore format: a line
const one: Entry = { name: 'a', content: [1, 2, 3] }
const two: Entry = { name: 'b/ü', content: Array.from({ length: 300 }, (_, i) => i % 5), method: 8, comment: 'why' }
const extra = (id: number, ...values: number[]) => [...bytesOf(id, 2), ...bytesOf(8 * values.length, 2), ...values.flatMap((v) => bytesOf(v, 8))] // biome-ignore format: a line
const large = 0xffffffff
const offsetBy = (bytes: Uint8Array, by: number) => { const room = new Uint8Array(bytes.length + by); room.set(bytes, by); return room.subarray(by) } // biome-ignore format: a line

const header = (descr: string, shape: string, order = 'False') => `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n` // biome-ignore format: a line
const npy = (text: string, data: readonly number[], version = 1, length = text.length) => Uint8Array.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, ...bytesOf(length, version > 1 ? 4 : 2), ...letters(text), ...data]) // biome-ignore format: as it lies
const doubles = (...values: number[]) => [...new Uint8Array(Float64Array.from(values).buffer)]
const singles = (...values: number[]) => [...new Uint8Array(Float32Array.from(values).buffer)]
const array = (bytes: Uint8Array) => told(() => { const found = npyArray(bytes, 'here'); return typeof found === 'string' ? dashed(found) : found }) // biome-ignore format: a line
const magicOff = (at: number) => npy(header('<f8', '(1,)'), doubles(1)).map((byte, i) => (i === at ? byte + 1 : byte))

/** Operations of a pickle, by what they do. */
const op = {
  text: (text: string) => [140, letters(text).length, ...letters(text)],
  small: (n: number) => [75, n],
  global: (name: string) => [99, ...letters(`${name.slice(0, name.lastIndexOf('.'))}\n${name.slice(name.lastIndexOf('.') + 1)}\n`)], // biome-ignore format: a line
  tuple: (...items: number[][]) => [40, ...items.flat(), 116],
}
const storage = (kind: string, key: string, count: number) => [...op.tuple(op.text('storage'), op.global(`torch.${kind}`), op.text(key), op.text('cpu'), op.small(count)), 81] // biome-ignore format: a line
const tensor = (of: number[], offset: number, shape: number[], stride: number[]) => [...op.global('torch._utils._rebuild_tensor_v2'), ...op.tuple(of, op.small(offset), op.tuple(...shape.map(op.small)), op.tuple(...stride.map(op.small))), 82] // biome-ignore format: a line
const dict = (...pairs: [string, number[]][]) => [125, 40, ...pairs.flatMap(([key, value]) => [...op.text(key), ...value]), 117] // biome-ignore format: a line
const list = (...items: number[][]) => [93, 40, ...items.flat(), 101]
const picked = (...codes: number[]) => told(() => unpickle(Uint8Array.from([...codes]), 0, 'here'))
const ends = (...codes: number[]) => picked(...codes, 46)
const wholes = [[0], [1, 5], [1, 127], [1, 128], [1, 255], [2, 0, 128], [7, 255, 255, 255, 255, 255, 255, 31], [7, 0, 0, 0, 0, 0, 0, 32], [7, 1, 0, 0, 0, 0, 0, 224], [7, 0, 0, 0, 0, 0, 0, 224], [9, 1, 2, 3, 4, 5, 6, 7, 8, 9]] // biome-ignore format: a list

const saved = (value: number[], storages: Readonly<Record<string, number[]>>, more: readonly Entry[] = [], folder = 'm/') => zip([{ name: `${folder}data.pkl`, content: [128, 2, ...value, 46] }, ...Object.entries(storages).map(([key, content]) => ({ name: `${folder}data/${key}`, content })), ...more]) // biome-ignore format: a line
const legacyMagic = [138, 10, ...bytesOf(0x1950a86a20f9469cfc6cn, 10), 46]
const legacy = (value: number[], keys: string[], storages: number[][], magic = legacyMagic) => Uint8Array.from([...magic, ...op.small(233), 46, ...dict(), 46, ...value, 46, ...list(...keys.map(op.text)), 46, ...storages.flatMap((one) => [...bytesOf(one.length, 8), ...one])]) // biome-ignore format: a line
const torch = (bytes: Uint8Array) => told(() => { const { arrays, warnings } = torchArrays(bytes, inflate, 'here'); return [arrays, warnings.map(dashed)] }) // biome-ignore format: a line
const x = tensor(storage('DoubleStorage', '0', 6), 0, [2, 3], [3, 1])
const six = doubles(1, 2, 3, 4, 5, 6)
const nested = (depth: number): number[] => (depth === 0 ? list(x) : list(nested(depth - 1)))

/** A file of safetensors, one after another. */
const tensors = (list: readonly (readonly [string, string, readonly number[], readonly number[]])[]) => {
  const begin = (i: number) => list.slice(0, i).reduce((sum, [, , , data]) => sum + data.length, 0)
  const head = letters(JSON.stringify(Object.fromEntries(list.map(([name, dtype, shape], i) => [name, { dtype, shape, data_offsets: [begin(i), begin(i + 1)] }])))) // biome-ignore format: a line
  return Uint8Array.from([...bytesOf(head.length, 8), ...head, ...list.flatMap(([, , , data]) => data)])
}
const arraysFile = (kind: ImportKind, scale: number, wide = true): Uint8Array => {
  const [w, b] = [[1, 2, 3, 4].map((x) => scale * x), [5, 6].map((x) => scale * x)]
  const bytes = (values: number[]) => (wide ? doubles(...values) : singles(...values))
  if (kind === 'safetensors') return tensors([['w', wide ? 'F64' : 'F32', [2, 2], bytes(w)], ['b', wide ? 'F64' : 'F32', [2], bytes(b)]]) // biome-ignore format: a line
  const kindOf = wide ? 'DoubleStorage' : 'FloatStorage'
  if (kind === 'torch') return saved(dict(['w', tensor(storage(kindOf, '0', 4), 0, [2, 2], [2, 1])], ['b', tensor(storage(kindOf, '1', 2), 0, [2], [1])]), { 0: bytes(w), 1: bytes(b) }) // biome-ignore format: a line
  return zip([{ name: 'w.npy', content: [...npy(header(wide ? '<f8' : '<f4', '(2, 2)'), bytes(w))] }, { name: 'b.npy', content: [...npy(header(wide ? '<f8' : '<f4', '(2,)'), bytes(b))] }, { name: 'i.npy', content: [...npy(header('<i8', '(1,)'), doubles(1))] }]) // biome-ignore format: a line
}
const ending = { npz: '.npz', safetensors: '.safetensors', torch: '.pt' } as const
/** The map that is proposed, and what is written by it once it was changed. */
const imported = (kind: ImportKind, files: Readonly<Record<string, Uint8Array>>, change: object = {}, list = Object.keys(files)) => async () => {
  try {
    const source = memoryStore(new Map(Object.entries(files)))
    const ports = { kind, source, inflate, parametersOf }
    const { map, asks } = await proposeMap(list, ports)
    const written = new Map<string, Uint8Array>()
    const rounds: number[][] = []
    const done = await importRecording({ ...map, ...change }, { ...ports, target: memoryFolder(written, 'o'), where: 'map', onRound: (...at) => void rounds.push(at) })
    return [map, asks.length, done.rounds, done.warnings.map(dashed), rounds, [...written].map(([path, bytes]) => [path, bytes.length, [...bytes].reduce((sum, byte) => (sum * 31 + byte) % 65_521, 7)])]
  } catch (error) {
    if (error instanceof OverhearError) return dashed(error.message)
    throw error
  }
} // biome-ignore format: a list
const named = (kind: ImportKind, wide = true) => Object.fromEntries(['round-1/global', 'round-1/client-a', 'round-1/client-b', 'round-2/global', 'round-2/client-b'].map((path, i) => [`${path}${ending[kind]}`, arraysFile(kind, i + 1, wide)])) // biome-ignore format: a line
const shaped = (...shapes: number[][]) => shapes.map((shape, i) => ({ name: `p${i}`, shape }))
const recognised = (...shapes: number[][]) => () => { const { asks, ...rest } = recogniseModel(shaped(...shapes), (model) => parametersOf(model).map(({ shape }) => shape)); return [rest, asks.map(dashed)] } // biome-ignore format: a line
const lenet = (kind: string, outputs: number) => parametersOf({ kind, outputs } as never).map(({ shape }) => [...shape])
const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}.npz`, arraysFile('npz', i)]))

pinResults('imports', {
  'archives of others': [
    ...[[one], [one, two], [two, one], []].flatMap((entries) => [read(zip(entries)), read(zip(entries, { wide: true })), read(zip(entries, { comment: 'a long word' })), read(offsetBy(zip(entries), 5))]), // biome-ignore format: a line
    ...(['misplaced', 'damaged'] as const).map((wide) => read(zip([one], { wide }))),
    read(zip([{ ...one, extra: extra(7, 9), localExtra: [1, 2, 3, 4] }, two])),
    read(zip([{ ...one, size: large, packed: large, offset: large, extra: extra(1, 3, 3, 0) }])),
    read(zip([{ ...one, size: large, extra: [...extra(9, 1), ...extra(1, 3)] }])),
    read(zip([{ ...one, packed: large, extra: extra(1, 3) }])),
    read(zip([two, { ...one, offset: large, extra: extra(1, 55) }])),
    read(zip([{ ...one, size: large, packed: large, extra: extra(1, 3) }])),
    read(zip([{ ...one, size: large, packed: large, extra: [...extra(1, 3), ...extra(2, 3)] }])),
    read(zip([{ ...one, offset: large, extra: extra(1, 2 ** 60) }])),
    read(zip([{ ...one, extra: [1, 0, 1] }])),
    ...[1, 2, 8, 256, 257].map((flags) => read(zip([{ ...one, flags }]))),
    ...[{ size: 4 }, { packed: 2 }, { packed: 4000 }, { packed: 122 }, { packed: 123 }, { offset: 1 }, { offset: 90 }, { offset: 91 }, { offset: 1e6 }, { method: 9 }, { method: 1 }, { extra: extra(3, 1), packed: 3 }].map((wrong) => read(zip([{ ...one, ...wrong }]))), // biome-ignore format: a line
    ...[{ size: 299 }, { size: 301 }, { size: 1e9 }, { size: 1_073_741_824 }, { size: 1_073_741_825 }, { packed: 2 }].map((wrong) => read(zip([{ ...two, ...wrong }]))), // biome-ignore format: a line
    read(
      zip([
        { ...two, size: 6e8 },
        { ...two, size: 6e8 },
      ]),
    ),
    read(
      zip([
        { ...two, size: 1_073_741_823 },
        { ...one, size: 1, packed: 1 },
      ]),
    ),
    ...[{ count: 2 }, { count: 0 }, { begin: 1 }, { begin: 60 }, { signature: 5 }].map((wrong) =>
      read(zip([one], wrong)),
    ),
    ...[100_000, 100_001].map((count) => read(zip([one], { wide: true, count }))),
    ...[65_535 - 1, 65_535, 65_536].map((length) => read(zip([one], { comment: 'x'.repeat(length) }))),
    read(new Uint8Array(21)),
    read(new Uint8Array(22)),
    read(zip([]).subarray(1)),
    ...[[0x50, 0x4b, 3, 4], [0x50, 0x4b, 3], [0x50, 1, 2, 3], [1, 0x4b, 2, 3], []].map((bytes) => () => isZip(Uint8Array.from(bytes))), // biome-ignore format: a line
  ],
  'arrays of numpy': [
    ...['<f8', '>f8', '=f8', '|f8', 'f8'].map((descr) => array(npy(header(descr, '(2,)'), doubles(1.5, -2)))),
    array(npy(header('<f4', '(2, 3)'), singles(1, 2, 3, 4, 5, 6))),
    array(npy(header('<f4', '(2, 3)', 'True'), singles(1, 2, 3, 4, 5, 6))),
    array(npy(header('<f8', '(3, 1, 2)', 'True'), six)),
    array(npy(header('<f8', '()'), doubles(7))),
    array(npy(header('<f8', '(0, 3)'), [])),
    array(npy(header('>f2', '(3,)'), [0x80, 1, 0x3c, 0, 0xfc, 0])),
    ...[0, 1, 2, 3, 4].map((version) => array(npy(header('<f8', '(1,)'), doubles(1), version))),
    ...[0, 1, 2, 3, 4, 5].map((at) => array(magicOff(at))),
    ...[9, 10, 11, 12].flatMap((length) => [1, 2].map((version) => array(npy(header('<f8', '(1,)'), doubles(1), version).subarray(0, length)))), // biome-ignore format: a line
    ...['<i8', '|O', 'O8', '<U3', '', 'toString', '<f16'].map((descr) => array(npy(header(descr, '(1,)'), doubles(1)))),
    ...[{ length: 65_535 }, { length: 60 }, { length: 62 }].map(({ length }) => array(npy(header('<f8', '(1,)'), doubles(1), 1, length))), // biome-ignore format: a line
    ...[65_536, 65_537].flatMap((length) => [array(npy(header('<f8', '(1,)').padEnd(length), doubles(1), 2)), array(npy(header('<f8', '(1,)'), doubles(1), 2, length))]), // biome-ignore format: a line
    array(npy(header('<f8', '(2,)'), doubles(1))),
    array(npy(header('<f8', '(1,)'), doubles(1, 2))),
    array(npy("{'descr': '<f8', 'shape': (1,)}", doubles(1))),
    array(npy("{'fortran_order': False, 'shape': (1,)}", doubles(1))),
    array(npy("{'descr': '<f8', 'fortran_order': False}", doubles(1))),
    told(() => npzArrays(zip([{ name: 'w.npy', content: [...npy(header('<f8', '(1,)'), doubles(1))] }, { name: 'n', content: [...npy(header('<i8', '(1,)'), doubles(1))] }]), inflate, 'here').arrays), // biome-ignore format: a line
    told(() => npzArrays(zip(['w', 'w.npy'].map((name) => ({ name, content: [...npy(header('<f8', '(1,)'), doubles(1))] }))), inflate, 'here')), // biome-ignore format: a line
    ...[[], [3, 2], [0, 5], [-1], [0.5], [Number.NaN], [134_217_728], [134_217_729], [2, 134_217_728, 0]].map((shape) => told(() => sizeOf(shape, 'here'))), // biome-ignore format: a line
    ...(['f8', 'f4', 'f2', 'bf2'] as const).flatMap((kind) => [true, false].map((little) => () => [0, 1, 2, 3, 4].map((at) => numberAt(new DataView(Uint8Array.of(0x80, 0x3f, 0x80, 0xbf, 1, 0, 0x7c, 0, 0xfc, 3, 0x80, 1).buffer), at, kind, little)))), // biome-ignore format: a line
    ...[79, 80, 81].map((length) => () => quoted('y'.repeat(length)).length),
  ],
  'pickles without running them': [
    ...wholes.map((bytes) => ends(138, ...bytes)),
    ends(74, 1, 2, 3, 255),
    ends(77, 1, 2),
    ends(75, 200),
    ends(71, 0x40, 9, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18),
    ends(78),
    ends(136),
    ends(137), // biome-ignore format: a line
    ends(88, 3, 0, 0, 0, ...letters('abc')),
    ends(141, 3, 0, 0, 0, 0, 0, 0, 0, ...letters('abc')),
    ends(84, 3, 0, 0, 0, ...letters('abc')),
    ends(85, 3, ...letters('abc')),
    ends(...op.text('ü')), // biome-ignore format: a line
    ends(149, 1, 2, 3, 4, 5, 6, 7, 8, 78),
    ends(128, 4, 78),
    ends(75, 1, 75, 2, 48),
    ends(...op.tuple()),
    ends(...op.tuple([75, 1], [75, 2])),
    ends(75, 1, 133),
    ends(75, 1, 75, 2, 134),
    ends(75, 1, 75, 2, 75, 3, 135),
    ends(41),
    ends(93),
    ends(125), // biome-ignore format: a line
    ends(93, 75, 1, 97),
    ends(...list([75, 1], [75, 2])),
    ends(125, 75, 1, 75, 2, 115),
    ends(...dict(['a', [75, 1]], ['b', [75, 2]])),
    ends(125, 75, 1, 97),
    ends(93, 75, 1, 75, 2, 115),
    ends(125, 40, 75, 1, 117),
    ends(93, 40, 75, 1, 117),
    ends(125, 40, 75, 1, 101), // biome-ignore format: a line
    ends(75, 7, 113, 3, 48, 104, 3),
    ends(75, 7, 114, 1, 2, 3, 4, 48, 106, 1, 2, 3, 4),
    ends(75, 7, 148, 48, 75, 8, 148, 48, 104, 1),
    ends(104, 3),
    ends(106, 0, 0, 0, 0), // biome-ignore format: a line
    ends(...op.global('collections.OrderedDict'), 41, 82),
    ends(...op.text('collections'), ...op.text('OrderedDict'), 147, 41, 82),
    ends(...op.global('os.system')),
    ends(...op.global('torch.FloatStorage')),
    ends(...op.global('torch.storage.UntypedStorage')), // biome-ignore format: a line
    ends(...op.global('torch.FloatStorage'), 41, 82),
    ends(75, 1, 41, 82),
    ends(78, 41, 82),
    ends(...op.global('torch._utils._rebuild_parameter'), ...op.tuple([75, 5]), 82),
    ends(...op.global('torch._utils._rebuild_parameter'), 41, 82),
    ends(...op.global('torch._utils._rebuild_parameter'), 75, 1, 82),
    ends(...op.global('torch._utils._rebuild_tensor_v2'), 75, 1, 82), // biome-ignore format: a line
    ends(...op.global('collections.OrderedDict'), 41, 82, 75, 1, 98),
    ends(...x),
    ends(...tensor(storage('FloatStorage', 'k', 0), 2, [], [])),
    ends(...tensor(storage('FloatStorage', 'k', 0), 2, [1], [])),
    ends(...tensor([78], 0, [1], [1])),
    ends(...tensor([75, 1], 0, [1], [1])),
    ends(...tensor([93], 0, [1], [1])), // biome-ignore format: a line
    ...[[78, [75, 1], [75, 1]], [[75, 0], [75, 1], op.tuple([75, 1])], [[75, 0], op.tuple([75, 1]), [75, 1]], [[74, 255, 255, 255, 255], op.tuple([75, 1]), op.tuple([75, 1])], [[75, 0], op.tuple([74, 255, 255, 255, 255]), op.tuple([75, 1])], [[75, 0], op.tuple([75, 1]), op.tuple([78])]].map((args) => ends(...op.global('torch._utils._rebuild_tensor_v2'), ...op.tuple(storage('FloatStorage', 'k', 1), ...(args as number[][]).map((one) => [one].flat())), 82)), // biome-ignore format: a line
    ...[[op.text('other'), op.global('torch.FloatStorage'), op.text('k'), [78], [75, 1]], [op.text('storage'), op.global('collections.OrderedDict'), op.text('k'), [78], [75, 1]], [op.text('storage'), op.text('t'), op.text('k'), [78], [75, 1]], [op.text('storage'), op.global('torch.FloatStorage'), [75, 1], [78], [75, 1]], [op.text('storage'), op.global('torch.FloatStorage'), op.text('k'), [78], [78]], [op.text('storage'), op.global('torch.storage.HalfStorage'), op.text('k'), [78], [75, 9]]].map((id) => ends(...op.tuple(...id), 81)), // biome-ignore format: a line
    ends(75, 1, 81),
    ends(255),
    ends(0),
    ends(40),
    ends(48),
    ends(116),
    ends(40, 48),
    ends(99, ...letters('a')),
    ends(99, 10),
    picked(),
    picked(78),
    picked(75),
    picked(74, 1, 2),
    picked(140, 5, 65),
    picked(75, 1, 46, 9, 9), // biome-ignore format: a line
    told(() => unpickle(Uint8Array.of(9, 9, 75, 4, 46, 75), 2, 'here')),
  ],
  'files of PyTorch': [
    torch(saved(dict(['w', x]), { 0: six })),
    torch(saved(list(x, tensor(storage('FloatStorage', '1', 2), 1, [1], [1])), { 0: six, 1: singles(8, 9) })),
    torch(saved(x, { 0: six }, [], '')),
    torch(saved(dict(['a', tensor(storage('DoubleStorage', '0', 6), 0, [3, 2], [1, 3])], ['n', tensor(storage('LongStorage', '1', 1), 0, [1], [1])]), { 0: six, 1: bytesOf(1, 8) })), // biome-ignore format: a line
    torch(
      saved(dict(['model', dict(['a', x], ['b', x])], ['optimizer', dict(['c', x])], ['epoch', [75, 3]]), { 0: six }),
    ),
    torch(saved(dict(['c', x], ['model', dict(['a', x])]), { 0: six })),
    ...[0, 6, 7, 8, 9].map((depth) => torch(saved(nested(depth), { 0: six }))),
    torch(saved([...list(x), 148, 75, 0, 48, 93, 40, 104, 0, 104, 0, 101], { 0: six })),
    torch(saved([93, 148, 104, 0, 97], { 0: six })),
    torch(saved(dict(), {})),
    torch(saved([75, 1], {})),
    torch(saved([78], {})),
    torch(saved(op.text('word'), {})),
    torch(saved(storage('FloatStorage', '0', 1), {})), // biome-ignore format: a line
    ...[[[0], [1]], [[2, 2], [2, 2]], [[6], [1]], [[7], [1]], [[2], [6]], [[2], [5]], [[1], [200]], [[2, 0], [9, 9]]].flatMap(([shape, stride]) => [0, 1].map((offset) => torch(saved(tensor(storage('DoubleStorage', '0', 6), offset, shape!, stride!), { 0: six })))), // biome-ignore format: a line
    ...['HalfStorage', 'BFloat16Storage', 'FloatStorage', 'BoolStorage', 'toStringStorage'].map((kind) => torch(saved(tensor(storage(kind, '0', 2), 0, [2], [1]), { 0: [0, 0x3c, 1, 0x80, 5, 6, 7, 8] }))), // biome-ignore format: a line
    torch(saved(x, {})),
    ...['little', 'big'].map((order) =>
      torch(saved(x, { 0: six }, [{ name: 'm/byteorder', content: letters(order) }])),
    ),
    torch(zip([one])),
    torch(legacy(dict(['w', x]), ['0'], [six])),
    ...[['LongStorage', 8], ['IntStorage', 4], ['ShortStorage', 2], ['CharStorage', 1], ['ByteStorage', 1], ['BoolStorage', 1], ['QuietStorage', 1]].map(([kind, size]) => torch(legacy(dict(['n', tensor(storage(kind as string, '1', 3), 0, [3], [1])], ['w', x]), ['1', '0'], [Array.from({ length: 3 * (size as number) }, () => 1), six]))), // biome-ignore format: a line
    torch(legacy(dict(['w', x], ['o', list(x, tensor(storage('FloatStorage', '1', 1), 0, [1], [1]))]), ['1', '0'], [singles(4), six])), // biome-ignore format: a line
    torch(legacy(dict(['w', x]), ['0'], [six.slice(1)])),
    torch(legacy(dict(['w', x]), ['9'], [six])),
    torch(legacy(dict(['w', x]), [], [])),
    torch(legacy(dict(['w', x]), ['0'], [six], [75, 1, 46])),
    torch(Uint8Array.from([...legacyMagic, 75, 1, 46, 78, 46, ...x, 46, 78, 46])),
  ],
  'recordings of others': [
    ...(['npz', 'safetensors', 'torch'] as const).flatMap((kind) => [
      imported(kind, named(kind)),
      imported(kind, named(kind, false)),
      imported(kind, { [`r1${ending[kind]}`]: arraysFile(kind, 1), [`r2${ending[kind]}`]: arraysFile(kind, 2) }),
      ...['delta', 'gradient'].map((share) => imported(kind, named(kind), { protocol: { share, learningRate: 0.1, localEpochs: 1, batchSize: null } })), // biome-ignore format: a line
    ]),
    imported('npz', { 'r1-client-a.npz': arraysFile('npz', 1), 'r1-client-b.npz': arraysFile('npz', 2) }),
    imported('npz', { 'r1.npy': npy(header('<f4', '(1, 2)'), singles(1, 2)) }),
    imported('npz', { 'r1.npy': npy(header('<i8', '(1,)'), doubles(1)) }),
    imported('npz', { 'r1.npz': zip([]) }),
    imported('safetensors', { 'r1.safetensors': tensors([['w', 'F16', [1, 2], [0, 0x3c, 0, 0xc0]]]) }),
    imported('safetensors', { 'r1.safetensors': tensors([['w', 'F32', [1, 2], singles(1, 2)], ['v', 'F64', [1, 1], doubles(3)]]) }), // biome-ignore format: a line
    imported('npz', named('npz'), { rounds: [{ round: 0, global: null, clients: {} }] }),
    imported('npz', named('npz'), {
      parameters: [
        { name: 'w', shape: [4] },
        { name: 'b', shape: [2] },
      ],
    }),
    imported('npz', named('npz'), { parameters: [{ name: 'b', shape: [2] }, { name: 'w', shape: [2, 2] }], model: { kind: 'opaque' } }), // biome-ignore format: a line
    imported('npz', named('npz'), {
      parameters: [
        { name: 'weights', shape: [2, 2] },
        { name: 'biases', shape: [2] },
      ],
    }),
    imported('npz', named('npz'), { parameters: [] }),
    imported('npz', named('npz'), { rounds: [] }),
    imported('npz', named('npz'), { clients: [{ id: 'a', samples: 0 }, { id: 'b', samples: 3 }] }), // biome-ignore format: a line
    ...[19, 20, 21].map((count) => imported('npz', notes(count))),
    imported('npz', {}, {}, ['a.txt']),
  ],
  'what names and shapes say': [
    ...['round-3/client-a.npz', 'r3_c12.npz', 'client7/round2.pt', '5.npz', 'a/b.npz', 'epoch 4 hospital-x.bin', 'iter12.c=3.pt', 'site-2.npz', 'cr1.npz', 'step_9/user.5.npz'].map((file) => () => namedFile(file)), // biome-ignore format: a line
    told(() => proposeRounds(['r9.npz', 'r2.npz', 'r2-client-a.npz'], 'here')),
    told(() => proposeRounds(['a.npz'], 'here')),
    told(() => proposeRounds(['r1/a.npz', 'r1/b.npz'], 'here')),
    told(() => proposeRounds(['r1/client-a.npz', 'r1/client-a.pt'], 'here')),
    recognised([1, 3], [1]),
    recognised([4, 3], [4]),
    recognised([1, 3]),
    recognised([4, 3]),
    recognised([5, 3], [5], [2, 5], [2]),
    recognised([5, 3], [1, 5]),
    recognised([5, 3], [1, 4]),
    recognised([5, 3], [4]),
    recognised([5, 3], [5], [2, 5]),
    recognised([3]),
    recognised(),
    recognised([2, 2, 2]),
    recognised([5, 3], [5, 1], [1, 5], [1]), // biome-ignore format: a line
    ...['lenet-mnist', 'lenet-cifar'].flatMap((kind) => [recognised(...lenet(kind, 7)), recognised(...lenet(kind, 7).slice(1)), recognised(...lenet(kind, 7), [7])]), // biome-ignore format: a line
    () => recogniseModel([{ name: 'x.lora_A.weight', shape: [1, 2] }], () => []).model,
  ],
})
