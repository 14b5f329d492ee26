/** The records behind the attacked update, for whoever plants a control. */
import { OverhearError } from '../../errors.js'
import type { Batch } from '../../models/functions.js'
import { perRecord, rowsOf } from '../../numeric/linalg/matrix.js'
import type { View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'

export async function batchBehind(truth: Truth, { target, round }: View<'target' | 'round'>): Promise<Batch> {
  const table = await truth.client(target)
  if (table?.labels === undefined) throw new OverhearError('E_INPUT', `the truth holds no labels of client "${target}"`)
  const { features, labels } = table
  const rows = truth.batch({ round, client: target }) ?? Array.from({ length: features.rows }, (_, i) => i)
  return { features: rowsOf(features, rows), labels: rowsOf(perRecord(labels!, features.rows), rows).data }
}
