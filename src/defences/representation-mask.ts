/**
 * A weak defence of the literature: what the last layer's weights tell of the hidden units that give an input away most is left
 * out of the message. Nothing is promised. [sun2021] Eq. (6)
 * departs: one mask for a client's turn, by the mean over its records, since what is sent is a change and not the gradient of
 * one record; for networks with one hidden layer of ReLU, where |dr_j/dx| is the length of the unit's weights.
 */
import { OverhearError } from '../errors.js'
import type { TurnContext } from '../federation/hooks.js'
import { changeOf, updateOf } from '../federation/updates.js'
import { number } from '../params.js'
import { defineDefence } from './defence-entry.js'

export const representationMaskEntry = defineDefence({
  id: 'representation-mask',
  title: "changes of the last layer's weights are left out for the units that tell most of inputs; nothing is promised",
  paper: 'sun2021',
  params: { share: number({ default: 0.4, min: 0, max: 1, doc: 'share of the hidden units that are masked' }) },
  create: ({ share }) => ({
    turn(update, at) {
      const { inputs, outputs, units, last } = shapeOf(at)
      const change = changeOf(update, at).slice()
      const told = tellingUnits(at, { inputs, units })
      for (const j of told.slice(0, Math.floor(share * units))) {
        for (let o = 0; o < outputs; o++) change[last + o * units + j] = 0
      }
      return updateOf(update.kind, change, at)
    },
    // No kind of compression that anybody plays over: which units are masked follows from records that nobody else has.
    protocol: { compression: { kind: 'representation-mask', share } },
  }),
})

function shapeOf({ model: { kind, inputs, outputs, dense } }: TurnContext) {
  const [units, ...more] = dense?.hidden ?? []
  if (dense === undefined || units === undefined || more.length > 0 || dense.activation !== 'relu') {
    const found = `defence representation-mask on a ${kind} model`
    throw new OverhearError('E_INPUT', found, 'it needs one hidden layer of ReLU: an mlp with hidden: [units]')
  }
  return { inputs, outputs, units, last: units * inputs + (dense.bias ? units : 0) }
}

/** Units by the mean over the records of r_j / |dr_j/dx|, the largest first; of equal ones the earlier. */
function tellingUnits(
  { received: theta, records, model }: TurnContext,
  { inputs, units }: { readonly inputs: number; readonly units: number },
): number[] {
  const { features } = records()
  const { rows: n, cols, data } = features
  const bias = model.dense!.bias
  const tells = Array.from({ length: units }, (_, j) => {
    const w = theta.subarray(j * inputs, (j + 1) * inputs)
    const length = Math.sqrt(w.reduce((sum, x) => sum + x * x, 0))
    let sum = 0
    for (let i = 0; i < n; i++) {
      let r = bias ? theta[units * inputs + j]! : 0
      for (let c = 0; c < cols; c++) r += w[c]! * data[i * cols + c]!
      sum += Math.max(0, r)
    }
    return length > 0 && n > 0 ? sum / (n * length) : 0
  })
  return tells.map((_, j) => j).sort((a, b) => tells[b]! - tells[a]! || a - b)
}
