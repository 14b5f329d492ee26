import { describe, expect, test } from 'vitest'
import { OverhearError } from '../errors.js'
import { csvReader, csvRows } from './csv.js'
import { knowledgeJsonSchema, openKnowledge } from './knowledge-file.js'
import { encode } from './safetensors.js'
import { memoryStore } from './store.js'
import { openTruth, truthJsonSchema } from './truth-file.js'

const text = (s: string): Uint8Array => new TextEncoder().encode(s)
const json = (value: object): Uint8Array => text(JSON.stringify(value))

describe('CSV', () => {
  const rows = (s: string) => [...csvRows(s, 'x')]
  test('quotes, line ends, empty cells and lines', () => {
    expect(rows('a,b\n1,2\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
    expect(rows('\ufeffa,b\r\n"x ""y"", z",\r\n\r\n,"line\nend"')).toEqual([
      ['a', 'b'],
      ['x "y", z', ''],
      ['', 'line\nend'],
    ])
    expect(rows('')).toEqual([])
    expect(rows('a\n\n1')).toEqual([['a'], [''], ['1']])
    expect(rows('a,b\n1,')).toEqual([
      ['a', 'b'],
      ['1', ''],
    ])
  })
  test('faults are told with their line', () => {
    expect(() => rows('a,b\n1\n')).toThrow(/line 2 has 1 cells; the header has 2/)
    expect(() => rows('a,b\n\n"x\ny",1\n1,2,3')).toThrow(/line 5 has 3 cells; the header has 2/)
    expect(() => rows('a,b\n1,2\n""\n')).toThrow(/line 3 has 1 cells/)
    expect(() => rows('a\n"1')).toThrow(/line 2 opens a quote that is never closed/)
    expect(() => rows('a,b\n"x\ny","z\n1,2\n')).toThrow(/line 3 opens a quote/)
    expect(() => rows('a\n"1"2')).toThrow(/line 2 goes on after a closing quote; "," is needed there/)
    expect(() => rows('a\n1\n5" wide')).toThrow(/line 3 has a quote inside a cell/)
    expect(() => rows('a,b\r1,2\r')).toThrow(/line 1 holds a carriage return without a line feed/)
    expect(() => rows('a,\n1,')).toThrow(/column 2 of 2 has no name/)
    expect(() => rows('a,b,a\n1,2,3')).toThrow(/the header holds "a" twice/)
  })
  test('comes in pieces of any size to the same rows and the same faults', () => {
    const whole = '\ufeffskipped "\r\na;b\r\n"x ""y""; z";\r\n\r\n;"line\r\nend"\r\n"";""""\r\n1;2'
    const outcome = (text: string, size: number): unknown => {
      const reader = csvReader({ where: 'x', delimiter: ';', skip: 1 })
      const found: (readonly string[])[] = []
      try {
        for (let i = 0; i <= text.length; i += size) {
          for (const row of reader.read(text.slice(i, i + size), i + size > text.length)) found.push(row)
        }
      } catch (error) {
        found.push([(error as Error).message])
      }
      return found
    }
    expect(outcome(whole, 1e3)).toEqual([
      ['a', 'b'],
      ['x "y"; z', ''],
      ['', 'line\r\nend'],
      ['', '"'],
      ['1', '2'],
    ])
    for (const text of [whole, `${whole};`, `${whole}"`, `${whole}\n"`, whole.replaceAll('\n', '')]) {
      for (let size = 1; size < 12; size++) expect(outcome(text, size)).toEqual(outcome(text, 1e3))
    }
  })
})

const knowledge = {
  format: 'overhear-knowledge/1',
  target: '0',
  round: 0,
  batchSize: 2,
  records: { file: 'public.csv', label: 'charges' },
  sensitive: [
    { name: 'smoker', columns: ['smoker_yes'], kind: 'binary', values: [[-0.5], [1.97]], words: ['no', 'yes'] },
    { name: 'bmi', columns: ['bmi'], kind: 'continuous', values: [-2, 3] },
  ],
  auxiliary: { file: 'aux.csv', label: 'salary', metaclass: 'education', metaclasses: ['School', 'Bachelor, or so'] },
  metaclassCounts: [1, 1],
  candidates: { file: 'candidates.safetensors', label: 'class' },
  property: { name: 'membership', record: 1 },
}
const files = {
  'public.csv': text('age,smoker_yes,charges,bmi\n0.5,,1e3,\n-1,,.5,\n'),
  'aux.csv': text('salary,x,education\n1,2,"Bachelor, or so"\n3,4,School\n'),
  'candidates.safetensors': encode([
    { name: 'features', shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
    { name: 'labels', shape: [2], data: Float64Array.of(0, 1) },
  ]),
}
const open = (change: object = {}, more: object = {}) =>
  openKnowledge(
    memoryStore(new Map(Object.entries({ ...files, ...more, 'knowledge.json': json({ ...knowledge, ...change }) }))),
  )

describe('knowledge', () => {
  test('what it says', async () => {
    const known = await open()
    expect(known).toMatchObject({ target: '0', batchSize: 2, metaclassCounts: [1, 1], warnings: [] })
    expect(known.sensitive).toEqual([
      { name: 'smoker', columns: ['smoker_yes'], kind: 'binary', values: [[-0.5], [1.97]], words: ['no', 'yes'] },
      { name: 'bmi', columns: ['bmi'], kind: 'continuous', range: [-2, 3] },
    ])
    const records = (await known.records())!
    expect(records.columns).toEqual(['age', 'smoker_yes', 'bmi'])
    expect([...records.features.data]).toEqual([0.5, NaN, NaN, -1, NaN, NaN])
    expect([...records.labels!]).toEqual([1000, 0.5])
    const auxiliary = (await known.auxiliary())!
    expect([auxiliary.columns, [...auxiliary.features.data], [...auxiliary.metaclasses!]]).toEqual([
      ['x'],
      [2, 4],
      [1, 0],
    ])
    const candidates = (await known.candidates())!
    expect([candidates.columns, candidates.features.cols, [...candidates.labels!]]).toEqual([
      ['0', '1', '2'],
      3,
      [0, 1],
    ])
  })

  test('every key is optional', async () => {
    const store = memoryStore(new Map([['knowledge.json', json({ format: 'overhear-knowledge/1' })]]))
    const known = await openKnowledge(store)
    expect(Object.keys(known).filter((key) => typeof known[key as keyof typeof known] !== 'function')).toEqual([
      'warnings',
    ])
    expect(await known.records()).toBeUndefined()
    expect(await knowledgeJsonSchema()).toMatchObject({ required: ['format'] })
  })

  test('Parquet goes through the reader that was given', async () => {
    const change = { records: { file: 'r.parquet', label: 'y' }, sensitive: undefined }
    await expect((await open(change)).records()).rejects.toThrow(/Parquet, which cannot be read here/)
    const store = memoryStore(new Map([['knowledge.json', json({ ...knowledge, ...change })]]))
    const readParquet = async () => ({ columns: ['y', 'x'], rows: [[1, '2.5']] })
    const table = await (await openKnowledge(store, { readParquet })).records()
    expect([[...table!.features.data], [...table!.labels!]]).toEqual([[2.5], [1]])
  })

  const [smoker] = knowledge.sensitive
  test.each<[string, object, RegExp]>([
    ['other format', { format: 'x' }, /format is "x"/],
    ['rows of values', { sensitive: [{ ...smoker, values: [[1], [2, 3]] }] }, /2 rows of 1, 2; 2 rows of 1 are needed/],
    ['words', { sensitive: [{ ...smoker, words: ['no'] }] }, /words has 1; values has 2/],
    ['a range that falls', { sensitive: [{ ...smoker, kind: 'continuous', values: [2, 1] }] }, /no range/],
    ['counts', { metaclassCounts: [1] }, /metaclassCounts has 1 numbers; auxiliary.metaclasses has 2/],
  ])('%s is an error', async (_, change, message) => {
    await expect(open(change)).rejects.toThrow(message)
  })

  test.each<[string, object, object, RegExp]>([
    ['outside', { records: { file: '../public.csv' } }, {}, /records\.file: the path is/],
    ['absent', { records: { file: 'none.csv' } }, {}, /no file "none.csv"/],
    ['unknown ending', { records: { file: 'a.xlsx' } }, {}, /known: \.csv/],
    ['no such label', { records: { file: 'public.csv', label: 'charge' } }, {}, /did you mean "charges"/],
    ['sensitive column absent', {}, { 'public.csv': text('age,charges\n1,2\n') }, /"smoker_yes" is not in records/],
    [
      'sensitive column filled',
      {},
      { 'public.csv': text('age,smoker_yes,charges,bmi\n1,,1,\n2,,2,-0.5\n') },
      /"bmi" holds -0.5 in record 2 of records; .* empty/,
    ] as [string, object, object, RegExp],
    [
      'sensitive column filled twice',
      {},
      { 'public.csv': text('smoker_yes,age,charges,bmi\n1,1,1,\n0,2,2,\n') },
      /"smoker_yes" holds 1 in record 1 of records/,
    ] as [string, object, object, RegExp],
    ['not sensitive', { sensitive: undefined }, {}, /column "smoker_yes" holds ""/],
    ['empty cell', {}, { 'public.csv': text('age,smoker_yes,charges,bmi\n,,1,\n') }, /record 1, column "age" holds ""/],
    ['text', {}, { 'public.csv': text('age,smoker_yes,charges,bmi\n0x10,,1,\n') }, /column "age" holds "0x10"/],
    ['infinite', {}, { 'public.csv': text('age,smoker_yes,charges,bmi\n1e999,,1,\n') }, /holds "1e999"/],
    ['same column', {}, { 'public.csv': text('age,age\n1,2\n') }, /"age" twice/],
    ['empty file', {}, { 'public.csv': text('') }, /is empty/],
  ])('records: %s is an error', async (_, change, more, message) => {
    const known = await open(change, more)
    await expect(known.records()).rejects.toThrow(message)
    await expect(known.records()).rejects.toThrow(OverhearError)
  })

  test('other tables are checked too', async () => {
    const aux = { 'aux.csv': text('salary,x,education\n1,2,PhD\n') }
    await expect((await open({}, aux)).auxiliary()).rejects.toThrow(/metaclass is "PhD"; known: School/)
    await expect((await open({ property: { name: 'm', record: 2 } })).candidates()).rejects.toThrow(
      /property.record is 2/,
    )
    const none = encode([{ name: 'features', shape: [0, 1e12], data: new Float64Array(0) }])
    await expect((await open({}, { 'candidates.safetensors': none })).candidates()).rejects.toThrow(/no records/)
    const nan = encode([{ name: 'features', shape: [1, 2], data: Float64Array.of(1, NaN) }])
    await expect((await open({}, { 'candidates.safetensors': nan })).candidates()).rejects.toThrow(
      /record 1, column "1"/,
    )
  })
})

describe('several labels', () => {
  const csv = text('a,y,b,z\n1,2,3,4\n5,6,7,8\n')
  const tensors = (shape: number[]) =>
    encode([
      { name: 'features', shape: [2, 2], data: Float64Array.of(1, 3, 5, 7) },
      { name: 'labels', shape, data: Float64Array.of(4, 2, 8, 6) },
    ])
  const truthWith = (label: unknown, file = 't.csv', bytes = csv) =>
    openTruth(
      memoryStore(
        new Map([
          ['truth.json', json({ format: 'overhear-truth/1', clients: { c: { file, label } } })],
          [file, bytes],
        ]),
      ),
    )

  test('stand one after the other, in the order that names them, in truth and knowledge', async () => {
    const table = (await (await truthWith(['z', 'y'])).client('c'))!
    expect([table.columns, [...table.features.data], [...table.labels!]]).toEqual([
      ['a', 'b'],
      [1, 3, 5, 7],
      [4, 2, 8, 6],
    ])
    const known = await open({ records: { file: 't.csv', label: ['z', 'y'] }, sensitive: undefined }, { 't.csv': csv })
    expect([...(await known.records())!.labels!]).toEqual([4, 2, 8, 6])
    const stored = await (await truthWith(['z', 'y'], 't.safetensors', tensors([2, 2]))).client('c')
    expect([...stored!.labels!]).toEqual([4, 2, 8, 6])
    expect([...(await (await truthWith(['y'])).client('c'))!.labels!]).toEqual([2, 6])
  })

  test('that are not there, or twice, are errors', async () => {
    await expect((await truthWith(['z', 'yy'])).client('c')).rejects.toThrow(
      /label is "yy", which is no column of t.csv/,
    )
    await expect((await truthWith(['z', 'z'])).client('c')).rejects.toThrow(/label holds "z" twice/)
    await expect(truthWith([])).rejects.toThrow(/clients.c.label/)
    await expect(truthWith([3])).rejects.toThrow(/clients.c.label/)
    const flat = await truthWith(['z', 'y'], 't.safetensors', tensors([4]))
    await expect(flat.client('c')).rejects.toThrow(/no tensor "labels" of 2 x 2 values/)
    const one = await truthWith('z', 't.safetensors', tensors([2, 2]))
    await expect(one.client('c')).rejects.toThrow(/no tensor "labels" of 2 values/)
  })
})

test('a safetensors table may name its columns, and says metaclasses by number', async () => {
  const features = { name: 'features', shape: [2, 2], data: Float64Array.of(1, NaN, 3, NaN) }
  const change = (columns: unknown, metaclass: number[] = [1, 0], data = features.data) => {
    const numbers = { name: 'metaclass', shape: [2], data: Float64Array.from(metaclass) }
    const bytes = encode([{ ...features, data }, numbers], { columns: JSON.stringify(columns) })
    const records = { file: 'r.safetensors', metaclass: 'k', metaclasses: ['a', 'b'] }
    const sensitive = [{ name: 's', columns: ['x'], kind: 'continuous', values: [0, 1] }]
    return open({ records, sensitive }, { 'r.safetensors': bytes })
  }
  const table = await (await change(['age', 'x'])).records()
  expect([table!.columns, [...table!.metaclasses!]]).toEqual([
    ['age', 'x'],
    [1, 0],
  ])
  const fails = async (known: ReturnType<typeof change>, message: RegExp) =>
    expect((await known).records()).rejects.toThrow(message)
  await fails(change(['x']), /no list of 2 names/)
  await fails(change(['x', 1]), /no list of 2 names/)
  await fails(change(['x', 'x']), /"x" twice/)
  await fails(change(['age', 'x'], [1, 2]), /record 2: the metaclass is 2; 0 to 1 are possible/)
  await fails(change(['age', 'x'], [0.5, 0]), /the metaclass is 0.5/)
  await fails(change(['age', 'x'], [1, 0], Float64Array.of(1, Infinity, 3, NaN)), /column "x" holds Infinity/)
})

describe('truth', () => {
  const truth = {
    format: 'overhear-truth/1',
    clients: { '0': { file: '0.csv', label: 'y' } },
    batches: [{ round: 0, client: '0', rows: [1] }],
    optimum: { '0': 'optimum-0.safetensors' },
    properties: { membership: ['3', '7'], inversion: [] },
    contribution: { '0': 0.25 },
    participation: [{ round: 0, clients: ['0', '3'] }],
    protocol: { optimizer: { name: 'adam' } },
  }
  const openWith = (change: object = {}) => {
    const theta = encode([{ name: 'theta', shape: [2], data: Float64Array.of(1, 2) }])
    const all = { '0.csv': text('x,y,k\n1,2,a\n3,4,b\n'), 'optimum-0.safetensors': theta }
    return openTruth(memoryStore(new Map(Object.entries({ ...all, 'truth.json': json({ ...truth, ...change }) }))))
  }
  test('what it says', async () => {
    const known = await openWith()
    const table = await known.client('0', { metaclass: 'k', metaclasses: ['b', 'a'] })
    expect([[...table!.features.data], [...table!.labels!], [...table!.metaclasses!]]).toEqual([
      [1, 3],
      [2, 4],
      [1, 0],
    ])
    expect(known.batch({ round: 0, client: '0' })).toEqual([1])
    expect(known.batch({ round: 1, client: '0' })).toBeUndefined()
    expect(known.participation).toEqual(new Map([[0, ['0', '3']]]))
    expect(await known.optimum('0')).toEqual(Float64Array.of(1, 2))
    expect([known.property('membership'), known.property('inversion'), known.property('ascent')]).toEqual([
      ['3', '7'],
      [],
      undefined,
    ])
    expect([await known.client('1'), await known.optimum('toString'), known.property('constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
  test('faults', async () => {
    await expect(openWith({ clients: { 'a b': { file: 'x' } } })).rejects.toThrow(/clients\.a b is .*matches/)
    await expect(openWith({ batches: [...truth.batches, ...truth.batches] })).rejects.toThrow(/twice/)
    const beyond = await openWith({ batches: [{ round: 0, client: '0', rows: [2] }] })
    await expect(beyond.client('0', { metaclass: 'k', metaclasses: ['a', 'b'] })).rejects.toThrow(
      /row 2; its file has 2/,
    )
    await expect((await openWith({ optimum: { '0': '/etc/x' } })).optimum('0')).rejects.toThrow(/the path is/)
  })

  describe('records that were held back', () => {
    const files = (more: Record<string, string | Uint8Array>, spec: object = {}) => {
      const own = { file: '0.csv', label: 'y', id: 'who', heldBack: 'held.csv', ...spec }
      const all = {
        '0.csv': 'x,y,who\n1,2,ada\n3,4,bob\n',
        'truth.json': JSON.stringify({ format: 'overhear-truth/1', clients: { '0': own } }),
        ...more,
      }
      return openTruth(
        memoryStore(new Map(Object.entries(all).map(([k, v]) => [k, typeof v === 'string' ? text(v) : v]))),
      )
    }
    test('have the columns of the trained, and names that are no inputs', async () => {
      const known = await files({ 'held.csv': 'x,who,y\n5,"eve, too",6\n' })
      const [trained, held] = [(await known.client('0'))!, (await known.heldBack('0'))!]
      expect([held.columns, [...held.features.data], [...held.labels!]]).toEqual([['x'], [5], [6]])
      expect([trained.columns, trained.ids]).toEqual([['x'], ['ada', 'bob']])
      expect([await known.ids('0'), await known.heldBackIds('0')]).toEqual([['ada', 'bob'], ['eve, too']])
      expect([await known.heldBack('1'), await known.ids('1'), await known.heldBackIds('1')]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    })
    test('faults', async () => {
      const other = await files({ 'held.csv': 'z,y,who\n5,6,eve\n' })
      await expect(other.heldBack('0')).rejects.toThrow('held.csv has the columns z; those of the trained records')
      await expect((await files({ 'held.csv': 'x,y\n5,6\n' })).heldBack('0')).rejects.toThrow(
        'clients.0, heldBack.id is "who", which is no column of held.csv',
      )
      const nameless = await files({ '0.csv': 'x,y,who\n1,2,\n' })
      await expect(nameless.client('0')).rejects.toThrow('0.csv: record 1 has no id; fill the column in')
      await expect((await files({}, { heldBack: '../x.csv' })).heldBack('0')).rejects.toThrow('the path is "../x.csv"')
    })
  })

  test('its schema for editors names the keys and refuses what the reader refuses', async () => {
    const schema = (await truthJsonSchema()) as { required: string[]; properties: Record<string, object> }
    expect(schema.required).toEqual(['format'])
    expect(Object.keys(schema.properties)).toEqual(['format', ...Object.keys(truth).filter((key) => key !== 'format')])
    expect(schema.properties.clients).toMatchObject({
      propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,128}$' },
      additionalProperties: { required: ['file'] },
    })
    expect(schema.properties.batches).toMatchObject({ items: { required: ['round', 'client', 'rows'] } })
  })
})
