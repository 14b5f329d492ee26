// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// aia-model. Records come out of a table that sorts its columns by name; the model's weights stay in the order of training.
import { changedView, withRun } from './parts.mjs'

export const id = 'aia-model'

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const { columns, features } = view.records
    const order = columns.map((_, j) => j).sort((a, b) => (columns[a] < columns[b] ? -1 : 1))
    const { rows, cols } = features
    const data = new Float64Array(rows * cols)
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < cols; j++) data[i * cols + j] = features.data[i * cols + order[j]]
    const records = { ...view.records, columns: order.map((j) => columns[j]), features: { ...features, data } }
    return attack.run(changedView(attack, view, { records }), context)
  })
