import { parametersOf } from '../src/models/index.js'
import { canonical } from '../src/transcript/canonical.js'
import { csvReader, csvRows } from '../src/transcript/csv.js'
import { jsonText, parseJson, repeatedKey } from '../src/transcript/json.js'
import { knowledgeJsonSchema } from '../src/transcript/knowledge-file.js'
import { dimension, manifestJsonSchema, parseManifest } from '../src/transcript/manifest.js'
import { isTorn, parseRoundLines } from '../src/transcript/round-list.js'
import { decodeTensor, encode, parseHeader } from '../src/transcript/safetensors.js'
import { insidePath, utf8 } from '../src/transcript/store.js'
import { truthJsonSchema } from '../src/transcript/truth-file.js'
import { shown, some } from '../src/transcript/validate.js'
import { stemsOf } from '../src/transcript/write-table.js'
import { pinResults } from './pinned-results.js'

const bytes = (text: string) => new TextEncoder().encode(text)
/** A file with this header, and so many bytes of data. */
const file = (header: string, data: number, length = header.length) => {
  const all = new Uint8Array(8 + header.length + data).map((_, i) => i)
  new DataView(all.buffer).setBigUint64(0, BigInt(length), true)
  all.set(bytes(header), 8)
  return all
}
const entry = (dtype: string, shape: readonly unknown[], offsets: readonly unknown[]) => ({
  dtype,
  shape,
  data_offsets: offsets,
})
const headers: readonly object[] = [
  {},
  { a: entry('F64', [1], [0, 8]) },
  { a: entry('F32', [2], [0, 8]) },
  { a: entry('F16', [2, 2], [0, 8]) },
  { a: entry('BF16', [4], [0, 8]) },
  { a: entry('I64', [1], [0, 8]) },
  { a: entry('I64', [1], [0, 8]), b: entry('F64', [1], [8, 16]) },
  { a: entry('F64', [], [0, 8]) },
  { a: entry('F64', [0], [0, 0]) },
  { a: entry('F64', [2], [0, 8]) },
  { a: entry('F64', [1], [0, 9]) },
  { a: entry('F64', [1], [8, 0]) },
  { a: entry('F64', [1], [1, 9]) },
  { a: entry('F64', [1], [0, 8]), b: entry('F64', [1], [4, 12]) },
  { a: entry('F64', [1], [0, 8]), b: entry('F64', [1], [9, 17]) },
  { a: entry('Q8', [1], [0, 8]) },
  { a: entry('F64', [-1], [0, 8]) },
  { a: entry('F64', [1.5], [0, 8]) },
  { a: entry('F64', ['1'], [0, 8]) },
  { a: entry('F64', [2 ** 40, 2 ** 40], [0, 8]) },
  { a: entry('F64', [1], [0]) },
  { a: entry('F64', [1], [0, 8, 9]) },
  { a: 3 },
  { a: { dtype: 'F64' } },
  { __metadata__: { x: 'y' }, a: entry('F64', [1], [0, 8]) },
  { __metadata__: { x: 1 }, a: entry('F64', [1], [0, 8]) },
  { __metadata__: [], a: entry('F64', [1], [0, 8]) },
]
const numbers = [
  0,
  -0,
  1,
  -1.5,
  0.1,
  65504,
  65520,
  1e-8,
  6e-8,
  5.96e-8,
  3.4e38,
  1e39,
  1e-45,
  Number.POSITIVE_INFINITY,
  Number.NaN,
]
const texts = ['', 'a', 'a,b\n', 'a,b\r\n1,2\r\n', 'a,b\n1,2', 'a,b\n1\n', 'a,b\n1,2,3\n', 'a\n"x"\n', 'a\n"x ""y"""\n', 'a\n"x\ny"\n', 'a\n"x\n', 'a\nx"y\n', 'a\n"x"y\n', '\uFEFFa,b\n1,2\n', 'a,b\n\n1,2\n', 'a\n\nb\n', 'a;b\n1;2\n', 'a,b\r1,2\r', '"a,b",c\n1,2\n', ',\n,\n', 'a,b\n1,"2"\r\n3,4\n'] // biome-ignore format: a list
/** A text cut into pieces, read with these options. */
const inPieces = (text: string, size: number, options: object) => {
  const reader = csvReader({ where: 'x.csv', ...options })
  const rows: (readonly string[])[] = []
  for (let at = 0; at < text.length; at += size) rows.push(...reader.read(text.slice(at, at + size)))
  rows.push(...reader.read('', true))
  return rows
}
const manifest = {
  format: 'overhear-transcript/1',
  loss: 'mse',
  parameters: [{ name: 'w', shape: [2, 3] }, { name: 'b', shape: [2] }], // biome-ignore format: a line
  protocol: { algorithm: 'fedavg', share: 'parameters' },
  clients: [{ id: '0' }, { id: '1', samples: 4 }],
  rounds: 'rounds.jsonl',
}
const models = [{ kind: 'linear', inputs: 3, outputs: 2 }, { kind: 'linear', inputs: 3, outputs: 3 }, { kind: 'mlp', inputs: 3, hidden: [4], outputs: 1 }, { kind: 'opaque' }, { kind: 'unheard' }, { kind: 'mlp', inputs: 0, hidden: [4], outputs: 1 }, { kind: 'lenet-dlg', inputs: [1, 8, 8], outputs: 3 }] // biome-ignore format: a list
const changes: readonly object[] = [
  {},
  ...models.map((model) => ({ model })),
  ...models.slice(0, 3).map((model) => ({ model, parameters: undefined })),
  ...['server', 'secagg-server', 'eavesdropper:1', 'eavesdropper:', 'client'].map((recordedFor) => ({ recordedFor })),
  ...['mse', 'cross-entropy', 'binary-cross-entropy', 'l1'].map((loss) => ({ loss })),
  ...[{ learningRate: 0 }, { learningRate: 0.1 }, { momentum: -1 }, { momentum: 0.5 }, { dropout: 1 }, { batchSize: 0 }, { batchSize: 1 }, { localSteps: 0 }, { localSteps: -1 }, { localEpochs: 0 }, { localEpochs: null, localSteps: 3 }, { lossScale: 0 }, { aggregateWeights: 'samples' }, { aggregateWeights: 'two' }, { secureAggregation: true }, { share: 'gradient' }, { algorithm: 'fedsgd', share: 'gradient' }, { algorithm: '' }, { differentialPrivacy: {} }, { differentialPrivacy: { maxNorm: 1, noiseMultiplier: 1 } }, { proxMu: -1 }].map((more) => ({ protocol: { ...manifest.protocol, ...more } })), // biome-ignore format: a list
  ...[[], [{ id: '' }], [{ id: 'a b' }], [{ id: '0' }, { id: '0' }], { count: 3 }, { count: 0 }, { count: 2, samples: 5 }, [{ id: '0', samples: -1 }], [{ id: '0', samples: 0 }]].map((clients) => ({ clients })), // biome-ignore format: a list
  ...[[], [{ name: 'w', shape: [] }], [{ name: '', shape: [1] }], [{ name: 'w', shape: [0] }], [{ name: 'w', shape: [1] }, { name: 'w', shape: [1] }]].map((parameters) => ({ parameters })), // biome-ignore format: a list
  ...[[], 'other.jsonl', [{ round: 0, file: 'a.safetensors' }], [{ round: -1, file: 'a.safetensors' }]].map((rounds) => ({ rounds })), // biome-ignore format: a list
  { format: 'overhear-transcript/2' },
  { extra: 1 },
]
const rounds = ['', '{"round":0,"file":"a.safetensors"}\n', '{"round":0,"file":"a"}\n{"round":0,"file":"b"}\n', '{"round":1,"file":"a"}\n{"round":0,"file":"b"}\n', '{"round":0,"fi', '{"round":0}\n', '{"round":0,"file":"a","participants":["0"],"dropped":["1"],"tampered":[]}\n{"rou', 'x\n', '\n\n', '{"round":0,"file":"../a"}\n'] // biome-ignore format: a list

pinResults('transcript', {
  'headers of tensors': [
    ...headers.flatMap((header) =>
      [0, 8, 12, 16, 17].map((data) => () => {
        const all = file(JSON.stringify(header), data)
        return parseHeader(all, all.length)
      }),
    ),
    ...['', '{', '[]', 'null', '{"a":1,"a":2}', '{}   ', ' {}', '{}x'].map(
      (text) => () => parseHeader(file(text, 0), 8 + text.length),
    ),
    ...[0, 1, 2, 3, 1e9].map((length) => () => parseHeader(file('{}', 0, length), 10)),
    ...[0, 7, 9].map((size) => () => parseHeader(new Uint8Array(size), size)),
  ],
  'tensors read and written': [
    ...(['F64', 'F32', 'F16', 'BF16'] as const).flatMap((dtype) => [
      () => encode([{ name: 'a', shape: [15], data: Float64Array.from(numbers), dtype }] as never),
      () =>
        decodeTensor(
          new Uint8Array(64).map((_, i) => (i * 37) % 251),
          { name: 'a', dtype, size: 8 },
        ),
      () =>
        decodeTensor(
          new Uint8Array(65536 * 2).map((_, i) => (i % 2 === 0 ? (i >> 1) & 255 : i >> 9)),
          { name: 'a', dtype, size: 16384 },
        ),
    ]),
    () => encode([{ name: 'b', shape: [2], data: Float64Array.of(1, 2) }, { name: 'a', shape: [], data: Float64Array.of(3) }] as never, { z: '1', y: '2' }), // biome-ignore format: a line
    () => encode([]),
  ],
  'comma-separated values': [
    ...texts.map((text) => () => [...csvRows(text, 'x.csv')]),
    ...texts.flatMap((text) => [1, 3].flatMap((size) => [{}, { width: 2 }, { skip: 1 }, { delimiter: ';' }].map((options) => () => inPieces(text, size, options)))), // biome-ignore format: a line
  ],
  manifests: changes.map((change) => () => parseManifest(JSON.stringify({ ...manifest, ...change }), parametersOf as never)), // biome-ignore format: a line
  'lists of rounds': [
    ...rounds.map((text) => () => parseRoundLines(text)),
    ...['{', '{}', '', '{"a":1', '[1,', '"x'].map((line) => () => isTorn(line)),
  ],
  'schemas of files': [manifestJsonSchema, knowledgeJsonSchema, truthJsonSchema],
  'words and paths': [
    ...['a', 'a/b', '../a', '/a', 'a/../b', '', '.', 'a//b', 'a\\b', 'C:a', 'a/./b', 'a\u0000'].map(
      (path) => () => insidePath(path, 'x'),
    ),
    ...[[0x61], [0xc3, 0xa4], [0xc3], [0xef, 0xbb, 0xbf, 0x61], [0xff]].map(
      (list) => () => utf8(Uint8Array.from(list), 'x'),
    ),
    ...[undefined, null, 1, 'a'.repeat(100), 'a'.repeat(101), [1, 2], {}, 'a\nb', Number.NaN].map(
      (value) => () => shown(value),
    ),
    ...[[], ['a'], ['b', 'a'], Array.from({ length: 30 }, (_, i) => `n${i}`)].map((names) => () => some(names)),
    ...[
      ['a', 'b'],
      ['A', 'a'],
      ['a', 'a-2', 'A', 'a b'],
      ['..', '.', ''],
    ].map((ids) => () => stemsOf(ids)),
    ...[{ b: 1, a: [2, { d: 1, c: null }] }, [], 'x', 1, null].map((value) => () => [
      canonical(value),
      jsonText({ value }),
    ]),
    ...['{"a":1}', '{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '{"a":"\\"a\\":1"}', '[{"a":1},{"a":2}]', '{"a":1,"\\u0061":2}', '{', 'NaN'].flatMap((text) => [() => parseJson(text, 'x'), () => repeatedKey(text)]), // biome-ignore format: a list
    ...[[], [1], [2, 3], [4, 1, 2]].map(
      (shape) => () =>
        dimension([
          { name: 'a', shape },
          { name: 'b', shape: [2] },
        ]),
    ),
  ],
})
