/** [labels] 6.6: the attack on the mean labels of groups (Salary), with one thing changed at a time; a panel for each value. */

import { defineStudy, type StudyClaim } from '../study.js'
import { fewer, groupNotes, leftOut, meansErrors, steep } from './group-errors.js'
import { type Experiment, salaryBatch, salaryEpochs, salaryStudy } from './salary-batch.js'

export interface RobustnessOptions {
  readonly id: string
  readonly where: string
  readonly what: string
  /** What is changed, by the panel's name; functions stay here, and cells name the panel. */
  readonly changes: Readonly<Record<string, Pick<Experiment, 'K' | 'hidden' | 'spoil'>>>
  readonly claims: readonly StudyClaim[]
  readonly departs?: readonly string[]
}

export function salaryRobustness({ id, where, what, changes, claims, departs = [] }: RobustnessOptions) {
  return defineStudy({
    ...salaryStudy,
    id,
    where,
    title: `Mean salaries of groups from one gradient, ${what} (Salary; titles sorted into roles by patterns of our own)`,
    unit: 'mean absolute error in units of 10,000, over the groups present',
    seconds: { quick: 6 * Object.keys(changes).length, full: 200 * Object.keys(changes).length },
    seeds: { quick: 3, full: 100 },
    points: () => Object.keys(changes).map((panel) => ({ at: { panel }, effort: 1 })),
    async measure({ panel }: { readonly panel: string }, { seed, quick, ports }) {
      const run = await salaryBatch({ scale: 'standardised', seed, quick, ports, ...changes[panel]! })
      return meansErrors(run, { panel, epochs: salaryEpochs({ quick }) })
    },
    published: [],
    notes: groupNotes,
    departs: [
      'The figure is a picture without numbers: its sentences are the claims below.',
      `The thesis does not say which rule for beta it drew; ${steep} is what the claims compare. Inputs are standardised.`,
      leftOut,
      ...departs,
      fewer(3),
    ],
    claims,
  })
}
