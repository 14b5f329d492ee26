/** Settings that act on a federation by hooks of their own: how people outside add one. */
import {
  defineSetting as define,
  type InManifest,
  type Setting,
  type SettingDefinition,
  type SettingOf,
  type SettingValue,
} from '../settings/setting.js'
import type { Hooks } from './hooks.js'

/** `id` is where it stands in a scenario, such as "training.changeNorm"; `acts` says what it does, by its value. */
export function defineSetting<
  const I extends string,
  const V extends SettingValue,
  const T extends true | undefined = undefined,
  const M extends InManifest | undefined = undefined,
>(
  definition: Omit<SettingDefinition<V>, 'acts'> & {
    readonly id: I
    readonly turn?: T
    readonly manifest?: M
    acts?(value: SettingOf<V>): Hooks | undefined
  },
): Setting<V> & { readonly id: I; readonly turn: T; readonly manifest: M } {
  return define(definition as SettingDefinition<V> & { readonly id: I; readonly turn?: T; readonly manifest?: M })
}
