/** Adult: who earns more than 50,000 dollars, from the census of 1994, as [lmra] uses it. */
import { choice, flag } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset, readerOf } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import {
  asWords,
  type Column,
  columnOf,
  completeRows,
  levelsOf,
  mapWords,
  numberColumn,
  numbersOf,
  rowsWhere,
  type Table,
  tableOf,
  takeRows,
  withColumns,
  wordAt,
  wordColumn,
} from './table.js'

const training = {
  path: 'adult/adult.data.gz',
  sha256: 'c7a2b4716a97f930123e0baf879188d701e798172631a654fc703d4b082907f3',
  content: '32,561 rows of 15 columns without a header, missing words as "?"',
}
const testing = {
  path: 'adult/adult.test.gz',
  sha256: '8a2c1bffa6e7ce5abfa43881ae5e87c4311ebc2b3cd526c9c40a43f19f06f799',
  content: '16,281 rows of 15 columns after one comment line, missing words as "?"',
}

const names = [
  'age',
  'workclass',
  'fnlwgt',
  'education',
  'education-num',
  'marital-status',
  'occupation',
  'relationship',
  'race',
  'sex',
  'capital-gain',
  'capital-loss',
  'hours-per-week',
  'native-country',
  'income',
]
const measures = ['age', 'education-num', 'capital-gain', 'capital-loss', 'hours-per-week']
const categories = ['workclass', 'education', 'marital-status', 'occupation', 'relationship', 'race', 'sex']

/** One table above the other. */
function stacked(upper: Table, lower: Table): Table {
  const columns = upper.columns.map((column): Column => {
    const below = columnOf(lower, column.name)
    if (column.kind === 'number') {
      return numberColumn(column.name, [...column.values, ...numbersOf(lower, column.name)])
    }
    const wordsOf = ({ codes, words }: ReturnType<typeof asWords>): (string | null)[] =>
      Array.from(codes, (code) => words[code] ?? null)
    return wordColumn(column.name, [...wordsOf(column), ...wordsOf(asWords(below))])
  })
  return tableOf(columns)
}

export const adult = defineDataset({
  id: 'adult',
  title: 'Adult: 48,842 people of the US census of 1994',
  origin: 'files',
  tasks: ['classification'],
  predicts: 'whether the income is above 50,000 dollars',
  sensitive: ['sex', 'race', 'marital-status'],
  paper: 'lmra',
  files: [training, testing],
  obtain: 'the UCI repository, dataset Adult (CC BY 4.0), gzipped',
  params: {
    education: choice({
      default: 'bachelor',
      choices: ['bachelor', 'all'],
      doc: 'people with at least a Bachelor, or all',
    }),
    split: choice({ default: 'both', choices: ['both', 'train', 'test'], doc: 'which of the two files' }),
    complete: flag({ default: true, doc: 'drop rows without workclass or occupation' }),
  },
  load: async (context, { education, split, complete }) => {
    const reader = readerOf(context, 'adult')
    const upper = split === 'test' ? undefined : await reader.table(training, { names, missing: '?' })
    const lower = split === 'train' ? undefined : await reader.table(testing, { names, missing: '?', skip: 1 })
    const raw = upper === undefined ? lower! : lower === undefined ? upper : stacked(upper, lower)
    const filled = complete ? takeRows(raw, completeRows(raw, ['workclass', 'occupation'])) : raw
    // The published code keeps these three; with the professional schools, "at least Bachelor" has 834 people more.
    const wanted = ['Bachelors', 'Masters', 'Doctorate']
    const schooling = columnOf(filled, 'education')
    const people =
      education === 'all'
        ? filled
        : takeRows(
            filled,
            rowsWhere(filled, (i) => wanted.includes(wordAt(schooling, i)!)),
          )
    // The labels of the test file end in a dot; a missing word is a category of its own when it is kept.
    const table = withColumns(people, [
      mapWords(columnOf(people, 'income'), (word) => word.replace(/\.$/, '')),
      ...categories.map((name) => known(columnOf(people, name))),
    ])
    const rules: Rule[] = [
      ...measures.map((column): Rule => ({ column, encode: 'number', scale: 'min-max' })),
      ...categories.map((column): Rule => {
        return { column, encode: 'one-hot', drop: 'none', levels: levelsOf(columnOf(table, column)) }
      }),
    ]
    return checkedSource({
      name: 'adult',
      task: 'classification',
      table,
      rules,
      label: { column: 'income', encode: 'codes', levels: ['<=50K', '>50K'] },
      sensitive: ['sex', 'race', 'marital-status'],
    })
  },
})

function known(column: Column): Column {
  const { name, codes, words } = asWords(column)
  return wordColumn(
    name,
    Array.from(codes, (code) => words[code] ?? 'unknown'),
  )
}
