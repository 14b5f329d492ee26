/** What a local rule is: from its parameters to the plan that a client's turn follows. */
import type { Cited } from '../../papers.js'
import type { Entry } from '../../registry.js'
import type { SettingsIn, TurnSettings } from '../../settings/index.js'
import type { Chosen } from '../../settings/setting.js'

export type Share = SettingsIn<'training'>['share']
export type Shuffle = TurnSettings['shuffle']

/** One client's turn, every choice made. Either epochs or steps count; the other is null. */
export interface LocalPlan {
  readonly learningRate: number
  readonly localEpochs: number | null
  readonly localSteps: number | null
  /** null: all records in one batch. */
  readonly batchSize: number | null
  /** When the records are put into a new order: for every epoch, for every turn, never. */
  readonly shuffle: Shuffle
  /** Its velocity is zero at the beginning of a turn. */
  readonly momentum: number
  readonly proxMu: number
  /** Plain SGD unless told. */
  readonly optimizer?: Chosen
  /** 0 unless told. */
  readonly weightDecay?: number
  /** null: never, which it is unless told. */
  readonly clipNorm?: number | null
  /** Whether the short last batch of an epoch is left out; not unless told. */
  readonly dropLast?: boolean
}

export interface LocalRule extends Entry {
  readonly paper?: Cited
  /** What clients may return. */
  readonly shares: readonly Share[]
  /** The settings of a turn that it does as told, by their names; it is handed no others. */
  readonly obeys: readonly (keyof TurnSettings | (string & {}))[]
  plan(settings: TurnSettings & Readonly<Record<string, unknown>>): LocalPlan
}

export const defineLocalRule = <const I extends string>(
  rule: Omit<LocalRule, 'params'> & { readonly id: I },
): LocalRule & { readonly id: I } => ({ ...rule, params: {} })

/** The settings of a turn of several steps. */
export const severalSteps = [
  ...(['learningRate', 'localEpochs', 'localSteps', 'batchSize', 'shuffle', 'momentum'] as const),
  ...(['optimizer', 'weightDecay', 'clipNorm', 'dropLast'] as const),
] as const

export function planOf(settings: Omit<TurnSettings, 'proxMu'>): LocalPlan {
  const { learningRate, localEpochs, localSteps, batchSize, shuffle, momentum } = settings
  const { optimizer, weightDecay, clipNorm, dropLast } = settings
  return {
    learningRate,
    localEpochs: localSteps === null ? (localEpochs ?? 1) : null,
    localSteps,
    batchSize,
    shuffle,
    momentum,
    proxMu: 0,
    optimizer,
    weightDecay,
    clipNorm,
    dropLast,
  }
}
