/** A scenario that audits a table somebody brought, from guesses about its columns: a beginning that the form goes on from. */
import { stringify } from 'yaml'
import type { GuessedColumns } from '../../api/answers.js'
import { columnOf, type Table } from '../../data/table.js'

/** The name of a scenario from that of a file. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/\.(csv|tsv|json|parquet|txt|gz|data)\b/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return slug === '' ? 'table' : slug
}

export function tableScenario(file: string, table: Table, guess: GuessedColumns): string {
  const { label, sensitive, client, id, task } = guess
  const label2 = task === 'classification' && label !== null && classesOf(table, label) === 2
  const clients = Math.max(2, Math.min(8, Math.floor(table.rows / 40)))
  const first = client === null ? '0' : firstWord(table, client)
  const scenario = {
    name: slugOf(file),
    seed: 1,
    data: {
      name: /\.parquet$/i.test(file) ? 'parquet' : 'csv',
      params: {
        file,
        label: label ?? '',
        ...(task === 'classification' && { task }),
        ...(sensitive.length > 0 && { sensitive: sensitive.join(', ') }),
        ...(client !== null && { client }),
        ...(id !== null && { id }),
        missing: 'drop',
      },
      validation: 0.1,
      auxiliary: 0.2,
    },
    partition:
      client === null ? { name: 'iid', params: { clients } } : { name: 'by-column', params: { column: client } },
    models: [{ kind: task === 'regression' ? 'linear' : label2 ? 'logistic' : 'softmax' }],
    training: { rounds: 40, localEpochs: 5, batchSize: null, learningRate: 'auto' },
    knowledge: {
      targets: [first],
      ...(sensitive.length > 0 && { sensitive }),
      candidates: 40,
    },
    observers: 'all',
    attacks: attacksFor(task, sensitive.length > 0),
  }
  return `${stringify(scenario, { lineWidth: 0 })}${moreAttacks}`
}

const moreAttacks = '# "attacks: all" tries every one that there is, and takes several times as long\n'

/** Those that decide most questions of such a table within a minute: the strongest that are quick, and one for each question. */
const attacksFor = (task: GuessedColumns['task'], sensitive: boolean) => [
  'last-returned',
  ...(task === 'regression' ? ['lmra-exact', 'lmra-ols'] : []),
  { id: 'lmra-label', params: { from: 'last-returned' } },
  'membership-loss',
  ...(sensitive ? ['aia-model'] : []),
  ...(sensitive && task === 'regression' ? [{ id: 'aia-model', params: { from: 'lmra-ols' } }] : []),
  ...(sensitive ? ['aia-linear'] : []),
  ...(task === 'regression' ? ['label-mean'] : []),
  'lmra-active-adam',
  'protocol',
]

function classesOf(table: Table, name: string): number {
  const column = columnOf(table, name)
  return column.kind === 'word' ? column.words.length : new Set(column.values).size
}

function firstWord(table: Table, name: string): string {
  const column = columnOf(table, name)
  return column.kind === 'word' ? (column.words[0] ?? '0') : String(column.values[0])
}
