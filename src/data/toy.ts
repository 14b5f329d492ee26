/** The toy regression of [aia] B.2 as a dataset: its clients' records in one table. */
import { number, whole } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset } from './dataset-entry.js'
import type { Rule } from './encoder.js'
import { checkSize } from './sensible-size.js'
import { numberColumn, tableOf } from './table.js'
import { toyLeastSquares } from './toy-least-squares.js'

export const toy = defineDataset({
  id: 'toy-least-squares',
  title: 'Toy least squares: uniform columns, one coin, an affine law and noise',
  origin: 'generator',
  tasks: ['regression'],
  predicts: 'a made-up number',
  sensitive: ['coin'],
  paper: 'aia',
  params: {
    clients: whole({ default: 2, min: 1, doc: 'number of clients' }),
    recordsPerClient: whole({ default: 1024, min: 1, doc: 'records each client holds' }),
    numericColumns: whole({ default: 9, min: 0, doc: 'uniform columns, besides the coin' }),
    noiseStd: number({ default: 0.1, min: 0, doc: 'standard deviation of the noise on the label' }),
    heterogeneity: number({ default: 0, min: 0, doc: "deviation of each client's law from the common one" }),
  },
  load: ({ rng }, params) => {
    checkSize('toy-least-squares', params.clients * params.recordsPerClient, params.numericColumns + 1)
    const clients = toyLeastSquares(rng, params)
    const n = params.recordsPerClient
    const rows = n * params.clients
    const names = Array.from({ length: params.numericColumns + 1 }, (_, j) =>
      j < params.numericColumns ? `x${j}` : 'coin',
    )
    const columns = names.map((name, j) => {
      const values = Float64Array.from({ length: rows }, (_, i) => {
        const { data, cols } = clients[Math.floor(i / n)]!.features
        return data[(i % n) * cols + j]!
      })
      return numberColumn(name, values)
    })
    const y = Float64Array.from({ length: rows }, (_, i) => clients[Math.floor(i / n)]!.labels[i % n]!)
    const client = Float64Array.from({ length: rows }, (_, i) => Math.floor(i / n))
    const rules = names.map(
      (column): Rule =>
        column === 'coin' ? { column, encode: 'codes', levels: ['0', '1'] } : { column, encode: 'number' },
    )
    return checkedSource({
      name: 'toy-least-squares',
      task: 'regression',
      table: tableOf([...columns, numberColumn('y', y), numberColumn('client', client)]),
      rules,
      label: { column: 'y', encode: 'number' },
      sensitive: ['coin'],
      client: 'client',
    })
  },
})
