/** [labels] 6.6: the attack on the mean labels of groups (Salary), with one thing changed at a time; a panel for each value and scale. */

import { defineStudy, type StudyClaim } from '../study.js'
import { fewer, groupNotes, leftOut, meansErrors, steep } from './group-errors.js'
import { type Experiment, type Scale, salaryBatch, salaryEpochs, salaryStudy, scales } from './salary-batch.js'

/** The name of a panel: what was changed, and how inputs were scaled. */
export type PanelOf = (change: string) => string

export interface RobustnessOptions {
  readonly id: string
  readonly where: string
  readonly what: string
  /** What is changed, by its name; functions stay here, and cells name the change. */
  readonly changes: Readonly<Record<string, Pick<Experiment, 'K' | 'hidden' | 'spoil'>>>
  readonly seconds: { readonly quick: number; readonly full: number }
  /** What the thesis says of its figure, which is asked of either scale. */
  claims(panelOf: PanelOf): readonly StudyClaim[]
  readonly departs?: readonly string[]
}

const both = Object.keys(scales) as Scale[]
const panelIn =
  (scale: Scale): PanelOf =>
  (change) =>
    `${change}, ${scale} inputs`

/** Each claim for either scale of the inputs. */
export const inEitherScale = (claims: RobustnessOptions['claims']): StudyClaim[] =>
  both.flatMap((scale) =>
    claims(panelIn(scale)).map(({ text, ...claim }) => ({ ...claim, text: `${scale} inputs: ${text}` })),
  )

/** Each change with either scale of the inputs. */
export const scaledPoints = (changes: readonly string[]) =>
  both.flatMap((scale) =>
    changes.map((change) => ({ at: { change, scale, panel: panelIn(scale)(change) }, effort: 1 })),
  )

export function salaryRobustness({ id, where, what, changes, seconds, claims, departs = [] }: RobustnessOptions) {
  return defineStudy({
    ...salaryStudy,
    id,
    where,
    title: `Mean salaries of groups from one gradient, ${what} (Salary; titles sorted into roles by patterns of our own)`,
    unit: 'mean absolute error in units of 10,000, over the groups present',
    seconds,
    seeds: { quick: 3, full: 100 },
    points: () => scaledPoints(Object.keys(changes)),
    async measure({ change, scale, panel }, { seed, quick, ports }) {
      const run = await salaryBatch({ scale, seed, quick, ports, ...changes[change]! })
      return meansErrors(run, { panel, epochs: salaryEpochs({ quick }) })
    },
    published: [],
    notes: groupNotes,
    departs: [
      'The figure is a picture without numbers: its sentences are the claims below.',
      `The thesis does not say which rule for beta it drew; ${steep} is what the claims compare. Nor does it say how inputs are scaled.`,
      leftOut,
      ...departs,
      fewer(3),
    ],
    claims: inEitherScale(claims),
  })
}
