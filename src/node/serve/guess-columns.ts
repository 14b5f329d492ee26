/** Which column of a stranger's table is the label, whose row it is, and what is sensitive: guesses that a person looks over. */
import type { GuessedColumns } from '../../api/answers.js'
import type { Column, Table } from '../../data/table.js'

/** The words that a name is made of: "Hospital_ID" is hospital and id. */
const wordsIn = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/** From the surest to the least. */
const labelWords = [
  ...['label', 'target', 'outcome', 'class', 'y', 'cost', 'costs', 'charge', 'charges', 'wage', 'income', 'salary'],
  ...['price', 'score', 'risk', 'amount', 'survived', 'default', 'churn', 'readmitted'],
]
const clientWords = [
  ...['client', 'hospital', 'clinic', 'site', 'bank', 'branch', 'institution', 'centre', 'center', 'silo', 'school'],
  ...['owner', 'device', 'user', 'region', 'state', 'country', 'city'],
]
const sensitiveWords = [
  ...['smoker', 'smoking', 'hiv', 'cancer', 'disease', 'diagnosis', 'diabetes', 'pregnant', 'disability', 'disabled'],
  ...[
    'race',
    'ethnicity',
    'religion',
    'sex',
    'gender',
    'orientation',
    'union',
    'married',
    'marital',
    'criminal',
    'alcohol',
  ],
]
const idWords = ['id', 'uid', 'uuid', 'key', 'number', 'nr', 'patient', 'person', 'name']

/** How many different values a column has. */
export function valuesOf(column: Column): number {
  return column.kind === 'word' ? column.words.length : new Set(column.values).size
}

export function guessColumns(table: Table): GuessedColumns {
  const columns = table.columns.map((column) => ({ column, name: column.name, values: valuesOf(column) }))
  type Known = (typeof columns)[number]
  const byWords = (words: readonly string[], fits: (one: Known) => boolean): Known[] =>
    words.flatMap((word) => columns.filter((one) => wordsIn(one.name).includes(word) && fits(one)))
  const several = ({ values }: Known): boolean => values >= 2
  const [id] = byWords(idWords, ({ values, column }) => {
    return values === table.rows && table.rows > 1 && (column.kind === 'word' || column.values.every(Number.isInteger))
  })
  const notId = (one: Known): boolean => one !== id
  const [client] = byWords(clientWords, (one) => notId(one) && several(one) && one.values <= table.rows / 2)
  const free = (one: Known): boolean => notId(one) && one !== client && several(one)
  const label = byWords(labelWords, free)[0] ?? columns.filter(free).at(-1)
  const few = (one: Known): boolean => free(one) && one !== label && one.values <= 20
  const named = [...new Set(byWords(sensitiveWords, few))]
  const sensitive =
    named.length > 0 ? named.slice(0, 1) : columns.filter((one) => few(one) && one.values === 2).slice(0, 1)
  const classes = label !== undefined && (label.column.kind === 'word' || label.values === 2)
  return {
    label: label?.name ?? null,
    client: client?.name ?? null,
    id: id?.name ?? null,
    sensitive: sensitive.map(({ name }) => name),
    task: classes ? 'classification' : 'regression',
  }
}
