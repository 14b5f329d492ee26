import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { disk } from '../../test/simulated-disk.js'
import { encodeSource } from '../data/dataset.js'
import { loadDataset } from '../data/index.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import type { Table } from './encoded-table.js'
import { jsonText } from './json.js'
import { openKnowledge } from './knowledge-file.js'
import { openTruth } from './truth-file.js'
import { type KnowledgeToWrite, type SensitiveToWrite, writeKnowledge } from './write-knowledge.js'
import type { TableToWrite } from './write-table.js'
import { type TruthToWrite, writeTruth } from './write-truth.js'

const bitsOf = (values: ArrayLike<number> | undefined) =>
  values && [...new BigUint64Array(Float64Array.from(values).buffer)]

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
/** Names as strangers choose them; half of a surrogate pair cannot be written. */
const name = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('a,b', '"', '\r', ' x ', '\ufeffy', 'é\n', '0'))
  .filter((s) => s !== '' && !/\p{Surrogate}/u.test(s))

interface Shape {
  readonly label?: boolean
  readonly metaclass?: boolean
  readonly rows?: number
}
/** Labels of a record. */
const several = fc.constantFrom(1, 1, 2, 3)
const tables = (shape: Shape = {}): fc.Arbitrary<TableToWrite> =>
  fc
    .record({ d: fc.integer({ min: 1, max: 4 }), n: fc.integer({ min: shape.rows ?? 0, max: 5 }), c: several })
    .chain(({ d, n, c }) =>
      fc
        .record({
          names: fc.uniqueArray(name, { minLength: d + 4, maxLength: d + 4 }),
          data: fc.array(finite, { minLength: n * d, maxLength: n * d }),
          labels: fc.array(finite, { minLength: n * c, maxLength: n * c }),
          words: fc.uniqueArray(fc.oneof(name, fc.constant('')), { minLength: 1, maxLength: 3 }),
          rolls: fc.array(fc.nat(), { minLength: n, maxLength: n }),
          has: fc.record({ label: fc.boolean(), metaclass: fc.boolean() }),
        })
        .map(({ names, data, labels, words, rolls, has }) => ({
          columns: names.slice(0, d),
          features: matrix(n, d, Float64Array.from(data)),
          ...((shape.label ?? has.label) && {
            label: { name: c === 1 ? names[d]! : names.slice(d, d + c), values: Float64Array.from(labels) },
          }),
          ...((shape.metaclass ?? has.metaclass) && {
            metaclass: { name: names[d + 3]!, words, numbers: rolls.map((r) => r % words.length) },
          }),
        })),
    )
/** CSV for all, or safetensors for all: such a file without rows is refused. */
const forms = [
  [Number.POSITIVE_INFINITY, 0],
  [-1, 1],
] as const

function expectSame(read: Table | undefined, written: TableToWrite | undefined, emptied: readonly string[] = []) {
  if (written === undefined) return expect(read).toBeUndefined()
  const { columns, features, label, metaclass } = written
  expect(read!.columns).toEqual(columns)
  expect([read!.features.rows, read!.features.cols]).toEqual([features.rows, features.cols])
  const kept = features.data.map((v, i) => (emptied.includes(columns[i % columns.length]!) ? NaN : v))
  expect(bitsOf(read!.features.data)).toEqual(bitsOf(kept))
  expect(bitsOf(read!.labels)).toEqual(bitsOf(label?.values))
  expect(read!.metaclasses && [...read!.metaclasses]).toEqual(metaclass && [...Array.from(metaclass.numbers)])
}

const clientId = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/).filter((id) => id !== '__proto__')

describe.each(forms)('with safetensors above %d cells', (safetensorsAbove, rows) => {
  const tableSet = fc.record(
    {
      records: tables({ rows }),
      auxiliary: tables({ rows, label: true, metaclass: true }),
      candidates: tables({ rows: 1 }),
    },
    { requiredKeys: [] },
  )
  const scalars = fc.record(
    { target: clientId, round: fc.nat(), batchSize: fc.integer({ min: 1 }), counts: fc.boolean() },
    { requiredKeys: [] },
  )

  test('knowledge is read back, its sensitive columns empty', async () => {
    await fc.assert(
      fc.asyncProperty(tableSet, scalars, fc.array(finite, { minLength: 4, maxLength: 4 }), async (set, more, v) => {
        const { counts, ...plain } = more
        const [first, ...others] = set.records?.columns ?? ['x']
        const sensitive: SensitiveToWrite[] = [
          { name: 's', columns: [first!], kind: 'binary', values: [[v[0]!], [v[1]!]], words: ['no', 'yes'] },
          { name: 'r', columns: [first!], kind: 'continuous', range: [Math.min(...v), Math.max(...v)] },
        ]
        if (others.length >= 2) {
          const values = [v.slice(0, 2), v.slice(2), [-0, 1]]
          sensitive.push({ name: 'c', columns: others.slice(0, 2), kind: 'categorical', values })
        }
        const knowledge: KnowledgeToWrite = {
          ...set,
          ...plain,
          sensitive,
          ...(counts && set.auxiliary && { metaclassCounts: set.auxiliary.metaclass!.words.map((_, i) => i) }),
          ...(set.candidates && { property: { name: 'membership', record: set.candidates.features.rows - 1 } }),
        }
        const { store, files } = disk()
        await writeKnowledge(store, knowledge, { safetensorsAbove })
        expect([...files.keys()].filter((path) => path.endsWith('.tmp'))).toEqual([])
        const read = await openKnowledge(store)
        const { records: _, auxiliary: __, candidates: ___, ...rest } = knowledge
        const metaclasses = set.auxiliary && {
          metaclass: set.auxiliary.metaclass!.name,
          metaclasses: set.auxiliary.metaclass!.words,
        }
        expect({ ...read }).toEqual({
          ...rest,
          ...metaclasses,
          warnings: [],
          records: expect.any(Function),
          auxiliary: expect.any(Function),
          candidates: expect.any(Function),
        })
        const emptied = sensitive.flatMap(({ columns }) => columns)
        expectSame(await read.records(), set.records, emptied)
        expectSame(await read.auxiliary(), set.auxiliary)
        expectSame(await read.candidates(), set.candidates)
      }),
      { numRuns: 150 },
    )
  })

  test('truth is read back', async () => {
    const ids = fc.uniqueArray(clientId, { minLength: 1, maxLength: 4 })
    const properties = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.uniqueArray(clientId, { maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(
        ids,
        fc.array(tables({ rows }), { minLength: 4, maxLength: 4 }),
        fc.array(fc.array(finite), { minLength: 4, maxLength: 4 }),
        properties,
        async (names, chosen, thetas, held) => {
          const truth: TruthToWrite = {
            clients: new Map(names.map((id, i) => [id, chosen[i]!])),
            batches: names.map((client, i) => {
              const n = chosen[i]!.features.rows
              return { round: i, client, rows: Int32Array.from({ length: n }, (_, k) => n - 1 - k) }
            }),
            optimum: new Map(names.slice(1).map((id, i) => [id, Float64Array.from(thetas[i]!)])),
            properties: held,
          }
          const { store } = disk()
          await writeTruth(store, truth, { safetensorsAbove })
          const read = await openTruth(store)
          expect(read.warnings).toEqual([])
          for (const [i, id] of names.entries()) {
            expectSame(await read.client(id), chosen[i]!)
            expect(read.batch({ round: i, client: id })).toEqual([...Array.from(truth.batches![i]!.rows)])
            expect(bitsOf(await read.optimum(id))).toEqual(bitsOf(truth.optimum!.get(id)))
          }
          for (const [property, clients] of Object.entries(held)) expect(read.property(property)).toEqual(clients)
        },
      ),
      { numRuns: 150 },
    )
  })
})

const people: TableToWrite = {
  columns: ['age', 'smoker_yes', 'bmi'],
  features: matrix(2, 3, Float64Array.of(0.5, 1.97, 7.25, -1, -0.5, 8.5)),
  label: { name: 'charges', values: Float64Array.of(1000, 0.5) },
}
const smoker = { name: 'smoker', columns: ['smoker_yes'], kind: 'binary', values: [[-0.5], [1.97]] } as const
const read = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

describe('the files', () => {
  test('knowledge looks as documented', async () => {
    const { store, files } = disk()
    await writeKnowledge(store, { target: '0', records: people, sensitive: [smoker] }, { path: 'k.json' })
    expect(read(files.get('k-records.csv'))).toBe('age,smoker_yes,bmi,charges\n0.5,,7.25,1000\n-1,,8.5,0.5\n')
    expect(JSON.parse(read(files.get('k.json')))).toEqual({
      format: 'overhear-knowledge/1',
      target: '0',
      records: { file: 'k-records.csv', label: 'charges' },
      sensitive: [smoker],
    })
  })

  test('truth keeps files of ids apart that differ only in case', async () => {
    const { store, files } = disk()
    const optimum = new Map([['A', Float64Array.of(1)]])
    await writeTruth(store, { clients: new Map(['a', 'A'].map((id) => [id, people])), optimum })
    expect(new Set([...files.keys()].map((path) => path.toLowerCase())).size).toBe(files.size)
    expect((await (await openTruth(store)).client('A'))?.features.rows).toBe(2)
  })

  test('held-back records lie beside the trained ones, with names, whatever clients are called', async () => {
    const named = (...values: string[]): TableToWrite => ({ ...people, id: { name: 'patient', values } })
    for (const safetensorsAbove of [0, 100]) {
      const { store, files } = disk()
      const clients = new Map([
        ['0', named('ada', 'bob, "x"')],
        ['0-held-back', named('1', '2')],
      ])
      const heldBack = new Map([['0', named('eve', '\ufeffmallory')]])
      await writeTruth(store, { clients, heldBack, contribution: new Map([['0', -0.5]]) }, { safetensorsAbove })
      const ending = safetensorsAbove === 0 ? 'safetensors' : 'csv'
      expect([...files.keys()].sort()).toEqual(
        [`0-held-back.${ending}`, `0.${ending}`, `0~held-back.${ending}`, 'truth.json'].sort(),
      )
      expect(JSON.parse(read(files.get('truth.json'))).clients['0']).toEqual({
        file: `0.${ending}`,
        label: 'charges',
        id: 'patient',
        heldBack: `0~held-back.${ending}`,
      })
      const truth = await openTruth(store)
      expect(await truth.ids('0')).toEqual(['ada', 'bob, "x"'])
      expect(await truth.heldBackIds('0')).toEqual(['eve', '\ufeffmallory'])
      expect((await truth.heldBack('0'))!.features).toEqual(people.features)
      expect((await truth.heldBack('0'))!.columns).toEqual(people.columns)
      expect(await truth.heldBack('0-held-back')).toBeUndefined()
      expect(truth.contribution).toEqual(new Map([['0', -0.5]]))
    }
  })

  test('held-back records that are described otherwise, and rows without a name, are refused', async () => {
    const { store, files } = disk()
    const clients = new Map([['0', people]])
    const other = { ...people, label: { name: 'costs', values: Float64Array.of(1, 2) } }
    await expect(writeTruth(store, { clients, heldBack: new Map([['0', other]]) })).rejects.toThrow(
      'truth.json: clients.0, heldBack is described as {"label":"costs"}; the trained: {"label":"charges"}',
    )
    const nameless = { ...people, id: { name: 'patient', values: ['ada', ' '] } }
    await expect(writeTruth(store, { clients: new Map([['0', nameless]]) })).rejects.toThrow('row 1 has no id')
    const short = { ...people, id: { name: 'patient', values: ['ada'] } }
    await expect(writeTruth(store, { clients: new Map([['0', short]]) })).rejects.toThrow('id has 1 values; 2 rows')
    expect(files.size).toBe(0)
  })

  test('a table of more than 200,000 cells is safetensors unless told', async () => {
    const { store, files } = disk()
    const wide = (n: number) => ({ columns: ['x', 'y'], features: matrix(n, 2) })
    const clients = new Map([
      ['small', wide(100_000)],
      ['large', wide(100_001)],
    ])
    await writeTruth(store, { clients })
    expect([...files.keys()].sort()).toEqual(['large.safetensors', 'small.csv', 'truth.json'])
  })

  test('a dataset of the table goes in as it is, the attributes too', async () => {
    const source = await loadDataset('cps-wages', { rng: rng(1) })
    const dataset = encodeSource(source)
    const records: TableToWrite = {
      columns: dataset.columns.map((column) => column.name),
      features: dataset.records.features,
      label: { name: dataset.label.name, values: dataset.records.labels },
    }
    const { store } = disk()
    await writeKnowledge(store, { records, sensitive: dataset.sensitive })
    await writeTruth(store, { clients: new Map([['0', records]]) })
    const known = await openKnowledge(store)
    const hidden = dataset.sensitive.flatMap(({ columns }) => columns)
    expect(hidden.length).toBeGreaterThan(0)
    expectSame(await known.records(), records, hidden)
    expectSame(await (await openTruth(store)).client('0'), records)
    expect(known.sensitive?.map((one) => one.name)).toEqual(dataset.sensitive.map((one) => one.name))
  })

  test('JSON keeps every bit and leaves out what is undefined', () => {
    const value = { a: -0, b: [5e-324, { c: undefined, d: -0 }], e: undefined, ['__proto__']: null }
    const back = JSON.parse(jsonText(value)) as typeof value
    expect(Object.is(back.a, -0)).toBe(true)
    expect(back.b).toEqual([5e-324, { d: -0 }])
    expect(Object.keys(back)).toEqual(['a', 'b', '__proto__'])
  })
})

describe('what a reader would refuse is not written', () => {
  const metaclass = { name: 'm', words: ['a', 'b'], numbers: [0, 1] }
  test.each<[string, Partial<KnowledgeToWrite>, RegExp]>([
    ['a wild id', { target: '../x' }, /target is "\.\.\/x"/],
    [
      'NaN',
      { records: { ...people, features: matrix(1, 3, Float64Array.of(1, NaN, 3)) } },
      /label has 2 values; 1 rows/,
    ],
    [
      'NaN in a feature',
      { auxiliary: { columns: ['x'], features: matrix(1, 1, Float64Array.of(NaN)) } },
      /row 0, column "x" holds NaN/,
    ],
    [
      'NaN in a label',
      { candidates: { ...people, label: { name: 'y', values: Float64Array.of(1, NaN) } } },
      /column "y" holds NaN/,
    ],
    ['columns', { records: { ...people, columns: ['age'] } }, /1 columns are named; the features have 3/],
    ['a name twice', { records: { ...people, columns: ['age', 'smoker_yes', 'charges'] } }, /"charges" twice/],
    ['an empty name', { auxiliary: { columns: [''], features: matrix(1, 1) } }, /the name "" cannot/],
    ['half a character', { auxiliary: { columns: ['\ud800'], features: matrix(1, 1) } }, /cannot be written/],
    ['no column', { auxiliary: { columns: [], features: matrix(1, 0) } }, /has no columns/],
    ['metaclass', { auxiliary: { ...people, metaclass: { ...metaclass, numbers: [0, 2] } } }, /row 1 is 2; 2 words/],
    ['words twice', { auxiliary: { ...people, metaclass: { ...metaclass, words: ['a', 'a'] } } }, /"a" twice/],
    ['counts', { auxiliary: { ...people, metaclass }, metaclassCounts: [1] }, /metaclassCounts has 1/],
    ['sensitive', { records: people, sensitive: [{ ...smoker, columns: ['smoker_no'] }] }, /"smoker_no" is no column/],
    ['a bad range', { sensitive: [{ ...smoker, kind: 'continuous' as const, values: [[2], [1]] }] }, /no range/],
    ['a record', { candidates: people, property: { name: 'm', record: 2 } }, /record is 2; candidates has 2/],
  ])('knowledge: %s', async (_, knowledge, message) => {
    const { store, files } = disk()
    await expect(writeKnowledge(store, { records: people, ...knowledge })).rejects.toThrow(message)
    expect(files.size).toBe(0)
  })

  test.each<[string, TruthToWrite, RegExp]>([
    ['a wild id', { clients: new Map([['a/b', people]]) }, /truth\.json/],
    ['no key', { clients: new Map([['__proto__', people]]) }, /clients holds the key "__proto__"/],
    [
      'no property',
      { properties: JSON.parse('{ "__proto__": ["a"] }') as Record<string, string[]> },
      /properties holds/,
    ],
    [
      'rows',
      { clients: new Map([['a', people]]), batches: [{ round: 0, client: 'a', rows: [2] }] },
      /holds row 2; its/,
    ],
    ['a batch twice', { batches: [0, 0].map((round) => ({ round, client: 'a', rows: [] })) }, /twice/],
    ['an optimum', { optimum: new Map([['a', Float64Array.of(1, Infinity)]]) }, /holds Infinity at 1/],
  ])('truth: %s', async (_, truth, message) => {
    const { store, files } = disk()
    await expect(writeTruth(store, truth)).rejects.toThrow(message)
    expect(files.size).toBe(0)
  })

  test('nor is the knowledge put into another folder', async () => {
    await expect(writeKnowledge(disk().store, {}, { path: 'a/k.json' })).rejects.toThrow(/a name that ends in \.json/)
  })
})

test('a cut of the power leaves no file that names what is not there', async () => {
  for (let life = 0; life < 12; life++) {
    const { store, files } = disk(life)
    const truth = { clients: new Map([['a', people]]), optimum: new Map([['a', Float64Array.of(1)]]) }
    const cut = await writeTruth(store, truth).then(
      () => false,
      () => true,
    )
    expect(cut).toBe(life < 9) // makeFolder, 3 files of 2 steps, 2 syncs
    if (!files.has('truth.json')) continue
    const left = await openTruth(disk(99, files).store)
    expect([(await left.client('a'))?.features.rows, await left.optimum('a')]).toEqual([2, Float64Array.of(1)])
  }
})
