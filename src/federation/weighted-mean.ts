/** The server's sum. */
import { OverhearError } from '../errors.js'

/** [mcmahan2017] Alg. 1: theta = sum over k of (n_k / n) theta_k, clients in the order given. */
export function weightedMean(thetas: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const n = weights.reduce((sum, w) => sum + w, 0)
  const d = thetas[0]?.length ?? 0
  if (thetas.length !== weights.length || !(n > 0)) {
    throw new OverhearError(
      'E_VALUE',
      `${thetas.length} models with weights [${weights.join(', ')}]`,
      'one weight a model, sum above 0',
    )
  }
  const mean = new Float64Array(d)
  for (const [k, theta] of thetas.entries()) {
    if (theta.length !== d)
      throw new OverhearError('E_SHAPE', `model ${k} has ${theta.length} values, model 0 has ${d}`)
    const share = weights[k]! / n
    for (let j = 0; j < d; j++) mean[j]! += share * theta[j]!
  }
  return mean
}
