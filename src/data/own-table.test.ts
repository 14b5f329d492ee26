import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { fitSource, inputsOf } from './dataset.js'
import type { FileReader } from './dataset-entry.js'
import { loadDataset } from './index.js'
import { numberColumn, tableOf, wordColumn } from './table.js'

const files: FileReader = {
  bytes: async () => new Uint8Array(),
  table: async () =>
    tableOf([
      wordColumn('patient', ['ada', 'bob', 'eve']),
      numberColumn('age', [1, 2, 3]),
      numberColumn('cost', [4, 5, 6]),
    ]),
}
const load = (params: object) => loadDataset('csv', { rng: rng(1), files }, { file: 'x.csv', label: 'cost', ...params })

describe('a column that names the rows', () => {
  test('is kept and is no feature', async () => {
    const [plain, named] = [await load({}), await load({ id: 'patient' })]
    expect([plain.id, named.id]).toEqual([undefined, 'patient'])
    expect([inputsOf(fitSource(plain)), inputsOf(fitSource(named))]).toEqual([3, 1])
    expect(named.table.columns.map(({ name }) => name)).toContain('patient')
  })
  test('must be there', async () => {
    await expect(load({ id: 'patent' })).rejects.toThrow('unknown column: "patent" (did you mean "patient"?)')
  })
})
