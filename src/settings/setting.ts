/** What a setting is: one declaration from which the scenario, the federation, the manifest, documents and flags follow. */
import type { Param, ValueOf } from '../params.js'
import type { Entry, Kind } from '../registry.js'

/** An entry of a table, chosen in a scenario. */
export interface Chosen {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The name of an entry. */
export interface NameValue {
  readonly kind: 'name'
  readonly table: Kind
  /** Absent: it must be given. */
  readonly default?: string
  readonly doc: string
}

/** The parameters of the entry that is named beside it. */
export interface ParamsValue {
  readonly kind: 'params'
  readonly default: Readonly<Record<string, never>>
  readonly doc: string
}

/** An entry with its parameters. */
export interface EntryValue {
  readonly kind: 'entry'
  readonly table: Kind
  readonly default: Chosen
  readonly doc: string
}

/** Several entries, in order. */
export interface EntriesValue {
  readonly kind: 'entries'
  readonly table: Kind
  readonly default: readonly Chosen[]
  readonly doc: string
}

/** An entry for some clients, by their ids. */
export interface ByClientValue {
  readonly kind: 'by client'
  readonly table: Kind
  readonly default: Readonly<Record<string, Chosen>>
  readonly doc: string
}

/** A list of texts, or one word that stands for such a list. */
export interface TextsValue<W extends string = string> {
  readonly kind: 'texts'
  readonly default: W | readonly string[]
  readonly words: readonly W[]
  readonly least?: number
  readonly table?: Kind
  readonly doc: string
}

/** What has a shape of its own, which the scenario's schema knows. */
export interface OtherValue {
  readonly kind: 'other'
  readonly default?: unknown
  readonly doc: string
}

export type SettingValue =
  | Param
  | NameValue
  | ParamsValue
  | EntryValue
  | EntriesValue
  | ByClientValue
  | TextsValue
  | OtherValue

/** What a scenario holds where a setting was read. */
export type SettingOf<V extends SettingValue> = V extends Param
  ? ValueOf<V>
  : V extends NameValue
    ? string
    : V extends ParamsValue
      ? Readonly<Record<string, unknown>>
      : V extends EntryValue
        ? Chosen
        : V extends EntriesValue
          ? readonly Chosen[]
          : V extends ByClientValue
            ? Readonly<Record<string, Chosen>>
            : V extends TextsValue<infer W>
              ? W | readonly string[]
              : never

/** What stands in a recording of ours for what it does not say; other people's leave the key out. */
export const unknownWord = 'unknown'

/** The key of a recording's manifest that says what a setting was: who reads the recording knows it. */
export interface InManifest {
  /** Of `protocol`. */
  readonly key: string
  /** What a recording means that does not say it; undefined: it must. */
  readonly absent?: unknown
  /**
   * Where other people's recordings do not say it, nobody knows what it was: the key is then absent from what is read. Our
   * own that do not say it mean the default.
   */
  readonly unknown?: true
  /** For an entry of a table: the key that its name has in a recording, and the entry for which null is written. */
  readonly entry?: { readonly named: 'name' | 'kind'; readonly nothing?: string }
  /** What other people's recordings may hold, where that is more than a scenario may. */
  readonly value?: SettingValue
}

export interface Setting<V extends SettingValue = SettingValue> extends Entry {
  readonly value: V
  /** Who does as it says; of settings of a turn, those local rules that name them. */
  readonly obeyedBy: string
  /** Part of a client's turn: read by the local rules that name it. */
  readonly turn?: true | undefined
  readonly manifest?: InManifest | undefined
  /** Where else a recording tells of it, in words: for settings that have parts. */
  readonly toldAs?: string
  /** What it was called in earlier versions: such a key is an error that names the new one. */
  readonly was?: readonly string[]
  /** What it does to a federation, as the hooks of a defence (`Hooks`): for settings that come with a plug-in. */
  acts?(value: SettingOf<V>): object | undefined
}

/** A setting as it is written; its title is the declaration's words. */
export type SettingDefinition<V extends SettingValue = SettingValue> = Omit<Setting<V>, 'title' | 'params'>

/** `id` is where it stands in a scenario, such as "training.rounds". */
export function defineSetting<
  const I extends string,
  const V extends SettingValue,
  const T extends true | undefined = undefined,
  const M extends InManifest | undefined = undefined,
>(
  definition: SettingDefinition<V> & { readonly id: I; readonly turn?: T; readonly manifest?: M },
): Setting<V> & { readonly id: I; readonly turn: T; readonly manifest: M } {
  const { turn, manifest, ...rest } = definition
  return { ...rest, title: definition.value.doc, params: {}, turn: turn as T, manifest: manifest as M }
}

export const name = (options: Omit<NameValue, 'kind'>): NameValue => ({ kind: 'name', ...options })
export const paramsBeside = (doc: string): ParamsValue => ({ kind: 'params', default: {}, doc })
export const entry = (options: Omit<EntryValue, 'kind'>): EntryValue => ({ kind: 'entry', ...options })
export const entries = (options: Omit<EntriesValue, 'kind'>): EntriesValue => ({ kind: 'entries', ...options })
export const byClient = (options: Omit<ByClientValue, 'kind'>): ByClientValue => ({ kind: 'by client', ...options })
export const other = (options: Omit<OtherValue, 'kind'>): OtherValue => ({ kind: 'other', ...options })
export const texts = <const W extends string>(options: Omit<TextsValue<W>, 'kind'>): TextsValue<W> => ({
  kind: 'texts',
  ...options,
})
/** Texts for which no word can stand. */
export const listed = (options: Omit<TextsValue<never>, 'kind' | 'words'>): TextsValue<never> => ({
  kind: 'texts',
  words: [],
  ...options,
})
