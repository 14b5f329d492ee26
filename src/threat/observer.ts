/** What an observer is: where an adversary stands, whose messages reach it, and what it may know there. */
import type { Entry } from '../registry.js'
import type { RecordedFor } from '../transcript/manifest.js'
import type { Grant } from './granted-keys.js'

export interface Observer extends Entry {
  /** Whose messages pass by: `one`: those of the target alone, `all`: everybody's, `own`: what every client is sent. */
  readonly line: 'one' | 'all' | 'own'
  /** Whether sums are learned as such, or from two global models in a row. */
  readonly sums: 'as such' | 'from models'
  readonly mayKnow: ReadonlySet<Grant>
  /** The recordings that hold what it hears; from others it gets no messages. */
  readonly heardIn: ReadonlySet<RecordedFor['kind']>
}

/** What anybody may know: what is public by design, and what an adversary brings along. */
const anybody = [
  ...(['model', 'loss', 'parameters', 'protocol', 'learningRate', 'batchSize', 'target', 'round'] as const),
  ...(['records', 'records.label', 'sensitive', 'auxiliary', 'auxiliary.label', 'auxiliary.metaclass'] as const),
  ...(['metaclasses', 'metaclassCounts', 'candidates', 'candidates.label', 'property', 'turnCounts'] as const),
] satisfies readonly Grant[]

/** Keys that come out of the recording's messages and lists. */
export const heard: ReadonlySet<Grant> = new Set<Grant>([
  ...(['exchanges', 'updates', 'globals', 'aggregates', 'participation'] as const),
  ...(['samples', 'sampleCounts', 'tampered'] as const),
])

/** Every key that a view may hold: what an attack may need, and an observer hear. */
export const grants: ReadonlySet<string> = new Set<Grant>([...anybody, ...heard, 'channel'])

/** An observer in plain data: what is heard by it and sent by it, besides what anybody may know. */
export interface ObserverDefinition<I extends string = string>
  extends Pick<Observer, 'title' | 'line'>,
    Partial<Pick<Observer, 'sums'>> {
  readonly id: I
  readonly heardIn: readonly RecordedFor['kind'][]
  readonly hears: readonly Grant[]
}

export function defineObserver<const I extends string>(
  definition: ObserverDefinition<I>,
): Observer & { readonly id: I } {
  const { hears, heardIn, sums = 'as such', ...rest } = definition
  return { ...rest, sums, params: {}, mayKnow: new Set([...anybody, ...hears]), heardIn: new Set(heardIn) }
}

/** Whether it hears what a single client returns. */
export const hearsUpdates = ({ mayKnow }: Observer): boolean => mayKnow.has('exchanges') || mayKnow.has('updates')

/** Whether it may send what it likes. */
export const sends = ({ mayKnow }: Observer): boolean => mayKnow.has('channel')
