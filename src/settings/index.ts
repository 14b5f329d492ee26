/** The table of settings: everything that a scenario can say, in the order in which it is told. */
import { table } from '../registry.js'
import * as knowledge from './knowledge-settings.js'
import type { Setting, SettingOf, SettingValue } from './setting.js'
import * as training from './training-settings.js'
import * as world from './world-settings.js'

export const settings = table('setting', [
  world.scenarioName,
  world.seed,
  world.repeats,
  world.heldBack,
  world.plugins,
  world.dataName,
  world.dataParams,
  world.rows,
  world.validation,
  world.auxiliaryShare,
  world.partition,
  world.models,
  training.algorithm,
  training.share,
  training.rounds,
  training.learningRate,
  training.schedule,
  training.localEpochs,
  training.localSteps,
  training.batchSize,
  training.shuffle,
  training.dropLast,
  training.optimizer,
  training.momentum,
  training.weightDecay,
  training.clipNorm,
  training.proxMu,
  training.lossScale,
  training.compression,
  training.aggregateWeights,
  training.sampling,
  training.dropouts,
  training.misbehaving,
  training.precision,
  training.initialiser,
  world.defences,
  knowledge.targets,
  knowledge.sensitive,
  knowledge.records,
  knowledge.labels,
  knowledge.auxiliary,
  knowledge.metaclassCounts,
  knowledge.candidates,
  knowledge.property,
  knowledge.holders,
  knowledge.turnWindow,
  knowledge.states,
  world.contribution,
  world.observers,
  world.attacks,
  world.activeRounds,
  world.activeFrom,
  world.secondsPerAttack,
  world.workBudget,
  world.controls,
  world.alpha,
  world.margin,
  world.errorMargin,
])

/** The same table, whatever the kinds of its values. */
export const allSettings = settings as unknown as Readonly<Record<string, Setting>>

type Known = typeof settings
type ValueAt<K extends keyof Known> = SettingOf<Known[K]['value']>

/** Parts of a scenario that hold settings of their own. */
export type Section = 'data' | 'training' | 'knowledge'

/** The values of a section, by their names in it. */
export type SettingsIn<S extends Section> = {
  readonly [K in keyof Known as K extends `${S}.${infer N}` ? N : never]: ValueAt<K>
}

/** The settings that stand in no section, but for those with a shape of their own. */
export type TopSettings = {
  readonly [K in keyof Known as K extends `${string}.${string}`
    ? never
    : ValueAt<K> extends never
      ? never
      : K]: ValueAt<K>
}

/** The settings of a client's turn, which local rules read. */
export type TurnSettings = {
  readonly [K in keyof Known as Known[K] extends { readonly turn: true }
    ? K extends `training.${infer N}`
      ? N
      : never
    : never]: ValueAt<K>
}

/** An entry as a recording has it: its parameters stand beside its name. */
export interface ToldEntry {
  readonly [param: string]: unknown
}

type ToldKey<K extends keyof Known> = Known[K] extends {
  readonly manifest: { readonly key: infer N extends string }
}
  ? N
  : never
type ToldValue<K extends keyof Known> = Known[K] extends {
  readonly manifest: { readonly value: infer W extends SettingValue }
}
  ? SettingOf<W>
  : Known[K] extends { readonly manifest: { readonly entry: { readonly named: infer N extends string } } }
    ? (ToldEntry & { readonly [key in N]: string }) | null
    : ValueAt<K>
type MayBeUnknown<K extends keyof Known> = Known[K] extends { readonly manifest: { readonly unknown: true } }
  ? K
  : never

/** What a recording's manifest says of the training, by its own names; what nobody knows is absent. */
export type ToldSettings = {
  readonly [K in keyof Known as K extends MayBeUnknown<K> ? never : ToldKey<K>]: ToldValue<K>
} & {
  readonly [K in keyof Known as MayBeUnknown<K> extends never ? never : ToldKey<K>]?: ToldValue<K> | undefined
}

/** The settings of a section by their names in it, plug-ins' too; '' for those in none. */
export function settingsIn(section: Section | ''): Readonly<Record<string, Setting>> {
  const found: [string, Setting][] = []
  for (const one of Object.values(allSettings)) {
    const at = one.id.indexOf('.')
    const own = at < 0 ? '' : one.id.slice(0, at)
    if (own === section) found.push([one.id.slice(at + 1), one])
  }
  return Object.fromEntries(found)
}
