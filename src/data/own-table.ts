/** A table of the user's own, CSV or Parquet, with a short description of its columns. */
import { lookup, OverhearError } from '../errors.js'
import { choice, text } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset, readerOf } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import { type Column, columnOf, completeRows, isMissing, pickColumns, type Table, takeRows } from './table.js'

const ways: Readonly<Record<string, Omit<Rule, 'column'>>> = {
  number: { encode: 'number' },
  standardise: { encode: 'number', scale: 'standardise' },
  'min-max': { encode: 'number', scale: 'min-max' },
  log: { encode: 'log', scale: 'standardise' },
  log1p: { encode: 'log1p', scale: 'standardise' },
  'one-hot': { encode: 'one-hot' },
  'one-hot-full': { encode: 'one-hot', drop: 'none' },
  codes: { encode: 'codes' },
}

const listed = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** "age=standardise, smoker=one-hot"; without a way, numbers are standardised and words are one-hot. */
function rulesFrom(description: string, table: Table, except: readonly string[]): Rule[] {
  const usual = (column: string): Rule => ({
    column,
    ...ways[columnOf(table, column).kind === 'number' ? 'standardise' : 'one-hot']!,
  })
  if (listed(description).length === 0) {
    return table.columns
      .map(({ name }) => name)
      .filter((name) => !except.includes(name))
      .map(usual)
  }
  return listed(description).map((part) => {
    const at = part.lastIndexOf('=')
    if (at < 0) return usual(part)
    return { column: part.slice(0, at).trim(), ...lookup(ways, part.slice(at + 1).trim(), 'way of encoding') }
  })
}

const isEndless = (column: Column, row: number): boolean =>
  column.kind === 'number' && Math.abs(column.values[row]!) === Number.POSITIVE_INFINITY

/** Where the first odd cell is, in words; rows are counted from 1, without the header. */
function firstOf({ columns, rows }: Table, odd: (column: Column, row: number) => boolean): string | undefined {
  for (let row = 0; row < rows; row++) {
    const found = columns.find((column) => odd(column, row))
    if (found !== undefined) return `row ${row + 1}, column "${found.name}"`
  }
  return undefined
}

function ownTable<const I extends 'csv' | 'parquet'>(id: I, title: string) {
  return defineDataset({
    id,
    title,
    origin: 'files',
    tasks: ['regression', 'classification'],
    predicts: 'the column named by "label"',
    sensitive: [],
    params: {
      file: text({
        default: '',
        doc: 'the file; beside the scenario, from here, or in one of the folders of datasets',
      }),
      label: text({ default: '', doc: 'the column to predict; for regression several, with commas between' }),
      task: choice({ default: 'regression', choices: ['regression', 'classification'], doc: 'what the label is' }),
      columns: text({
        default: '',
        doc: `features, as "age=standardise,sex=one-hot"; ways: ${Object.keys(ways).join(', ')}`,
      }),
      sensitive: text({ default: '', doc: 'features that are sensitive, with commas between' }),
      metaclass: text({ default: '', doc: 'the column whose groups label attacks tell apart' }),
      client: text({ default: '', doc: 'the column that says whose row it is' }),
      id: text({ default: '', doc: 'the column that names the rows in reports; it is no feature' }),
      labelScale: choice({
        default: (id === 'csv' ? 'standardise' : 'none') as 'standardise' | 'none',
        choices: ['standardise', 'none'],
        doc: 'for regression: train on the label less its mean, over its deviation',
      }),
      missing: choice({ default: 'error', choices: ['error', 'drop'], doc: 'rows with a missing value' }),
    },
    load: async (context, { file, label, task, columns, sensitive, metaclass, client, ...others }) => {
      const { id: named, missing, labelScale } = others
      if (file === '' || listed(label).length === 0) {
        throw new OverhearError('E_INPUT', `dataset "${id}" needs "file" and "label"`, 'set both')
      }
      const raw = await readerOf(context, id).table({ path: file, content: `your own ${id} file` })
      // A name may hold a comma.
      const labels = raw.columns.some(({ name }) => name === label) ? [label] : listed(label)
      const rules = rulesFrom(columns, raw, [...labels, client, named])
      const used = [...labels, ...rules.map(({ column }) => column), metaclass, client, named].filter(
        (name) => name !== '',
      )
      const picked = pickColumns(raw, [...new Set(used)])
      const full = completeRows(picked)
      if (missing === 'error' && full.length < picked.rows) {
        const hint = 'set missing to "drop", or fill them in'
        const found = `${file}: ${picked.rows - full.length} of ${picked.rows} rows miss a value`
        throw new OverhearError('E_VALUE', `${found}, the first in ${firstOf(picked, isMissing)}`, hint)
      }
      const endless = firstOf(picked, isEndless)
      if (endless !== undefined) {
        throw new OverhearError('E_NON_FINITE', `${file}: an infinite number stands in ${endless}`, 'correct it')
      }
      const [first, ...moreLabels] = labels.map(
        (column): Rule =>
          task === 'regression' ? { column, encode: 'number', scale: labelScale } : { column, encode: 'codes' },
      )
      return checkedSource({
        name: id,
        task,
        table: takeRows(picked, full),
        rules,
        label: first!,
        ...(task === 'regression' && labelScale === 'standardise' && { labelScaled: true }),
        ...(moreLabels.length > 0 && { moreLabels }),
        sensitive: listed(sensitive),
        ...(metaclass === '' ? {} : { metaclass }),
        ...(client === '' ? {} : { client }),
        ...(named === '' ? {} : { id: named }),
      })
    },
  })
}

export const csv = ownTable('csv', 'A CSV file of your own')
export const parquet = ownTable('parquet', 'A Parquet file of your own')
