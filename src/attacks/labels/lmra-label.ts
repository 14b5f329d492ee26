/** Labels of known records: what a client's own model says of them. [lmra] Obs. 7 */
import { OverhearError } from '../../errors.js'
import type { ModelFunctions } from '../../models/functions.js'
import { gradient } from '../../numeric/engine/derive.js'
import * as t from '../../numeric/engine/trace.js'
import { type Matrix, matrix, rowsOf } from '../../numeric/linalg/matrix.js'
import { meanOf } from '../../numeric/special/summaries.js'
import { text } from '../../params.js'
import type { EncodedRecords, View } from '../../threat/granted-keys.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import { claimed, defineAttack, Inapplicable } from '../attack.js'
import { claimedModel, classifies, labelsOf } from '../shared/claimed-model.js'
import { evaluable } from '../shared/evaluable-model.js'
import { optimumOf } from '../shared/turn-controls.js'

export const lmraLabel = defineAttack({
  id: 'lmra-label',
  effort: 2,
  title: 'Labels of known records through a reconstructed model',
  paper: 'lmra',
  where: 'Obs. 7',
  target: 'labels',
  perRecord: true,
  needs: ['records', 'target', 'model', 'loss', 'protocol'],
  uses: ['sensitive'],
  params: { from: text({ default: 'lmra-ols', doc: 'the attack whose model predicts the labels' }) },
  async run(view, context) {
    const { from } = context.params
    const functions = evaluable(view)
    requireOneLabel(functions, view)
    const { theta, warnings } = await claimedModel(context, from)
    const { features, filled } = completed(view.records, view.sensitive)
    const labels = labelsOf(functions.predict(theta, features), functions.model, view)
    const doubts =
      filled.length === 0
        ? []
        : [`${filled.join(', ')}: unknown and taken as the middle of what it can be; its share of a label is missing`]
    return claimed(
      { kind: 'labels', client: view.target, labels },
      { warnings: [...warnings, ...doubts], details: { from, records: features.rows, filled } },
    )
  },
  async plant({ view, params, truth }) {
    const theta = await optimumOf(truth, view.target)
    const labels = (await truth.client(view.target))?.labels
    if (labels === undefined) throw new OverhearError('E_INPUT', `the truth holds no labels of client "${view.target}"`)
    const functions = evaluable(view)
    const { features } = completed(view.records, view.sensitive)
    const fitting = classifies(functions.model, view)
      ? borrowed(features, labels, labelsOf(functions.predict(theta, features), functions.model, view))
      : moved(functions, theta, { features, labels })
    const model = claimed({ kind: 'model', client: view.target, theta })
    return { view: { ...view, records: { ...view.records, features: fitting } }, claims: { [params.from]: model } }
  },
  async shuffle({ view, rng }) {
    const { features } = view.records
    const order = rng.permutation(features.rows)
    return { view: { ...view, records: { ...view.records, features: rowsOf(features, order) } } }
  },
})

function requireOneLabel({ model }: ModelFunctions, view: View<'loss'>): void {
  if (model.outputs === 1 || classifies(model, view)) return
  throw new Inapplicable(['a model of one label'], `the model has ${model.outputs} outputs that are no classes`)
}

/** Empty cells of sensitive columns filled with the mean of the values that they can take. */
function completed(
  { columns, features }: EncodedRecords,
  sensitive: readonly Sensitive[] = [],
): { features: Matrix; filled: string[] } {
  const { rows: n, cols: d } = features
  const data = features.data.slice()
  const filled: string[] = []
  for (const attribute of sensitive) {
    const { name } = attribute
    attribute.columns.forEach((column, c) => {
      const j = columns.indexOf(column)
      if (j < 0) return
      const middle = middleOf(attribute, c)
      for (let i = 0; i < n; i++) {
        if (!Number.isNaN(data[i * d + j]!)) continue
        data[i * d + j] = middle
        if (!filled.includes(name)) filled.push(name)
      }
    })
  }
  const empty = data.findIndex((x) => !Number.isFinite(x))
  if (empty >= 0) {
    const column = columns[empty % d]
    throw new Inapplicable(
      ['records'],
      `row ${Math.floor(empty / d)} has no ${column}: the label hangs on every column`,
    )
  }
  return { features: matrix(n, d, data), filled }
}

/** The mean over categories, or the middle of a range. */
function middleOf(attribute: Sensitive, column: number): number {
  if (attribute.kind === 'continuous') return (attribute.range[0] + attribute.range[1]) / 2
  return meanOf(attribute.values.map((row) => row[column]!))
}

/** Records moved along the prediction's gradient until it is their label: at once for a linear model, else by damped steps. */
function moved(
  functions: ModelFunctions,
  theta: Float64Array,
  { features, labels }: { features: Matrix; labels: Float64Array },
): Matrix {
  const { rows: n, cols: d } = features
  const slopes = functions.derive(n, ({ output, X }) => [output, ...gradient(t.sumAll(output), [X])])
  let best = features.data.slice()
  let [z, g] = slopes({ theta, X: best, y: labels }) as [Float64Array, Float64Array]
  const pace = new Float64Array(n).fill(1)
  for (let step = 0; step < 60; step++) {
    const X = best.slice()
    for (let i = 0; i < n; i++) {
      let size = 0
      for (let j = 0; j < d; j++) size += g[i * d + j]! * g[i * d + j]!
      const by = size === 0 ? 0 : (pace[i]! * (labels[i]! - z[i]!)) / size
      for (let j = 0; j < d; j++) X[i * d + j]! += by * g[i * d + j]!
    }
    const [zNew, gNew] = slopes({ theta, X, y: labels }) as [Float64Array, Float64Array]
    for (let i = 0; i < n; i++) {
      const nearer = Math.abs(zNew[i]! - labels[i]!) <= Math.abs(z[i]! - labels[i]!)
      pace[i] = nearer ? Math.min(1, 2 * pace[i]!) : pace[i]! / 4
      if (nearer) continue
      zNew[i] = z[i]!
      for (let j = i * d; j < (i + 1) * d; j++) {
        X[j] = best[j]!
        gNew[j] = g[j]!
      }
    }
    ;[best, z, g] = [X, zNew, gNew]
  }
  return matrix(n, d, best)
}

/** Records that the model gets wrong take the features of one of their class that it gets right. */
function borrowed(features: Matrix, labels: Float64Array, predicted: Float64Array): Matrix {
  const right = new Map<number, number>()
  labels.forEach((label, i) => {
    if (predicted[i] === label && !right.has(label)) right.set(label, i)
  })
  return rowsOf(
    features,
    Int32Array.from(labels, (label, i) => (predicted[i] === label ? i : (right.get(label) ?? i))),
  )
}
