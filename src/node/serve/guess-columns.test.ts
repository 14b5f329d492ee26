import { expect, test } from 'vitest'
import { numberColumn, tableOf, wordColumn } from '../../data/table.js'
import { guessColumns } from './guess-columns.js'

const patients = tableOf([
  numberColumn('patientId', [1, 2, 3, 4, 5, 6]),
  wordColumn('Hospital_Name', ['a', 'b', 'a', 'b', 'a', 'b']),
  numberColumn('age', [30, 41, 52, 63, 30, 41]),
  wordColumn('Smoker', ['yes', 'no', 'no', 'yes', 'no', 'no']),
  numberColumn('charges', [100.5, 200, 300, 400, 500, 600]),
])

test('names and values tell the label, the client, the id and what is sensitive', () => {
  expect(guessColumns(patients)).toEqual({
    label: 'charges',
    client: 'Hospital_Name',
    id: 'patientId',
    sensitive: ['Smoker'],
    task: 'regression',
  })
})

test('without telling names: the last column is the label, one of two values sensitive, nobody is a client', () => {
  const table = tableOf([
    numberColumn('a', [1, 2, 3, 4]),
    numberColumn('b', [0, 1, 0, 1]),
    wordColumn('c', ['x', 'y', 'z', 'x']),
  ])
  expect(guessColumns(table)).toEqual({ label: 'c', client: null, id: null, sensitive: ['b'], task: 'classification' })
})

test('a column that names as many clients as rows, or says one thing only, is none of them', () => {
  const table = tableOf([
    wordColumn('hospital', ['a', 'b', 'c']),
    wordColumn('sex', ['f', 'f', 'f']),
    numberColumn('y', [1, 2, 3]),
  ])
  expect(guessColumns(table)).toMatchObject({ client: null, sensitive: [], label: 'y' })
})

test('what is named as sensitive may have twenty values, and no more', () => {
  const races = (count: number) =>
    tableOf([
      wordColumn(
        'race',
        Array.from({ length: 63 }, (_, i) => `kind ${i % count}`),
      ),
      numberColumn(
        'charges',
        Array.from({ length: 63 }, (_, i) => i),
      ),
    ])
  expect(guessColumns(races(20)).sensitive).toEqual(['race'])
  expect(guessColumns(races(21)).sensitive).toEqual([])
})
