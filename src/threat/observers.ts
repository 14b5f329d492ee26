/** The table of observers, from the weakest to the strongest. */
import { find, table } from '../registry.js'
import type { Grant } from './granted-keys.js'
import { defineObserver, type Observer } from './observer.js'

const participant = defineObserver({
  id: 'participant',
  title: 'another client: hears the global models and who took part',
  line: 'own',
  sums: 'from models',
  heardIn: ['server', 'secagg-server'],
  // The weights of a mean are public: without them nobody could check it.
  hears: ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
})

const eavesdropper = defineObserver({
  id: 'eavesdropper',
  title: 'someone on the line of one client',
  line: 'one',
  heardIn: ['server', 'eavesdropper'],
  hears: ['exchanges', 'globals', 'samples'],
})

const secaggServer = defineObserver({
  id: 'secagg-server',
  title: 'a server that learns sums alone',
  line: 'all',
  heardIn: ['server', 'secagg-server'],
  hears: ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
})

const maliciousSecaggServer = defineObserver({
  id: 'malicious-secagg-server',
  title: 'the same, who may equivocate, choose who takes part, drop clients and add its own',
  line: 'all',
  heardIn: ['server', 'secagg-server'],
  hears: ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
})

const byTheServer: readonly Grant[] = [
  ...(['exchanges', 'updates', 'globals', 'aggregates', 'participation', 'samples', 'sampleCounts'] as const),
]

const server = defineObserver({
  id: 'server',
  title: 'an honest but curious server',
  line: 'all',
  heardIn: ['server'],
  hears: byTheServer,
})

const maliciousServer = defineObserver({
  id: 'malicious-server',
  title: 'a server that may send what it likes',
  line: 'all',
  heardIn: ['server'],
  hears: [...byTheServer, 'tampered', 'channel'],
})

export const observers = table('observer', [
  participant,
  eavesdropper,
  secaggServer,
  maliciousSecaggServer,
  server,
  maliciousServer,
])

/** One of the table, or a plug-in's. */
export type ObserverName = keyof typeof observers | (string & {})

export const observerCalled = (name: ObserverName): Observer => find<Observer>(observers, name)
