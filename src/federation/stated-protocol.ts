/** What a recording states of the protocol where that is not what it was: for worlds whose adversary is told wrongly, or nothing. */
import { lookup, OverhearError } from '../errors.js'
import { settingsIn } from '../settings/index.js'
import { type InManifest, type SettingValue, unknownWord } from '../settings/setting.js'
import type { ManifestInput } from '../transcript/manifest.js'

/** By the names that a recording has: what it says instead of the truth, or that it does not say. */
export type States = Readonly<Record<string, unknown>>

/** Keys of a protocol that no setting of the training is behind. */
const besides = { dropout: {}, differentialPrivacy: {} } as const

/** What readers could not do without. */
const kept: readonly string[] = ['share']

export function statedProtocol(protocol: ManifestInput['protocol'], states: States): ManifestInput['protocol'] {
  const known = statable()
  const stated: Record<string, unknown> = { ...protocol }
  for (const [key, value] of Object.entries(states)) {
    const manifest = lookup(known, key, 'setting of a protocol that knowledge.states may hold')
    const said = saidOf(value, manifest)
    if (said !== unknownWord) stated[key] = said
    else if (manifest.unknown === true) stated[key] = unknownWord
    else if (key === 'learningRate') stated[key] = null
    else delete stated[key]
  }
  return stated as ManifestInput['protocol']
}

/** Whether rounds may not carry rates of their own, which would tell what the statement hides. */
export const hidesRates = (states: States): boolean => 'learningRate' in states || 'schedule' in states

interface Statable extends Partial<InManifest> {
  /** The setting's own value, where it has one. */
  readonly setting?: SettingValue
}

/** Whether null is a value of its own. */
const nullable = (value: SettingValue | undefined): boolean => value !== undefined && 'orNull' in value

function statable(): Record<string, Statable> {
  const told = Object.values(settingsIn('training')).flatMap(({ value, manifest }) =>
    manifest === undefined || kept.includes(manifest.key)
      ? []
      : [[manifest.key, { ...manifest, setting: value }] as const],
  )
  return { ...Object.fromEntries(told), ...besides }
}

/** Null says "unknown" where it has no other meaning; an entry may be given by its name alone, or as a scenario has it. */
function saidOf(value: unknown, { entry, value: told, setting }: Statable): unknown {
  if (entry === undefined) return value === null && !nullable(told ?? setting) ? unknownWord : value
  if (value === null) return entry.nothing === undefined ? unknownWord : null
  if (value === unknownWord) return value
  if (typeof value === 'string') return value === entry.nothing ? null : { [entry.named]: value }
  if (typeof value !== 'object') {
    const found = `knowledge.states holds ${JSON.stringify(value)}`
    throw new OverhearError('E_VALUE', found, `a name, or an object with ${entry.named} and parameters, is needed`)
  }
  const { name, kind, params, ...rest } = value as Record<string, unknown>
  return { [entry.named]: kind ?? name, ...(params as object | undefined), ...rest }
}
