/** Where an adversary may stand, what it may know there, and whose recordings show that much. */
import type { RecordedFor } from '../transcript/manifest.js'
import type { Grant } from './granted-keys.js'

export interface Observer {
  readonly title: string
  readonly mayKnow: ReadonlySet<Grant>
  /** The recordings that hold what it hears; from others it gets no messages. */
  readonly heardIn: ReadonlySet<RecordedFor['kind']>
}

const anybody = [
  ...(['model', 'loss', 'parameters', 'protocol', 'learningRate', 'batchSize', 'target', 'round'] as const),
  ...(['records', 'records.label', 'sensitive', 'auxiliary', 'auxiliary.label', 'auxiliary.metaclass'] as const),
  ...(['metaclasses', 'metaclassCounts', 'candidates', 'candidates.label', 'property'] as const),
] satisfies readonly Grant[]

/** Keys that come out of the recording's messages and lists. */
export const heard: ReadonlySet<Grant> = new Set<Grant>([
  ...([
    'exchanges',
    'updates',
    'globals',
    'aggregates',
    'participation',
    'samples',
    'sampleCounts',
    'tampered',
  ] as const),
])

const observer = (title: string, heardIn: readonly RecordedFor['kind'][], more: readonly Grant[]): Observer => ({
  title,
  mayKnow: new Set([...anybody, ...more]),
  heardIn: new Set(heardIn),
})

const byTheServer: readonly Grant[] = [
  ...(['exchanges', 'updates', 'globals', 'aggregates', 'participation', 'samples', 'sampleCounts'] as const),
]

/** From the weakest to the strongest. */
export const observers = {
  participant: observer(
    'another client: hears the global models and who took part',
    ['server', 'secagg-server'],
    // The weights of a mean are public: without them nobody could check it.
    ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
  ),
  eavesdropper: observer(
    'someone on the line of one client',
    ['server', 'eavesdropper'],
    ['exchanges', 'globals', 'samples'],
  ),
  'secagg-server': observer(
    'a server that learns sums alone',
    ['server', 'secagg-server'],
    ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
  ),
  server: observer('an honest but curious server', ['server'], byTheServer),
  'malicious-server': observer(
    'a server that may send what it likes',
    ['server'],
    [...byTheServer, 'tampered', 'channel'],
  ),
} as const satisfies Record<string, Observer>

export type ObserverName = keyof typeof observers
