/** Grades which candidates a client trained on. */
import { OverhearError } from '../errors.js'
import { perRecord, rowOf } from '../numeric/linalg/matrix.js'
import type { Table } from '../transcript/encoded-table.js'
import { scoreDetection } from './detection.js'
import { metric, needed, recordsOf } from './grading.js'
import { finiteNumbers, places } from './number-lists.js'

/** A candidate is a member if the client holds a record with the same features, and label where both tables have one. */
export const members = metric('members', 'which candidates a client trained on', async (claim, graded) => {
  const { known } = graded
  const [candidates, table] = needed(
    ['candidates', known.candidates?.features.rows === 0 ? undefined : known.candidates],
    [`clients.${claim.client}`, await recordsOf(claim.client, graded)],
  )
  if (candidates.features.cols !== table.features.cols) {
    const found = `candidates have ${candidates.features.cols} columns`
    throw new OverhearError('E_SHAPE', found, `the records of client "${claim.client}" have ${table.features.cols}`)
  }
  const n = candidates.features.rows
  const labelled = candidates.labels !== undefined && table.labels !== undefined
  const held = new Set(keysOf(table, labelled))
  const truth = keysOf(candidates, labelled).map((key) => held.has(key))
  const rows = new Set(places(claim.rows, 'rows', n))
  const claimed = truth.map((_, i) => rows.has(i))
  const scores = claim.scores && finiteNumbers(claim.scores, 'scores', n)
  return {
    ...scoreDetection({ truth, claimed, scores, of: 'candidates' }),
    perRecord: Uint8Array.from(truth, (is, i) => (is === claimed[i] ? 1 : 0)),
  }
})

/** Each record as text, at single precision: one of the two files may have been written so. */
function keysOf({ features, labels }: Table, labelled: boolean): string[] {
  const text = (values: Float64Array): string => Array.from(values, (x) => Math.fround(x)).join(' ')
  const Y = labelled ? perRecord(labels!, features.rows) : undefined
  return Array.from({ length: features.rows }, (_, i) => {
    const key = text(rowOf(features, i))
    return Y === undefined ? key : `${key} ${text(rowOf(Y, i))}`
  })
}
