/** Each class is shared out among the clients by a Dirichlet draw: small concentrations give clients few classes. */
import { asWords, columnOf } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { number, text, whole } from '../params.js'
import { clientCount, definePartition, type Rows, shuffled } from './partition-entry.js'

const MOST_DRAWS = 1000

/** The rows of each value of the column that has any. */
function classesOf({ source, rows }: Rows, asked: string): Int32Array[] {
  if (asked === '' && source.task === 'regression') {
    const known = source.table.columns.map(({ name }) => name).join(', ')
    throw new OverhearError(
      'E_INPUT',
      `dataset "${source.name}" has no classes`,
      `set column to one with few values: ${known}`,
    )
  }
  const { codes, words } = asWords(columnOf(source.table, asked === '' ? source.label.column : asked))
  const owned = words.map((): number[] => [])
  for (const row of rows) {
    const own = owned[codes[row]!]
    if (own === undefined) throw new OverhearError('E_VALUE', `partition dirichlet: row ${row} has no class`)
    own.push(row)
  }
  return owned.filter((own) => own.length > 0).map((own) => Int32Array.from(own))
}

export const dirichlet = definePartition({
  id: 'dirichlet',
  title: 'classes shared out unevenly, by Dirichlet draws',
  params: {
    clients: clientCount(10),
    concentration: number({ default: 0.5, min: 1e-6, doc: 'small: clients of few classes; large: near iid' }),
    column: text({ default: '', doc: 'the column of classes; unless told, the label' }),
    least: whole({ default: 1, min: 1, doc: 'rows every client has; draws that give fewer are made anew' }),
  },
  deal: (input, { clients: K, concentration, column, least }) => {
    const classes = classesOf(input, column)
    const n = input.rows.length
    if (K * least > n) {
      const found = `partition dirichlet: ${K} clients of at least ${least} rows, ${n} rows`
      throw new OverhearError('E_VALUE', found, 'choose fewer clients or more rows')
    }
    const alpha = new Float64Array(K).fill(concentration)
    for (let attempt = 0; attempt < MOST_DRAWS; attempt++) {
      const rng = input.rng.fork('attempt', attempt)
      const dealt = Array.from({ length: K }, (): number[] => [])
      classes.forEach((own, c) => {
        const order = shuffled(own, rng.fork('class', c))
        const shares = rng.fork('shares', c).dirichlet(alpha)
        let sum = 0
        let start = 0
        for (let k = 0; k < K; k++) {
          sum += shares[k]!
          const end = k === K - 1 ? order.length : Math.min(order.length, Math.round(sum * order.length))
          for (; start < end; start++) dealt[k]!.push(order[start]!)
        }
      })
      if (dealt.every((own) => own.length >= least)) return { clients: dealt }
    }
    const found = `partition dirichlet: none of ${MOST_DRAWS} draws gave each of ${K} clients ${least} of ${n} rows`
    throw new OverhearError('E_VALUE', found, 'choose fewer clients, a larger concentration or a smaller least')
  },
})
