import { afterEach, expect, test, vi } from 'vitest'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { openKnowledge } from './knowledge.js'
import { openTranscript } from './reader.js'
import { encode } from './safetensors.js'
import { type FileStore, memoryStore } from './store.js'
import { openTruth } from './truth.js'

afterEach(() => vi.unstubAllGlobals())

/** Whole numbers below n, the same in every run. */
function dice(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const text = (s: string): Uint8Array => new TextEncoder().encode(s)
const json = (value: object): Uint8Array => text(JSON.stringify(value))
const floats = (n: number) => Float32Array.from({ length: n }, (_, i) => i / 7)

const shapes = { w: [5, 8], b: [5] }
const owner = (name: string) => [
  { name: `${name}/w`, shape: shapes.w, data: floats(40) },
  { name: `${name}/b`, shape: shapes.b, data: floats(5) },
]
const manifest = {
  format: 'overhear-transcript/1',
  source: { tool: 'overhear', version: '0.1.0' },
  recordedFor: 'server',
  model: { kind: 'linear', inputs: 8, outputs: 5 },
  loss: 'mse',
  parameters: Object.entries(shapes).map(([name, shape]) => ({ name, shape })),
  protocol: { algorithm: 'fedavg', share: 'parameters', localEpochs: 1, batchSize: 32, learningRate: 2e-6, dropout: 0 },
  clients: [{ id: '0', samples: 602 }, { id: '1' }],
  rounds: 'rounds.jsonl',
}
const table = 'x0,x1,y,k\n0.125,2.5,3.25,"a"\n-1.5,1e-3,4.5,b\n'
const publicPart = 'x0,x1,y,k\n0.125,,3.25,"a"\n-1.5,,4.5,b\n'
const valid: Readonly<Record<string, Uint8Array>> = {
  'transcript.json': json(manifest),
  'rounds.jsonl': text('{"round":0,"participants":["0","1"]}\n{"round":1,"participants":["0"],"tampered":["0"]}\n'),
  'rounds/000000.safetensors': encode([...owner('global'), ...owner('client/0'), ...owner('client/1')]),
  'rounds/000001.safetensors': encode([
    { name: 'client/0/*', shape: [45], data: floats(45) },
    { name: 'sent/0/*', shape: [45], data: Float64Array.from(floats(45)) },
  ]),
  'knowledge.json': json({
    ...{ format: 'overhear-knowledge/1', target: '0', round: 0, batchSize: 40, metaclassCounts: [1, 1] },
    records: { file: 'public.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] },
    sensitive: [{ name: 's', columns: ['x1'], kind: 'binary', values: [[-0.5], [1.97]], words: ['no', 'yes'] }],
    auxiliary: { file: 'table.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] },
    candidates: { file: 'c.safetensors' },
    property: { name: 'membership', record: 0 },
  }),
  'public.csv': text(publicPart),
  'table.csv': text(table),
  'c.safetensors': encode([
    { name: 'features', shape: [3, 2], data: floats(6) },
    { name: 'labels', shape: [3], data: floats(3) },
  ]),
  'truth.json': json({
    format: 'overhear-truth/1',
    clients: { '0': { file: 'table.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] } },
    batches: [{ round: 0, client: '0', rows: [0, 1] }],
    optimum: { '0': 'theta.safetensors' },
    properties: { membership: ['0'] },
  }),
  'theta.safetensors': encode([{ name: 'theta', shape: [4], data: floats(4) }]),
}

async function readTranscript(store: FileStore): Promise<void> {
  const transcript = await openTranscript(store, { parametersOf })
  for (const { round } of transcript.rounds().slice(0, 5)) await transcript.readRound(round)
}
async function readKnowledge(store: FileStore): Promise<void> {
  const known = await openKnowledge(store)
  await known.records()
  await known.auxiliary()
  await known.candidates()
}
async function readTruth(store: FileStore): Promise<void> {
  const truth = await openTruth(store)
  await truth.client('0')
  await truth.optimum('0')
}

const wild = [
  ...['-1', '0', '1e308', '1e999', '9007199254740993', '4294967296', '1.5', 'null', 'true', '""', '[]', '{}', '"../x"'],
  ...[
    '[[[[]]]]',
    '"__proto__"',
    '"F64"',
    '"BF16"',
    '"I64"',
    '"\\u0000"',
    '[1e15,1e15]',
    '[0,1e15]',
    '"mlp"',
    '"opaque"',
  ],
]

/** One random change to the bytes of a file. */
function mutated(bytes: Uint8Array, roll: (n: number) => number): Uint8Array {
  const at = roll(bytes.length + 1)
  const splice = (start: number, end: number, piece: Uint8Array) =>
    Uint8Array.from([...bytes.subarray(0, start), ...piece, ...bytes.subarray(end)])
  switch (roll(8)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return bytes.map((b, i) => (i === at ? b ^ (1 << roll(8)) : b))
    case 2:
      return bytes.map((b, i) => (i === at ? roll(256) : b))
    case 3:
      return splice(at, at + roll(20), new Uint8Array(0))
    case 4:
      return splice(at, at, bytes.slice(at, at + roll(40)))
    case 5: // the length of a header
      return bytes.map((b, i) => (i < 8 && roll(3) === 0 ? roll(256) : b))
    default: {
      // A value of the JSON becomes another.
      const source = Array.from(bytes, (b) => String.fromCharCode(b)).join('')
      const values = [...source.matchAll(/(?<=[:,[])(?:-?\d[\d.e+-]*|"(?:[^"\\]|\\.)*"|\[[^[\]]*\]|\{[^{}]*\})/g)]
      const found = values[roll(values.length)]
      if (found === undefined) return bytes.slice(0, at)
      const piece = text(wild[roll(wild.length)]!)
      const changed = splice(found.index, found.index + found[0].length, piece)
      // Half of the headers keep an honest length, so that what lies behind is reached.
      if (bytes[8] === 0x7b && roll(2) === 0) {
        const n = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) + piece.length - found[0].length
        new DataView(changed.buffer).setUint32(0, n, true)
      }
      return changed
    }
  }
}

const targets: [string, (store: FileStore) => Promise<void>, string[], number][] = [
  ['transcript', readTranscript, ['transcript.json', 'rounds.jsonl'], 1500],
  ['rounds', readTranscript, ['rounds/000000.safetensors', 'rounds/000001.safetensors'], 1500],
  ['knowledge', readKnowledge, ['knowledge.json', 'public.csv', 'table.csv', 'c.safetensors'], 1500],
  ['truth', readTruth, ['truth.json', 'table.csv', 'theta.safetensors'], 1500],
]

test.each(targets)('a spoilt %s is read or refused, never worse', async (_, read, names, times) => {
  const RealArray = Float64Array
  let limit = Number.POSITIVE_INFINITY
  class Watched extends RealArray {
    constructor(...given: never[]) {
      const [n] = given as unknown[]
      if (typeof n === 'number' && 8 * n > limit) throw new Error(`${8 * n} bytes were asked for, ${limit} allowed`)
      super(...(given as unknown as [number]))
    }
  }
  vi.stubGlobal('Float64Array', Watched)
  await read(memoryStore(new Map(Object.entries(valid))))
  const roll = dice(names.length * 1000 + times)
  let refused = 0
  for (let i = 0; i < times; i++) {
    const files = new Map(Object.entries(valid))
    for (let changes = 1 + roll(2); changes > 0; changes--) {
      const name = names[roll(names.length)]!
      files.set(name, mutated(files.get(name)!, roll))
    }
    limit = 2 * Math.max(...[...files.values()].map((bytes) => bytes.length))
    try {
      await read(memoryStore(files))
    } catch (error) {
      if (!(error instanceof OverhearError) || error.code === 'E_INTERNAL') {
        const spoilt = names.map((name) => `${name}: ${new TextDecoder().decode(files.get(name))}`)
        throw new Error(`case ${i}: ${String(error)}\n${spoilt.join('\n')}`, { cause: error })
      }
      refused++
    }
  }
  // Most changes matter; some (a digit, a name) leave a valid file.
  expect(refused / times).toBeGreaterThan(0.5)
  expect(refused).toBeLessThan(times)
})
