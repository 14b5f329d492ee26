/** Records mixed in pairs: what a client trains on under mixup. [zhang2018] Eq. (1) */
import type { Records } from '../data/records.js'
import { matrix } from '../numeric/linalg/matrix.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Mixing } from './turn.js'

/**
 * Each record with a partner: x = l x_i + (1 - l) x_j, and so the label of a regression.
 * departs: mixtures are drawn once a turn, not for every batch; of two classes one is drawn, the first with probability l,
 * which in the mean is the mixed loss. Each mixture has a share of its own.
 */
export function mixedRecords(
  { features, labels }: Records,
  { alpha, classes, rng }: Mixing & { readonly classes: boolean; readonly rng: Rng },
): Records {
  const { rows: n, cols, data } = features
  const partner = rng.fork('partners').permutation(n)
  const [shares, coins] = [rng.fork('shares'), rng.fork('classes').uniforms(n)]
  const each = n === 0 ? 1 : labels.length / n
  const mixed = matrix(n, cols)
  const told = new Float64Array(labels.length)
  for (let i = 0; i < n; i++) {
    const j = partner[i]!
    const [a, b] = [shares.gamma(alpha), shares.gamma(alpha)]
    // Two draws that both vanish, at tiny alphas, leave the record as it is.
    const share = a + b > 0 ? a / (a + b) : 1
    for (let c = 0; c < cols; c++)
      mixed.data[i * cols + c] = share * data[i * cols + c]! + (1 - share) * data[j * cols + c]!
    for (let k = 0; k < each; k++) {
      const [own, other] = [labels[i * each + k]!, labels[j * each + k]!]
      told[i * each + k] = classes ? (coins[i]! < share ? own : other) : share * own + (1 - share) * other
    }
  }
  return { features: mixed, labels: told }
}
