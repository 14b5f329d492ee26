import { afterEach, expect, test, vi } from 'vitest'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { openKnowledge } from './knowledge-file.js'
import { openTranscript } from './read-transcript.js'
import { encode } from './safetensors.js'
import { type FileStore, memoryStore } from './store.js'
import { openTruth } from './truth-file.js'

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
    format: 'overhear-knowledge/1',
    target: '0',
    round: 0,
    batchSize: 40,
    metaclassCounts: [1, 1],
    records: { file: 'public.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] },
    sensitive: [{ name: 's', columns: ['x1'], kind: 'binary', values: [[-0.5], [1.97]], words: ['no', 'yes'] }],
    auxiliary: { file: 'table.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] },
    candidates: { file: 'c.safetensors', metaclass: 'k', metaclasses: ['a', 'b'] },
    property: { name: 'membership', record: 0 },
  }),
  'public.csv': text(publicPart),
  'table.csv': text(table),
  'c.safetensors': encode(
    [
      { name: 'features', shape: [3, 2], data: floats(6) },
      { name: 'labels', shape: [3], data: floats(3) },
      { name: 'metaclass', shape: [3], data: Float64Array.of(0, 1, 0) },
    ],
    { columns: '["x0", "x1"]' },
  ),
  'truth.json': json({
    format: 'overhear-truth/1',
    clients: { '0': { file: 'table.csv', label: 'y', metaclass: 'k', metaclasses: ['a', 'b'] } },
    batches: [{ round: 0, client: '0', rows: [0, 1] }],
    optimum: { '0': 'theta.safetensors' },
    properties: { membership: ['0'] },
  }),
  'theta.safetensors': encode([{ name: 'theta', shape: [4], data: floats(4) }]),
}

function expectFew(warnings: readonly string[]): void {
  if (warnings.length > 60) throw new Error(`${warnings.length} warnings`)
  warnings.forEach(expectSentence)
}

async function readTranscript(store: FileStore): Promise<void> {
  const transcript = await openTranscript(store, { parametersOf })
  expectFew(transcript.warnings)
  for (const { round } of transcript.rounds().slice(0, 5)) expectFew((await transcript.readRound(round)).warnings)
}
async function readKnowledge(store: FileStore): Promise<void> {
  const known = await openKnowledge(store)
  expectFew(known.warnings)
  await known.records()
  await known.auxiliary()
  await known.candidates()
}
async function readTruth(store: FileStore): Promise<void> {
  const truth = await openTruth(store)
  expectFew(truth.warnings)
  await truth.client('0')
  await truth.optimum('0')
}

async function readAll(store: FileStore): Promise<void> {
  await readTranscript(store)
  await (await openKnowledge(store)).candidates()
  await readTruth(store)
}

const wild = [
  '-1',
  '0',
  '-0',
  '1e308',
  '1e999',
  '9007199254740993',
  '4294967296',
  '1.5',
  'null',
  'true',
  '""',
  '[]',
  '{}',
  '[[[[]]]]',
  '"__proto__"',
  '"F64"',
  '"BF16"',
  '"I64"',
  '"\\u0000"',
  '"\\ud800"',
  '[1e15,1e15]',
  '[0,1e15]',
  '"../x"',
  '"mlp"',
  '"opaque"',
  '{"__proto__":{"a":1}}',
  '{"length":1e9}',
  '9'.repeat(400),
  '[1e15,0]',
  '[0,0,0,0,0,0,0]',
]
const rare = [
  `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  `"${'x'.repeat(30_000)}"`,
]

type Roll = (n: number) => number

function spliced(bytes: Uint8Array, at: readonly [start: number, end: number], piece: Uint8Array): Uint8Array {
  const [start, end] = at
  const rest = bytes.subarray(Math.min(end, bytes.length))
  const all = new Uint8Array(start + piece.length + rest.length)
  all.set(bytes.subarray(0, start))
  all.set(piece, start)
  all.set(rest, start + piece.length)
  return all
}

/** One random change to some bytes. */
function mutated(bytes: Uint8Array, roll: Roll): Uint8Array {
  const at = roll(bytes.length + 1)
  switch (roll(9)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return bytes.map((b, i) => (i === at ? b ^ (1 << roll(8)) : b))
    case 2:
      return bytes.map((b, i) => (i === at ? roll(256) : b))
    case 3:
      return spliced(bytes, [at, at + roll(20)], new Uint8Array(0))
    case 4:
      return spliced(bytes, [at, at], bytes.slice(at, at + roll(40)))
    case 5: // the bytes of an infinity or of NaN, somewhere
      return spliced(bytes, [at, at + 8], Uint8Array.of(roll(2), 0, 0, 0, 0, 0, 0xf0, 0x7f))
    default:
      return otherValue(bytes, roll) ?? bytes.slice(0, at)
  }
}

/** A value of the JSON becomes another. */
function otherValue(bytes: Uint8Array, roll: Roll): Uint8Array | undefined {
  const source = Array.from(bytes, (b) => String.fromCharCode(b)).join('')
  const values = [...source.matchAll(/(?<=[:,[])(?:-?\d[\d.e+-]*|"(?:[^"\\]|\\.)*"|\[[^[\]]*\]|\{[^{}]*\})/g)]
  const found = values[roll(values.length)]
  if (found === undefined) return undefined
  const pieces = roll(50) === 0 ? rare : wild
  return spliced(bytes, [found.index, found.index + found[0].length], text(pieces[roll(pieces.length)]!))
}

/** A change to the header of a safetensors file; half of them keep an honest length, so that what lies behind is reached. */
function otherHeader(bytes: Uint8Array, roll: Roll): Uint8Array {
  if (roll(8) === 0) return bytes.map((b, i) => (i < 8 && roll(3) === 0 ? roll(256) : b))
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const header = mutated(bytes.slice(8, end), roll)
  const changed = spliced(bytes, [8, end], header)
  if (roll(2) === 0) new DataView(changed.buffer).setUint32(0, header.length, true)
  return changed
}

function otherData(bytes: Uint8Array, roll: Roll): Uint8Array {
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  return spliced(bytes, [end, bytes.length], mutated(bytes.slice(end), roll))
}

interface Target {
  readonly read: (store: FileStore) => Promise<void>
  readonly names: readonly string[]
  readonly change?: typeof mutated
  /** Most changes matter; some (a digit, a name) leave a valid file. */
  readonly refused: number
}
const containers = ['rounds/000000.safetensors', 'rounds/000001.safetensors', 'c.safetensors', 'theta.safetensors']
const targets: Readonly<Record<string, Target>> = {
  manifest: { read: readTranscript, names: ['transcript.json', 'rounds.jsonl'], refused: 0.5 },
  header: { read: readAll, names: containers, change: otherHeader, refused: 0.7 },
  data: { read: readAll, names: containers, change: otherData, refused: 0.3 },
  knowledge: {
    read: readKnowledge,
    names: ['knowledge.json', 'public.csv', 'table.csv', 'c.safetensors'],
    refused: 0.5,
  },
  truth: { read: readTruth, names: ['truth.json', 'table.csv', 'theta.safetensors'], refused: 0.5 },
}
const times = 800

/** Typed arrays that refuse to be made larger than `allowed.bytes`. */
function watchAllocations(allowed: { bytes: number }): void {
  for (const Real of [Float64Array, Float32Array, Uint8Array, Uint16Array, Uint32Array, ArrayBuffer]) {
    const width = 'BYTES_PER_ELEMENT' in Real ? Real.BYTES_PER_ELEMENT : 1
    const Watched: typeof Real = new Proxy(Real, {
      construct(target, given: unknown[], asked: object): object {
        const n = width * (typeof given[0] === 'number' ? given[0] : 0)
        if (n > allowed.bytes) throw new Error(`${n} bytes were asked for, ${allowed.bytes} allowed`)
        return Reflect.construct(target, given, asked === Watched ? target : (asked as typeof Real)) as object
      },
    })
    vi.stubGlobal(Real.name, Watched)
  }
}

/** One line of a bearable length, nothing that steers a terminal or slipped in from our own side. */
function expectSentence(words: string): void {
  if (words.length > 2000 || /undefined|\[object|\p{Cc}/u.test(words)) throw new Error(`unclean: ${words}`)
}

function expectClean(error: unknown): void {
  if (!(error instanceof OverhearError) || error.code === 'E_INTERNAL') throw error
  expectSentence(error.message)
}

test.each(Object.entries(targets))('a spoilt %s is read or refused, never worse', async (name, target) => {
  const { read, names, change = mutated } = target
  const allowed = { bytes: Number.POSITIVE_INFINITY }
  watchAllocations(allowed)
  const whole = memoryStore(new Map(Object.entries(valid)))
  await read(whole)
  allowed.bytes = 8
  await expect(read(whole)).rejects.toThrow(/bytes were asked for, 8 allowed/)
  allowed.bytes = Number.POSITIVE_INFINITY
  const roll = dice(name.length * 1000)
  let refused = 0
  for (let i = 0; i < times; i++) {
    const files = new Map(Object.entries(valid))
    for (let changes = 1 + roll(2); changes > 0; changes--) {
      const path = names[roll(names.length)]!
      files.set(path, change(files.get(path)!, roll))
    }
    allowed.bytes = 2 * Math.max(...[...files.values()].map((bytes) => bytes.length))
    try {
      await read(memoryStore(files))
    } catch (error) {
      try {
        expectClean(error)
      } catch (cause) {
        const spoilt = names.map((path) => `${path}: ${new TextDecoder().decode(files.get(path)).slice(0, 2000)}`)
        throw new Error(`case ${i}: ${String(cause)}\n${spoilt.join('\n')}`, { cause })
      }
      refused++
    } finally {
      allowed.bytes = Number.POSITIVE_INFINITY
    }
  }
  expect(refused / times).toBeGreaterThan(target.refused)
  expect(refused).toBeLessThan(times)
})
