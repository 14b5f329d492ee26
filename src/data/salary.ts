/** Salaries of 6,704 employees, as [labels] 5.2 uses them. */
import { choice } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset, readerOf } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import { fieldOf, fields, roleOf, roles, seniorities, seniorityOf } from './job-title.js'
import {
  columnOf,
  completeRows,
  distinctRows,
  mapWords,
  numberColumn,
  numbersOf,
  rowsWhere,
  type Table,
  takeRows,
  withColumns,
  wordAt,
} from './table.js'

const file = {
  path: 'salary/Salary_Data.csv',
  sha256: '42519ad22ad70ef0a28caa62b16f83c9f37dbfeac669ac91c5102d2b69746a09',
  content: '6,704 rows: Age, Gender, Education Level, Job Title, Years of Experience, Salary',
}

export const educationLevels = ['High School', 'Bachelor', 'Master', 'PhD']

/** Seven spellings, four levels. */
function educationOf(word: string): string {
  const found = [/^high school/i, /^bachelor/i, /^master/i, /^phd/i].findIndex((pattern) => pattern.test(word))
  return educationLevels[found] ?? word
}

const UNIT = 10_000 // of the label

/** Complete rows with a believable salary (four are below 1,000) of the two genders that the paper's 35 inputs allow. */
function cleaned(raw: Table, duplicates: 'keep' | 'drop'): Table {
  const complete = takeRows(raw, completeRows(raw))
  const once = duplicates === 'keep' ? complete : takeRows(complete, distinctRows(complete))
  const salary = numbersOf(once, 'Salary')
  const gender = columnOf(once, 'Gender')
  const kept = takeRows(
    once,
    rowsWhere(once, (i) => salary[i]! >= 1000 && ['Male', 'Female'].includes(wordAt(gender, i)!)),
  )
  const title = columnOf(kept, 'Job Title')
  return withColumns(kept, [
    mapWords(columnOf(kept, 'Education Level'), educationOf),
    { ...mapWords(title, roleOf), name: 'Role' },
    { ...mapWords(title, fieldOf), name: 'Field' },
    { ...mapWords(title, seniorityOf), name: 'Seniority' },
    numberColumn(
      'Salary',
      numbersOf(kept, 'Salary').map((x) => x / UNIT),
    ),
  ])
}

const fromTitle = (column: string, levels: readonly string[]): Rule => ({
  column,
  encode: 'one-hot',
  drop: 'none',
  levels,
  unseen: 'ignore', // a title may name none
})

export const salary = defineDataset({
  id: 'salary',
  title: 'Salary: 6,704 employees with education, job title and experience',
  origin: 'files',
  tasks: ['regression'],
  predicts: 'salary in units of 10,000',
  sensitive: ['Gender', 'Education Level'],
  paper: 'labels',
  files: [file],
  obtain: 'Kaggle, mohithsairamreddy/salary-data (licence not known: not to be passed on)',
  params: {
    duplicates: choice({
      default: 'keep',
      choices: ['keep', 'drop'],
      doc: 'of 6,698 complete rows 1,787 are distinct; copies on both sides of a split flatter attacks',
    }),
    scale: choice({ default: 'none', choices: ['none', 'standardise'], doc: 'of age and years of experience' }),
  },
  load: async (context, { duplicates, scale }) => {
    const raw = await readerOf(context, 'salary').table(file)
    return checkedSource({
      name: 'salary',
      task: 'regression',
      table: cleaned(raw, duplicates),
      rules: [
        { column: 'Age', encode: 'number', scale },
        { column: 'Years of Experience', encode: 'number', scale },
        { column: 'Gender', encode: 'one-hot', levels: ['Female', 'Male'] },
        { column: 'Education Level', encode: 'one-hot', levels: educationLevels },
        fromTitle('Role', roles),
        fromTitle('Field', fields),
        fromTitle('Seniority', seniorities),
      ],
      label: { column: 'Salary', encode: 'number' },
      labelUnit: '10,000',
      sensitive: ['Gender', 'Education Level'],
      metaclass: 'Education Level',
    })
  },
})
