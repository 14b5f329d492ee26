import { describe, expect, test } from 'vitest'
import { OverhearError } from '../errors.js'
import { repeatedKey } from './json.js'
import { decodeTensor, encode, parseHeader, readHeader, readTensor } from './safetensors.js'
import { bytesSource, insidePath } from './store.js'

/** A file from its header text and data bytes, made by hand. */
function file(header: string, data: readonly number[] = [], length?: number): Uint8Array {
  const text = new TextEncoder().encode(header)
  const bytes = new Uint8Array(8 + text.length + data.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? text.length), true)
  bytes.set(text, 8)
  bytes.set(data, 8 + text.length)
  return bytes
}
const parse = (bytes: Uint8Array) => parseHeader(bytes, bytes.length)
const entry = (dtype: string, shape: number[], data_offsets: number[]) => JSON.stringify({ dtype, shape, data_offsets })

describe('decoding bytes made by hand', () => {
  // 1.5 and -2 in each format; the header has 1 byte of padding less than alignment would need.
  test.each([
    ['F64', [0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]],
    ['F32', [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]],
    ['F16', [0, 0x3e, 0, 0xc0]],
    ['BF16', [0xc0, 0x3f, 0, 0xc0]],
  ])('%s', async (dtype, data) => {
    for (const padding of ['', ' ', '  ', '   ']) {
      const bytes = file(`{"a":${entry(dtype, [2], [0, data.length])}}${padding}`, data)
      const source = bytesSource(bytes)
      const { tensors } = await readHeader(source, 'x')
      expect([...(await readTensor(source, tensors.get('a')!))]).toEqual([1.5, -2])
    }
  })

  test('the edges of F16 and BF16', () => {
    const decode = (dtype: 'F16' | 'BF16', words: number[]) => [
      ...decodeTensor(new Uint8Array(Uint16Array.from(words).buffer), { name: 'x', dtype, size: words.length }),
    ]
    // IEEE 754-2019 binary16: largest 65504, smallest normal 2^-14, smallest 2^-24, one third nearest 0x3555.
    const halves = [0x7bff, 0x0400, 0x0001, 0x83ff, 0x3555, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x6400, 0x6800]
    expect(decode('F16', halves)).toEqual([
      65504,
      2 ** -14,
      2 ** -24,
      -1023 * 2 ** -24,
      0.333251953125,
      -0,
      Infinity,
      -Infinity,
      NaN,
      1024,
      2048,
    ])
    expect(decode('BF16', [0x0001, 0x7f7f, 0x7f80, 0x7fc0, 0x8000])).toEqual([
      2 ** -133,
      255 * 2 ** 120,
      Infinity,
      NaN,
      -0,
    ])
  })

  test('scalars, empty tensors, metadata, other types', () => {
    const header = `{"__metadata__":{"format":"pt"},"n":${entry('I64', [], [4, 12])},"s":${entry('F32', [], [0, 4])},"e":${entry('F32', [0, 3], [4, 4])},"odd":${entry('F4', [3], [12, 14])}}`
    const { tensors, metadata, warnings } = parse(file(header, new Array(14).fill(0)))
    expect([...tensors.values()].map(({ name, size }) => [name, size])).toEqual([
      ['s', 1],
      ['e', 0],
    ])
    expect(metadata.format).toBe('pt')
    expect(warnings.map((w) => /tensor "(\w+)"/.exec(w)?.[1])).toEqual(['n', 'odd'])
  })
})

describe('a bad file is refused', () => {
  const one = entry('F32', [1], [0, 4])
  const data = [0, 0, 0, 0]
  test.each<[string, Uint8Array, RegExp]>([
    ['empty', new Uint8Array(0), /0 bytes/],
    ['short', new Uint8Array(9), /9 bytes/],
    ['header beyond the file', file('{}', [], 3), /length is 3; 2 to 2/],
    ['huge header', file('{}', [], 2 ** 60), /2 to 2/],
    ['no brace', file(' {}'), /byte 32/],
    ['not JSON', file('{"a":}'), /not JSON/],
    ['not UTF-8', file('{"\u0080"}').map((b) => (b === 0xc2 ? 0xff : b)), /UTF-8/],
    ['same tensor twice', file(`{"a":${one},"a":${one}}`, data), /"a" stands there twice/],
    ['same tensor twice, escaped', file(`{"a":${one},"\\u0061":${one}}`, data), /"a" stands there twice/],
    [
      'same key in an entry',
      file('{"a":{"dtype":"F32","dtype":"F64","shape":[1],"data_offsets":[0,4]}}', data),
      /dtype/,
    ],
    ['hole at the start', file(`{"a":${entry('F32', [1], [4, 8])}}`, [...data, ...data]), /belong to nobody/],
    ['hole', file(`{"a":${one},"b":${entry('F32', [1], [5, 9])}}`, new Array(9).fill(0)), /1 bytes before/],
    ['overlap', file(`{"a":${one},"b":${entry('F32', [1], [2, 6])}}`, new Array(6).fill(0)), /overlaps/],
    ['bytes left', file(`{"a":${one}}`, [...data, 1]), /the file at/],
    ['data cut off', file(`{"a":${one}}`, [0, 0]), /the file at/],
    ['shape and span differ', file(`{"a":${entry('F32', [2], [0, 4])}}`, data), /8 bytes are needed/],
    ['shape of a skipped type', file(`{"a":${entry('I32', [2], [0, 4])}}`, data), /8 bytes are needed/],
    ['huge shape', file(`{"a":${entry('F32', [2 ** 40, 2 ** 40], [0, 4])}}`, data), /do not hold/],
    ['negative shape', file(`{"a":${entry('F32', [-1, -1], [0, 4])}}`, data), /"shape"/],
    ['falling offsets', file(`{"a":${entry('F32', [1], [4, 0])}}`, data), /data_offsets/],
    ['no offsets', file('{"a":{"dtype":"F32","shape":[1]}}', data), /data_offsets/],
    ['no dtype', file('{"a":{"shape":[1],"data_offsets":[0,4]}}', data), /dtype/],
    ['entry is null', file('{"a":null}'), /no object/],
    ['metadata not strings', file('{"__metadata__":{"a":1}}'), /__metadata__/],
  ])('%s', (_, bytes, message) => {
    expect(() => parse(bytes)).toThrow(message)
    expect(() => parse(bytes)).toThrow(OverhearError)
  })

  test('the header is not read before its length is known to fit', async () => {
    const asked: number[] = []
    const bytes = file('{}', [], 99_000_000)
    const inner = bytesSource(bytes)
    const read = (offset: number, length: number) => {
      asked.push(length)
      return inner.read(offset, length)
    }
    const source = { size: inner.size, read }
    await expect(readHeader(source, 'x')).rejects.toThrow(/length is 99000000/)
    expect(asked).toEqual([8])
  })
})

describe('a header of more than 100,000,000 bytes is refused, however large the file', () => {
  test.each([
    [100_000_000, /8 bytes were given; the header ends at 100000008/],
    [100_000_001, /length is 100000001; 2 to 100000000 bytes/],
  ])('reading %d', (length, message) => {
    expect(() => parseHeader(file('', [], length), 1e9)).toThrow(message)
  })

  test.each([
    [100_000_000, undefined],
    [100_000_001, /the header would take 100000008 bytes; 100000000 are allowed/],
  ])('writing %d', (length, message) => {
    const bare = '{"__metadata__":{"a":""}}'.length
    const write = () => encode([], { a: 'x'.repeat(length - bare) })
    if (message === undefined) expect(write().length).toBe(length + 8)
    else expect(write).toThrow(message)
  })
})

test('what is encoded comes back, whatever the names', () => {
  const tensors = [
    { name: 'single', shape: [3], data: Float32Array.of(1, 2, 3) },
    { name: '__proto__', shape: [2, 1], data: Float64Array.of(0.1, -0) },
    { name: 'é "quoted"', shape: [], data: Float64Array.of(5e-324) },
    { name: 'none', shape: [0], data: new Float64Array(0) },
  ]
  const bytes = encode(tensors, { by: 'test' })
  const header = parse(bytes)
  expect(header.metadata.by).toBe('test')
  for (const { name, shape, data } of tensors) {
    const info = header.tensors.get(name)!
    expect(info.shape).toEqual(shape)
    expect(info.begin % 8).toBe(0)
    expect([...decodeTensor(bytes.subarray(info.begin, info.end), info)]).toEqual([...data])
  }
  expect(parse(encode([])).tensors.size).toBe(0)
  expect(() => encode([tensors[0]!, tensors[0]!])).toThrow(/taken/)
  expect(() => encode([{ ...tensors[0]!, shape: [2] }])).toThrow(/do not fill/)
})

test('repeated keys are found at any depth, and only within one object', () => {
  expect(repeatedKey('{"a":{"b":1},"b":{"b":[{"b":"b"},{"b":2}]}}')).toBeUndefined()
  expect(repeatedKey('[{"a":1,"x":["a",{"y":1,"y":2}]}]')).toBe('y')
  expect(repeatedKey('{"a\\"":1,"a\\\\":2,"a\\"":3}')).toBe('a"')
  expect(repeatedKey(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined()
})

test('paths that leave the folder are refused', () => {
  for (const path of ['', '/a', '../a', 'a/../../b', 'a//b', './a', 'a\\b', 'C:/x', 'a\0b', 'a/'])
    expect(() => insidePath(path, 'x')).toThrow(OverhearError)
  expect(insidePath('rounds/000000.safetensors', 'x')).toBe('rounds/000000.safetensors')
})

test('many tensors that hold no floats are not told one by one, and their names cannot steer a terminal', () => {
  const names = Array.from({ length: 100 }, (_, i) => `"\\u007f${i}":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}`)
  const text = new TextEncoder().encode(`{${names.join(',')}}`)
  const bytes = new Uint8Array(8 + text.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true)
  bytes.set(text, 8)
  const { warnings } = parseHeader(bytes, bytes.length)
  expect(warnings).toHaveLength(20)
  expect(warnings[0]).toBe('safetensors: tensor "\\u007f0" of type "I64" holds no floats: skipped')
})
