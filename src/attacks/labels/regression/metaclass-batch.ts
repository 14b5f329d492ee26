/** What both metaclass attacks start from: the updates of a batch, and auxiliary records by metaclass seen with them. */
import { OverhearError } from '../../../errors.js'
import { firstNonFinite } from '../../../numeric/linalg/vector.js'
import { meanPerRecord } from '../../../numeric/special/summaries.js'
import { choice, numbers, whole } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import type { Context } from '../../attack.js'
import type { Fit } from '../../claim.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { updateSize } from '../../shared/update-size.js'
import { regressionUpdate } from './mean-gradient.js'
import { meanOutput } from './mean-output.js'
import { type Groups, groupsOf } from './metaclass-groups.js'
import { penalties, rules, scalings } from './metaclass-solvers.js'
import { type SeenRound, seenWith, strayedBy } from './record-scores.js'
import { type RegressionHead, regressionHead } from './regression-head.js'
import { readRehearsed } from './rehearsal/read-update.js'

export const batchNeeds = ['exchanges', 'target', 'round', 'model', 'loss', 'protocol', 'auxiliary'] as const
export const batchUses = ['batchSize', 'samples', 'auxiliary.label', 'auxiliary.metaclass', 'metaclasses'] as const

export const batchParams = {
  metaclasses: choice({
    default: 'column',
    choices: ['column', 'clusters'],
    doc: 'from a column of the auxiliary data, or clusters of their features (k-means)',
  }),
  clusters: whole({ default: 4, min: 1, max: 1000, doc: 'number of clusters' }),
  rounds: numbers({
    default: [],
    min: 0,
    whole: true,
    doc: 'rounds of the same batch to use together; none: the round attacked',
  }),
  rule: choice({ default: 'slope-nm', choices: rules, doc: 'how tikhonov chooses beta' }),
  penalty: choice({
    default: 'size',
    choices: penalties,
    doc: 'what tikhonov keeps small: the unknowns themselves, or how far they are from their mean',
  }),
  rank: whole({ default: 0, min: 0, doc: 'singular values that tsvd keeps; 0: by cross-validation' }),
  scaling: choice({ default: 'none', choices: scalings, doc: 'rows or columns of the published systems to length 1' }),
}

export type BatchView = View<(typeof batchNeeds)[number]> & Partial<View<(typeof batchUses)[number]>>

export interface RegressionBatch {
  readonly head: RegressionHead
  readonly rounds: readonly SeenRound[]
  readonly groups: Groups
  /** K; undefined where it is not known. */
  readonly records: number | undefined
  /** How well the stated protocol explains the first of these updates; undefined where it was not rehearsed. */
  readonly fit: Fit | undefined
  /** Whether it explains all of them; else no error is stated. */
  readonly explained: boolean
  /** Standard error of the mean label of all records by what several local steps hide; null: unknown. */
  readonly drift: number | null
  /** The same rounds with gradients as far off as those of made-up clients are: one list for each of these. */
  readonly strayed: readonly (readonly SeenRound[])[]
  readonly warnings: string[]
}

interface Asked {
  /** Of the auxiliary records: used unless told. */
  readonly labels?: 'use' | 'ignore'
  readonly metaclasses: 'column' | 'clusters'
  readonly clusters: number
  readonly rounds: readonly number[]
}

export async function regressionBatch(
  view: BatchView,
  { params, tick, rng }: Pick<Context<Asked>, 'params' | 'tick' | 'rng'>,
): Promise<RegressionBatch> {
  const layer = regressionHead(view)
  let head = layer
  const groups = groupsOf(view, { by: params.metaclasses, clusters: params.clusters })
  const functions = evaluable(view)
  const asked = params.rounds.length > 0 ? [...new Set(params.rounds)] : [view.round]
  const rounds: SeenRound[] = []
  const strays: (readonly Float64Array[])[] = []
  const warnings: string[] = []
  let records: number | undefined
  let fit: Fit | undefined
  let explained = true
  let drift: number | null = 0
  for (const [done, round] of asked.entries()) {
    tick(done, asked.length)
    const heard = await regressionUpdate(view, layer, round)
    const { features } = view.auxiliary
    const labels = params.labels === 'ignore' ? undefined : auxiliaryLabels(view)
    const rehearsal = { head, update: heard, features, labels, rng: rng.fork('round', round) }
    const told = layer.outputs > 1 ? meanOutput(layer, heard) : { head, read: readRehearsed(view, rehearsal) }
    const { read } = told
    const { update } = read
    head = told.head
    records ??= update.records
    fit ??= read.fit
    explained &&= read.explained
    drift = drift === null || read.error === null ? null : Math.max(drift, read.error)
    warnings.push(...[...read.warnings, ...update.warnings].filter((one) => !warnings.includes(one)))
    rounds.push(seenWith(update, { head, functions, features }))
    strays.push(read.strays)
  }
  if (asked.length > 1 && otherRecords(view)) {
    warnings.push('a round of this protocol draws other records: its batches are not the same')
  }
  if (!head.plain) warnings.push('the slope of the output is taken as independent of the error: approximate')
  if (view.protocol.dropout > 0) warnings.push('embeddings are computed without the dropout that training had')
  const strayed = (strays[0] ?? []).map((_, k) =>
    rounds.map((seen, t) => (strays[t]![k] === undefined ? seen : strayedBy(seen, head, strays[t]![k]!))),
  )
  return { head, rounds, groups, records, fit, explained, drift, strayed, warnings }
}

/** Whether a round is of one batch among several. */
function otherRecords(view: BatchView): boolean {
  const { recordsPerStep: B, steps } = updateSize(view, view.protocol.share)
  return B !== undefined && view.samples !== undefined && B < view.samples && steps === 1
}

/** The labels of the auxiliary records, where there are some: of several a record their mean. */
export function auxiliaryLabels(view: Partial<View<'auxiliary' | 'auxiliary.label'>>): Float64Array | undefined {
  const labels = view['auxiliary.label']
  const n = view.auxiliary?.features.rows ?? 0
  if (labels === undefined) return undefined
  if (labels.length !== n && (n === 0 || labels.length === 0 || labels.length % n !== 0)) {
    throw new OverhearError('E_SHAPE', `${labels.length} labels for ${n} auxiliary records`, 'as many each are needed')
  }
  const bad = firstNonFinite(labels)
  if (bad >= 0)
    throw new OverhearError(
      'E_NON_FINITE',
      `the label of auxiliary record ${Math.floor((bad * n) / labels.length)} is ${labels[bad]}`,
    )
  return meanPerRecord(labels, n)
}
