/** Income of people in the American Community Survey, as [aia] uses it: Louisiana, many states, or the binary file. */
import { OverhearError } from '../errors.js'
import { choice, whole } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset, type FileSpec, readerOf } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import {
  columnOf,
  distinctRows,
  levelsOf,
  mapWords,
  numbersOf,
  pickColumns,
  rowsWhere,
  type Table,
  takeRows,
  withColumns,
} from './table.js'

const louisiana = {
  path: 'acs-income/acs_income_la_2024.csv.gz',
  sha256: 'afc19cfc99d5a1dbc316372ffb9cde2cf1bedb59434fc1aeb2597710580bc43f',
  content: '21,346 people of Louisiana in 2024',
}
const states = {
  path: 'acs-income/acs_income_states_2024_sample20.csv.gz',
  sha256: '4748463eb5cb9027fdfc790fbd3fe30ccc800414a7d20aab502b3e1fd2a6faaa',
  content: '279,983 people of 48 states and DC in 2024, a fifth of the survey',
}
const binary = {
  path: 'acs-income/acs_income_la_2018_binary.csv.gz',
  sha256: '993461d03bdb65e20da642cc184cc1edf839509283cdfd825a5375ae2bc81bc1',
  content: '20,667 people of Louisiana in 2018, income above 50,000 dollars or not',
}
const files: Readonly<Record<'louisiana' | 'states' | 'louisiana-2018', FileSpec>> = {
  louisiana,
  states,
  'louisiana-2018': binary,
}

// The survey's codes, in their order.
const sexes = ['male', 'female']
const marriages = ['married', 'widowed', 'divorced', 'separated', 'never married']
const races = [
  'white',
  'black',
  'American Indian',
  'Alaska Native',
  'American Indian or Alaska Native',
  'Asian',
  'Pacific Islander',
  'other',
  'two or more',
]
const named = { SEX: sexes, MAR: marriages, RAC1P: races } as Readonly<Record<string, readonly string[]>>

/** Codes become words; a code that the survey does not know stays a number and fails at its rule. */
function withWords(table: Table): Table {
  const columns = Object.entries(named).map(([name, words]) =>
    mapWords(columnOf(table, name), (code) => words[Number(code) - 1] ?? code),
  )
  return withColumns(table, columns)
}

/** Levels present in the file, in the order of their codes: a code book, so that a split cannot meet an unseen one. */
function oneHot(table: Table, column: string): Rule {
  const present = levelsOf(columnOf(table, column))
  const words = named[column]
  return { column, encode: 'one-hot', levels: words?.filter((word) => present.includes(word)) ?? present }
}

const standardised = (column: string): Rule => ({ column, encode: 'number', scale: 'standardise' })
const sexRule: Rule = { column: 'SEX', encode: 'one-hot', levels: sexes, scale: 'standardise' }

/** One-hot work, marriage, occupation, (relationship,) race; the rest standardised. */
function networkRules(table: Table): Rule[] {
  const there = new Set(table.columns.map(({ name }) => name))
  const categories = ['COW', 'MAR', 'OCCP', 'RELP', 'RAC1P'].filter((name) => there.has(name))
  return [...['AGEP', 'SCHL', 'WKHP'].map(standardised), sexRule, ...categories.map((name) => oneHot(table, name))]
}

const employers = ['private', 'government', 'own business']

/** Eight inputs: logs of age, schooling and hours, sex, married or not, white or not, three kinds of employer. */
function linearTable(table: Table): Table {
  const group = (code: string): string => employers[Number(code) <= 2 ? 0 : Number(code) <= 5 ? 1 : 2]!
  const marriage = mapWords(columnOf(table, 'MAR'), (word) => (word === 'married' ? 'married' : 'other'))
  const race = mapWords(columnOf(table, 'RAC1P'), (word) => (word === 'white' ? 'white' : 'other'))
  return withColumns(table, [marriage, race, mapWords(columnOf(table, 'COW'), group)])
}
const linearRules: readonly Rule[] = [
  ...['AGEP', 'SCHL', 'WKHP'].map((column): Rule => ({ column, encode: 'log', scale: 'standardise' })),
  sexRule, // of two values the standardised log is the standardised dummy
  { column: 'MAR', encode: 'one-hot', levels: ['other', 'married'] },
  { column: 'RAC1P', encode: 'one-hot', levels: ['other', 'white'] },
  { column: 'COW', encode: 'one-hot', levels: employers },
]

function inState(table: Table, state: number): Table {
  const codes = numbersOf(table, 'ST')
  const rows = rowsWhere(table, (i) => codes[i] === state)
  if (rows.length > 0) return takeRows(table, rows)
  const known = levelsOf(columnOf(table, 'ST')).join(', ')
  throw new OverhearError('E_VALUE', `dataset acs-income: nobody lives in state ${state}`, `known: ${known}`)
}

export const acsIncome = defineDataset({
  id: 'acs-income',
  title: 'ACS Income: people at work in the American Community Survey',
  origin: 'files',
  tasks: ['regression', 'classification'],
  predicts: 'income in dollars, or whether it is above 50,000',
  sensitive: ['SEX', 'MAR', 'RAC1P'],
  paper: 'aia',
  files: [louisiana, states, binary],
  obtain: 'the US Census Bureau, ACS PUMS one-year files, filtered as folktables does (public domain)',
  params: {
    part: choice({
      default: 'louisiana',
      choices: ['louisiana', 'states', 'louisiana-2018'],
      doc: 'Louisiana 2024, 49 regions 2024, or Louisiana 2018 with a binary label',
    }),
    encoding: choice({
      default: 'network',
      choices: ['network', 'linear'],
      doc: 'network: one-hot codes, dollars; linear: eight inputs, logs standardised',
    }),
    duplicates: choice({ default: 'drop', choices: ['keep', 'drop'], doc: 'rows that agree in all but the area' }),
    state: whole({ default: 0, min: 0, max: 99, doc: 'only this state (FIPS code); 0 for all' }),
  },
  load: async (context, { part, encoding, duplicates, state }) => {
    const classes = part === 'louisiana-2018'
    const words = classes ? {} : { words: ['PUMA'] }
    const raw = await readerOf(context, 'acs-income').table(files[part], words)
    const there = raw.columns.map(({ name }) => name)
    const here = state === 0 ? raw : inState(raw, state)
    const compared = pickColumns(
      here,
      there.filter((name) => name !== 'PUMA'),
    )
    const once = duplicates === 'keep' ? here : takeRows(here, distinctRows(compared))
    const worded = withWords(once)
    const table = encoding === 'network' ? worded : linearTable(worded)
    const income = classes ? 'PINCP_GT_50K' : 'PINCP'
    const dollars = encoding === 'network'
    return checkedSource({
      name: 'acs-income',
      task: classes ? 'classification' : 'regression',
      table,
      rules: encoding === 'network' ? networkRules(table) : linearRules,
      label: classes
        ? { column: income, encode: 'codes', levels: ['0', '1'] }
        : dollars
          ? { column: income, encode: 'number' }
          : { column: income, encode: 'log', scale: 'standardise' },
      ...(classes ? {} : { labelUnit: dollars ? 'dollars' : 'deviations of log(dollars)', client: 'ST' }),
      sensitive: ['SEX', 'MAR', 'RAC1P'],
    })
  },
})
