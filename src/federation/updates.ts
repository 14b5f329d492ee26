/** What clients return, seen as changes of the model: signs and scales are settled here and nowhere else. */
import { OverhearError } from '../errors.js'
import { addScaledInto } from '../numeric/linalg/vector.js'
import { totalOf } from '../numeric/special/summaries.js'
import type { Update } from '../transcript/round-messages.js'
import type { Share } from './local-rules/local-rule.js'

/** What an update is relative to. */
export interface TurnFrame {
  /** The model that the client was sent. */
  readonly received: Float64Array
  readonly learningRate: number
}

/** theta_c - theta; a gradient stands for the step -learningRate * grad. */
export function changeOf(update: Update, { received, learningRate: eta }: TurnFrame): Float64Array {
  if (update.kind === 'delta') return update.dTheta.slice()
  const change = (update.kind === 'parameters' ? update.theta : update.grad).slice()
  if (update.kind === 'parameters') for (let j = 0; j < change.length; j++) change[j]! -= received[j]!
  else for (let j = 0; j < change.length; j++) change[j]! *= -eta
  return change
}

/** The message that says `dTheta`. */
export function updateOf(share: Share, dTheta: Float64Array, { received, learningRate: eta }: TurnFrame): Update {
  switch (share) {
    case 'parameters':
      return { kind: 'parameters', theta: received.map((x, j) => x + dTheta[j]!) }
    case 'delta':
      return { kind: 'delta', dTheta: dTheta.slice() }
    case 'gradient':
      return { kind: 'gradient', grad: dTheta.map((x) => (x === 0 ? 0 : -x / eta)) }
  }
}

/** The same change times a factor, or one a coordinate: -1 turns it round. */
export function scaledUpdate(
  update: Update,
  factor: number | Float64Array,
  { received }: Pick<TurnFrame, 'received'>,
): Update {
  const by = (j: number): number => (typeof factor === 'number' ? factor : factor[j]!)
  // What is multiplied with 1 stays as it is, to the last bit.
  const moved = (x: number, j: number): number => (by(j) === 1 ? x : received[j]! + by(j) * (x - received[j]!))
  switch (update.kind) {
    case 'parameters':
      return { kind: 'parameters', theta: update.theta.map(moved) }
    case 'delta':
      return { kind: 'delta', dTheta: update.dTheta.map((x, j) => by(j) * x) }
    case 'gradient':
      return { kind: 'gradient', grad: update.grad.map((g, j) => by(j) * g) }
  }
}

/** theta_c, whatever was returned. */
export function modelAfter(update: Update, { received, learningRate: eta }: TurnFrame): Float64Array {
  switch (update.kind) {
    case 'parameters':
      return update.theta
    case 'delta':
      return received.map((x, j) => x + update.dTheta[j]!)
    case 'gradient':
      return received.map((x, j) => x - eta * update.grad[j]!)
  }
}

/** The numbers of an update as they crossed the wire. */
export function valuesOf(update: Update): Float64Array {
  return update.kind === 'parameters' ? update.theta : update.kind === 'delta' ? update.dTheta : update.grad
}

/** The server's step: the weighted mean of what came back, in the order given. */
export function meanModel(
  updates: readonly Update[],
  { global, weights, learningRate }: { global: Float64Array; weights: readonly number[]; learningRate: number },
): Float64Array {
  const mean = weightedMean(updates.map(valuesOf), weights)
  switch (updates[0]!.kind) {
    case 'parameters':
      return mean
    case 'delta':
      return global.map((x, j) => x + mean[j]!)
    case 'gradient':
      return global.map((x, j) => x - learningRate * mean[j]!)
  }
}

/** sum over i of w_i (theta_i - theta): what secure aggregation would reveal. */
export function changeSum(
  updates: readonly Update[],
  { global, weights, learningRate }: { global: Float64Array; weights: readonly number[]; learningRate: number },
): Float64Array {
  const sum = new Float64Array(global.length)
  for (const [i, update] of updates.entries()) {
    addScaledInto(sum, changeOf(update, { received: global, learningRate }), weights[i]!)
  }
  return sum
}

/** [mcmahan2017] Alg. 1: theta = sum over k of (n_k / n) theta_k, clients in the order given. */
export function weightedMean(thetas: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const n = totalOf(weights)
  const d = thetas[0]?.length ?? 0
  if (thetas.length !== weights.length || !(n > 0)) {
    throw new OverhearError(
      'E_VALUE',
      `${thetas.length} models with weights [${weights.slice(0, 20).join(', ')}]`,
      'one weight a model, sum above 0',
    )
  }
  const mean = new Float64Array(d)
  for (const [k, theta] of thetas.entries()) {
    if (theta.length !== d)
      throw new OverhearError('E_SHAPE', `model ${k} has ${theta.length} values, model 0 has ${d}`)
    addScaledInto(mean, theta, weights[k]! / n)
  }
  return mean
}

/** What helps against divergence. */
export function divergenceHint(learningRate: number): string {
  const lower = Number((learningRate / 10).toPrecision(2))
  const how = `say by --set training.learningRate=${lower}, or have one found by "auto"`
  return `lower the learning rate (${learningRate}), ${how}; standardise columns and labels of large numbers`
}
