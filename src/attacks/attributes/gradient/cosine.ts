/** The cosine of [aia] Eq. (2) and its derivative in the sensitive columns, for any model: gradients of gradients. */
import type { ModelFunctions } from '../../../models/functions.js'
import { checkBatch } from '../../../models/functions.js'
import type { Loss } from '../../../models/model.js'
import { gradient } from '../../../numeric/engine/derive.js'
import * as t from '../../../numeric/engine/trace.js'
import { cosineOfMlp } from './cosine-mlp.js'
import type { CosineFunction, CosineInput } from './matched-message.js'

/** Two products a message for networks with one hidden layer and a squared loss, the general engine for all others. */
export function cosineOf(input: CosineInput): CosineFunction {
  return cosineOfMlp(input) ?? cosineByEngine(input)
}

export function cosineByEngine({ functions, view, labels, places, records: n }: CosineInput): CosineFunction {
  const run = functions.derive(n, ({ loss, theta, X }) => {
    const descent = t.input('descent', theta)
    const [g] = gradient(loss, [theta])
    const cosine = t.div(t.dot(g!, descent), t.mul(t.norm(g!), t.norm(descent)))
    const [slope] = gradient(cosine, [X])
    return [cosine, t.gatherCols(slope!, places)]
  })
  const y = labelsOf(functions, view.loss, labels)
  return ({ data }, { theta, descent }) => {
    const [value, slope] = run({ theta, X: data, y: y(n), descent })
    return { value: value![0]!, slope: slope! }
  }
}

/** Labels as the trace reads them, checked once. */
function labelsOf(functions: ModelFunctions, loss: Loss, labels: Float64Array): (n: number) => Float64Array {
  let checked: Float64Array | undefined
  return (n) => {
    const k = functions.model.inputs
    checked ??= checkBatch(functions.model, loss, {
      features: { rows: n, cols: k, data: new Float64Array(n * k) },
      labels,
    }).y
    return checked
  }
}
