/** Who was in the training, graded on any rows as members against any others. */
import type { MembersClaim } from '../../attacks/claim.js'
import type { Asked } from '../grading.js'
import { finiteNumbers, places } from '../number-lists.js'
import { finite, type Gradable, type Rows } from './gradable.js'
import { aucBetween, finestRate, ordered, tprAt } from './roc.js'

/** The table is that of the candidates. A claim without scores ranks those that it names above all others. */
export function membersCell(claim: MembersClaim, { table }: Asked): Gradable {
  const n = table.features.rows
  const named = new Float64Array(n)
  for (const row of places(claim.rows, 'rows', n)) named[row] = 1
  const scores = ordered(claim.scores === undefined ? named : finiteNumbers(claim.scores, 'scores', n))
  return {
    metric: 'AUC',
    better: 'higher',
    best: 1,
    of: 'members',
    on: (rows, others = rest(rows, n)) => aucBetween(scores, rows, others) ?? 0.5,
    also(rows, others = rest(rows, n)) {
      const at = (rate: number) => tprAt(scores, { rows, others, rate })
      const finest = others.length === 0 ? undefined : finestRate(others.length)
      return finite({ tpr1: at(0.01), tpr01: at(0.001), tpr0: at(0), finest })
    },
  }
}

function rest(rows: Rows, n: number): Int32Array {
  const chosen = new Uint8Array(n)
  for (let i = 0; i < rows.length; i++) chosen[rows[i]!] = 1
  return Int32Array.from(chosen.keys()).filter((row) => chosen[row] === 0)
}
