/** When two observers are handed the same view: the rule by which they share one run of an attack (see grant.ts). */
import type { RecordedFor } from '../transcript/manifest.js'
import type { Grant } from './granted-keys.js'
import { type Observer, type ObserverName, observers } from './observers.js'

/** What a recording lets its observers hear. */
export interface HeardWhere {
  readonly recordedFor: RecordedFor['kind']
  /** Whether the recording is of sums alone, whoever made it. */
  readonly secureAggregation?: boolean
}

/** Two observers with the same key are handed the same view. */
export function viewKey(
  { needs, uses }: { readonly needs: readonly Grant[]; readonly uses: readonly Grant[] },
  name: ObserverName,
  { recordedFor, secureAggregation = false }: HeardWhere,
): string {
  const { mayKnow, heardIn }: Observer = observers[name]
  const keys = [...needs, ...uses.filter((key) => mayKnow.has(key))].sort()
  const holds = (key: Grant): boolean => keys.includes(key)
  const marks = [
    heardIn.has(recordedFor),
    holds('globals') && name === 'eavesdropper',
    holds('aggregates') && name === 'participant',
    holds('batchSize') && mayKnow.has('samples'),
    holds('round') && (mayKnow.has('participation') || (mayKnow.has('exchanges') && !secureAggregation)),
  ]
  return `${keys.join()} ${marks.map(Number).join('')}`
}
