/** The table of metrics: one for each kind of claim, which the compiler counts. */
import type { ClaimKind, ClaimOf } from '../attacks/claim.js'
import { attribute } from './attribute-score.js'
import { labels } from './batch-labels-score.js'
import { contribution } from './contribution-score.js'
import { labelCounts, metaclassCounts } from './counts-score.js'
import type { Grading, Metric } from './grading.js'
import { members } from './members-score.js'
import { metaclassMeans } from './metaclass-means-score.js'
import { model } from './model-score.js'
import { property } from './property-score.js'
import { records } from './records-score.js'
import type { Missing, Score } from './score.js'
import { label, labelMean } from './single-label-score.js'

export type Metrics = { readonly [K in ClaimKind]: Metric<K> }

export const metrics: Metrics = {
  model,
  attribute,
  label,
  'label-mean': labelMean,
  'metaclass-means': metaclassMeans,
  'metaclass-counts': metaclassCounts,
  labels,
  'label-counts': labelCounts,
  records,
  property,
  members,
  contribution,
}

/** Grades a claim by its kind; a score that lacks a key of the truth, or of what is known, names it. */
export function scoreClaim<K extends ClaimKind>(claim: ClaimOf<K>, graded: Grading): Promise<Score | Missing> {
  const kind: K = claim.kind as K
  return (metrics[kind] as Metric<K>)(claim, graded)
}
