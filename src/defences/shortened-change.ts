/** Defences that shorten what a client sends as a compression does: attacks find them stated, and play them over. */
import type { Hooks } from '../federation/hooks.js'
import { changeOf, updateOf } from '../federation/updates.js'
import { compressorOf } from '../models/compressions/index.js'

type Kind = 'top-k' | 'quantised' | 'clipped'

export function shortened(kind: Kind, params: Readonly<Record<string, number>>): Hooks {
  const compress = compressorOf({ name: kind, ...params })!
  return {
    turn: (update, at) => updateOf(update.kind, compress(changeOf(update, at)), at),
    protocol: { compression: { kind, ...params } },
  }
}
