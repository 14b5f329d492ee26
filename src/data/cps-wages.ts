/** Wages of 534 workers in 1985, inside the package: the real data that needs no file. */
import { internal } from '../errors.js'
import { choice } from '../params.js'
import { cpsWagesRows } from './cps-wages-rows.js'
import { checkedSource } from './dataset.js'
import { defineDataset } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import { type Column, numberColumn, type Table, tableOf, wordColumn } from './table.js'

const yesNo = { y: 'yes', n: 'no' }
const letters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  south: yesNo,
  gender: { f: 'female', m: 'male' },
  union: yesNo,
  race: { w: 'white', h: 'hispanic', o: 'other' },
  occupation: { m: 'management', s: 'sales', c: 'clerical', v: 'service', p: 'professional', o: 'other' },
  sector: { o: 'other', m: 'manufacturing', c: 'construction' },
  married: yesNo,
}
const measures = ['education', 'experience', 'age', 'wage'] // years, and dollars an hour

/** The survey as it was: all eleven columns, in words where it has words. */
export function cpsWagesTable(): Table {
  const rows = cpsWagesRows
    .trim()
    .split(/\s+/)
    .map((word) => word.split(','))
  const numeric: Column[] = measures.map((name, j) =>
    numberColumn(
      name,
      rows.map((row) => Number(row[j])),
    ),
  )
  const worded = Object.entries(letters).map(([name, words], j) =>
    wordColumn(
      name,
      rows.map((row) => {
        const word = words[row[4]?.[j] ?? '']
        if (word === undefined) throw internal(`cps-wages: cannot read "${row.join()}"`)
        return word
      }),
    ),
  )
  return tableOf([...numeric, ...worded])
}

// Age is education + experience + 6 (but for one worker): with all three a linear model has no single optimum.
const rules: readonly Rule[] = [
  { column: 'education', encode: 'number', scale: 'standardise' },
  { column: 'experience', encode: 'number', scale: 'standardise' },
  ...Object.keys(letters).map((column): Rule => ({ column, encode: 'one-hot' })),
]

export const cpsWages = defineDataset({
  id: 'cps-wages',
  title: 'CPS wages 1985: 534 workers of the Current Population Survey',
  origin: 'embedded',
  tasks: ['regression'],
  predicts: 'wage in dollars an hour',
  sensitive: ['union', 'gender', 'race', 'married'],
  params: {
    wage: choice({ default: 'dollars', choices: ['dollars', 'log'], doc: 'predict the wage, or its standardised log' }),
  },
  load: (_, { wage }) =>
    checkedSource({
      name: 'cps-wages',
      task: 'regression',
      table: cpsWagesTable(),
      rules,
      label:
        wage === 'dollars'
          ? { column: 'wage', encode: 'number' }
          : { column: 'wage', encode: 'log', scale: 'standardise' },
      labelUnit: wage === 'dollars' ? 'dollars an hour' : 'deviations of log(dollars an hour)',
      sensitive: ['union', 'gender', 'race', 'married'],
      metaclass: 'occupation',
    }),
})
