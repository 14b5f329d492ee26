/** The table of metrics: one for each kind of claim, which the compiler counts. */
import type { Claim, ClaimKind, OwnClaim } from '../attacks/claim.js'
import { find, table } from '../registry.js'
import { attribute } from './attribute-score.js'
import { labels } from './batch-labels-score.js'
import { contribution } from './contribution-score.js'
import { labelCounts, metaclassCounts } from './counts-score.js'
import type { Grading, Metric } from './grading.js'
import { members } from './members-score.js'
import { metaclassMeans } from './metaclass-means-score.js'
import { model } from './model-score.js'
import { participation } from './participation-score.js'
import { property } from './property-score.js'
import { protocol } from './protocol-score.js'
import { records } from './records-score.js'
import type { Missing, Score } from './score.js'
import { label, labelMean } from './single-label-score.js'

export type Metrics = { readonly [K in ClaimKind]: Metric<K> }

/** One for each kind of claim. */
export const metrics = table('metric', [
  model,
  attribute,
  label,
  labelMean,
  metaclassMeans,
  metaclassCounts,
  labels,
  labelCounts,
  records,
  property,
  members,
  contribution,
  protocol,
  participation,
]) satisfies Metrics

/** Grades a claim by its kind; a score that lacks a key of the truth, or of what is known, names it. */
export function scoreClaim(claim: Claim | OwnClaim, graded: Grading): Promise<Score | Missing> {
  return find<Metric>(metrics as unknown as Record<string, Metric>, claim.kind).grade(claim as never, graded)
}
