/** Whether the last layer's gradient is that of one record of a class: it is done again and compared. */
import { matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import type { View } from '../../../threat/granted-keys.js'
import type { Fit } from '../../claim.js'
import { roundingOf } from '../../shared/update-rounding.js'
import type { ClassHead } from './class-head.js'
import { probabilities } from './reference-gradients.js'

/**
 * Of one record the rows are d_i a with d = p - [i = y] and p = softmax(W a + b): a follows from the rows, all else from
 * it. Undefined where nothing can be compared: no bias, no model, several steps, noise.
 */
export async function singleClassFit(
  view: View<'exchanges' | 'protocol'>,
  { update, gradW, gradB, layer }: ClassHead,
  label: number,
): Promise<Fit | undefined> {
  const plain = update.localSteps === 1 && update.unit !== null && view.protocol.differentialPrivacy === null
  if (!plain || gradB === undefined || layer === undefined) return undefined
  const scale = dot(gradB, gradB)
  if (!(scale > 0)) return undefined
  const { rows: n, cols: m } = gradW
  const a = new Float64Array(m)
  for (let i = 0; i < n; i++) for (const [j, g] of rowOf(gradW, i).entries()) a[j]! += (gradB[i]! * g) / scale
  const p = probabilities(matrix(1, m, a), layer).data
  const d = p.map((value, i) => value - (i === label ? 1 : 0))
  const heard = Float64Array.from([...gradW.data, ...gradB])
  const again = Float64Array.from([...gradW.data.map((_, at) => d[Math.floor(at / m)]! * a[at % m]!), ...d])
  const misfit = norm(again.map((v, j) => v - heard[j]!)) / norm(heard)
  const expected = Math.max(1e-10, 100 * roundingOf(await view.exchanges.read(update.round), update))
  return { misfit, expected, p: misfit <= 16 * expected ? 1 : 0 }
}
