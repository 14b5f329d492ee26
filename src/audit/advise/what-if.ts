/** A change that could be made to a federation: words for people, and the scenario after it. */
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { Setup } from '../account/setup.js'

/** One change, ready to be tried. */
export interface Change {
  /** Short and of letters that a folder may have. */
  readonly id: string
  readonly words: string
  apply(scenario: Scenario): Scenario | Promise<Scenario>
}

/** What changes may ask of the world that they change. */
export interface Around {
  /** Who takes part with how many records, for a scenario that is not the one at hand. */
  setupOf(scenario: Scenario): Promise<Setup>
  /** How long the gradient of a record is at first, on rows that nobody trains on. */
  gradientOf(scenario: Scenario): Promise<number>
}

/** A kind of change. Two of the same kind exclude each other; two of different kinds can be made together. */
export interface WhatIf {
  readonly id: string
  readonly title: string
  /** The changes of this kind that make sense for a scenario; none where it is done already. */
  changes(scenario: Scenario, around: Around): readonly Change[]
}

type Training = Scenario['training']

/** The scenario with other settings of its training. */
export const training = (scenario: Scenario, changed: Partial<Training>): Scenario => ({
  ...scenario,
  training: { ...scenario.training, ...changed },
})

/** The scenario with one more defence, after those that it has. */
export const defended = (scenario: Scenario, name: string, params: Readonly<Record<string, unknown>>): Scenario => ({
  ...scenario,
  defences: [...scenario.defences, { name, params }],
})

/** Whether the scenario has a defence of this name. */
export const has = ({ defences }: Scenario, name: string): boolean => defences.some((one) => one.name === name)
