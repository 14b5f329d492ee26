import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileReader } from '../data/dataset-entry.js'
import { numberColumn, tableOf, wordColumn } from '../data/table.js'
import { readWorld, type ScenarioInput } from './scenario-schema.js'
import { buildWorld, chooseModel } from './world.js'

const scenario = (parts: Partial<ScenarioInput> & { data: ScenarioInput['data'] }) =>
  readWorld({ heldBack: 0, partition: { name: 'iid', params: { clients: 3 } }, models: [{ kind: 'linear' }], ...parts })
/** Numbers only, so that any split can be encoded. */
const numbers = { name: 'metaclass-synthetic', params: { records: 60, inputs: 4 } }
const rowsOf = ({ clients }: Awaited<ReturnType<typeof buildWorld>>) => clients.flatMap(({ rows }) => [...rows])

describe('who holds which rows', () => {
  test('nobody holds a row twice, and all rows in use are dealt', async () => {
    // Of 12 rows, half and half of the rest leave 3: one for each client.
    const shares = fc.double({ min: 0, max: 0.5, noNaN: true })
    const rows = fc.option(fc.integer({ min: 12, max: 80 }), { nil: null })
    await fc.assert(
      fc.asyncProperty(shares, shares, rows, fc.nat(), async (auxiliary, validation, used, seed) => {
        const world = await buildWorld(scenario({ seed, data: { ...numbers, auxiliary, validation, rows: used } }))
        const all = [...rowsOf(world), ...world.auxiliary, ...world.validation]
        expect(new Set(all).size).toBe(all.length)
        expect(all.length).toBe(Math.min(used ?? 60, 60))
        expect(all.every((row) => row >= 0 && row < 60)).toBe(true)
        expect(world.clients.map(({ id }) => id)).toEqual(['0', '1', '2'])
        expect(world.clients.every(({ rows: own }) => own.length > 0)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('is the same for the same seed and another for another', async () => {
    const [one, same, other] = await Promise.all(
      [3, 3, 4].map((seed) => buildWorld(scenario({ seed, data: { name: 'cps-wages' } }))),
    )
    expect(rowsOf(same!)).toEqual(rowsOf(one!))
    expect(rowsOf(other!)).not.toEqual(rowsOf(one!))
  })
})

/** A table of one's own in memory: an age, a bmi, and whether they smoke. */
const mine = (values: (row: number) => readonly [number, number, string]): FileReader => ({
  bytes: async () => new Uint8Array(),
  table: async () => {
    const rows = Array.from({ length: 40 }, (_, row) => values(row))
    return tableOf([
      numberColumn(
        'age',
        rows.map(([age]) => age),
      ),
      numberColumn(
        'bmi',
        rows.map(([, bmi]) => bmi),
      ),
      wordColumn(
        'smoker',
        rows.map(([, , smoker]) => smoker),
      ),
      numberColumn(
        'charges',
        rows.map((_, row) => 100 * row),
      ),
    ])
  },
})
const usual = (row: number): [number, number, string] => [20 + ((7 * row) % 31), 1 + (row % 5), row % 3 ? 'no' : 'yes']
const own = {
  name: 'csv',
  params: { file: 'mine.csv', label: 'charges', columns: 'age=standardise,bmi=log1p,smoker=one-hot' },
}

describe('encoders', () => {
  test("learn from the clients' rows alone: no other row changes an encoded value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.double({ min: 0, max: 1e6, noNaN: true }), async (seed, odd) => {
        const plain = scenario({ seed, data: { ...own, auxiliary: 0.3, validation: 0.2 } })
        const before = await buildWorld(plain, mine(usual))
        const rows = rowsOf(before)
        const dealt = new Set(rows)
        const after = await buildWorld(
          plain,
          mine((row) => (dealt.has(row) ? usual(row) : [odd, odd, 'no'])),
        )
        expect(rowsOf(after)).toEqual(rows)
        expect(after.fitted).toEqual(before.fitted)
        expect(after.encode(rows).records).toEqual(before.encode(rows).records)
      }),
      { numRuns: 20 },
    )
  })

  test('standardise over all clients together', async () => {
    const world = await buildWorld(scenario({ data: { ...own, auxiliary: 0.4 } }), mine(usual))
    const { features } = world.encode(rowsOf(world)).records
    const x = Array.from({ length: features.rows }, (_, i) => features.data[i * features.cols]!)
    const mean = x.reduce((sum, v) => sum + v, 0) / x.length
    expect(mean).toBeCloseTo(0, 10)
    expect(x.reduce((sum, v) => sum + (v - mean) * (v - mean), 0) / x.length).toBeCloseTo(1, 10)
  })

  test('know every word of a column, also those that no client has: they are the questionnaire', async () => {
    const plain = scenario({ data: { ...own, auxiliary: 0.3 } })
    const dealt = new Set(rowsOf(await buildWorld(plain, mine(usual))))
    const world = await buildWorld(
      plain,
      mine((row) => (dealt.has(row) ? usual(row) : [30, 2, 'sometimes'])),
    )
    const { columns, records } = world.encode(world.auxiliary)
    const j = columns.findIndex(({ level }) => level === 'sometimes')
    expect(records.features.data[j]).not.toBe(world.encode(rowsOf(world)).records.features.data[j])
  })
})

describe('a model for the data', () => {
  const regression = scenario({ data: { name: 'cps-wages' } })
  const images = scenario({ data: { name: 'tiny-images' } })

  test('has the sizes that the data ask for', async () => {
    const wages = await buildWorld(regression)
    const mlp = chooseModel({ kind: 'mlp', hidden: [5], learningRate: 0.5 }, wages, 0.1)
    expect(mlp).toMatchObject({ loss: 'mse', learningRate: 0.5, spec: { kind: 'mlp', hidden: [5], outputs: 1 } })
    expect(mlp.model.inputs).toBe(wages.encode([0]).columns.length)
    const pixels = await buildWorld(images)
    const softmax = chooseModel({ kind: 'softmax' }, pixels, 0.1)
    expect(softmax).toMatchObject({ loss: 'cross-entropy', learningRate: 0.1, model: { inputs: 64 } })
    expect(chooseModel({ kind: 'lenet-dlg' }, pixels, 0.1).spec).toMatchObject({ inputs: [1, 8, 8] })
  })

  test.each([
    [regression, 'logistic', 'model logistic on dataset "cps-wages", which has no classes; it needs two'],
    [regression, 'softmax', 'model softmax on dataset "cps-wages", which has no classes; take linear or mlp'],
    [images, 'logistic', 'classes; it needs two'],
    [regression, 'lenet-dlg', 'model lenet-dlg on dataset "cps-wages", which holds no pictures; take linear'],
    [regression, 'lenet-mnist', 'model lenet-mnist takes 784 inputs, dataset "cps-wages" has'],
  ] as const)('that does not fit is an error: %#', async (wanted, kind, message) => {
    const world = await buildWorld(wanted)
    expect(() => chooseModel({ kind }, world, 0.1)).toThrow(message)
  })
})

test('the first of unknown keys is told', () => {
  const read = (more: object) => () => readWorld({ data: numbers, models: [{ kind: 'linear' }], ...more })
  expect(read({ sed: 1 })).toThrow('scenario: unknown key sed (did you mean "seed"?)')
  expect(read({ nobody: 1, neither: 2 })).toThrow('unknown key nobody')
  expect(read({})).not.toThrow()
})
