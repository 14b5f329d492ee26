/** From a recording to a view: an observer is granted exactly what an attack needs, or told what is missing. */
import type { Table } from '../transcript/encoded-table.js'
import type { KnowledgeFile } from '../transcript/knowledge-file.js'
import { knownKeys, knownProtocol, type RecordedFor } from '../transcript/manifest.js'
import type { Transcript } from '../transcript/read-transcript.js'
import type { Channel, EncodedRecords, Grant, Knowledge, View } from './granted-keys.js'
import { heard, type Observer } from './observer.js'
import { type ObserverName, observerCalled } from './observers.js'
import { aggregatesFromGlobals, aggregatesOf, exchangesOf, globalsOf, updatesOf } from './series.js'

/** What views are cut from. */
export interface Sources {
  readonly transcript: Transcript
  readonly knowledge?: KnowledgeFile
  /** Only a live federation has one. */
  readonly channel?: Channel
}

export type Granted<G extends Grant, O extends Grant = never> =
  | { readonly view: View<G> & Partial<View<O>>; readonly missing?: undefined }
  | { readonly view?: undefined; readonly missing: readonly Grant[] }

/**
 * Fills a fresh view with the keys in `needs`, provided the observer may have them all and the sources hold them; of
 * those in `uses` it adds what can be had.
 */
export async function grant<const G extends Grant, const O extends Grant = never>(
  sources: Sources,
  name: ObserverName,
  needs: readonly G[],
  uses: readonly O[] = [],
): Promise<Granted<G, O>> {
  const observer = observerCalled(name)
  const target = targetOf(sources)
  const may = (key: Grant): boolean => mayHave(key, { observer, sources, target })
  // Read once: a list that answers otherwise the second time must not pass with the first answer.
  const [needed, usable] = [[...needs], [...uses]]
  const makers = makersFor(sources, { observer, target, may })
  const tables = new Map<string, Promise<Table | undefined>>()
  const view: Record<string, unknown> = Object.create(null)
  const missing: G[] = []
  for (const key of needed) {
    const value = may(key) ? await makers[key as Grant](tables) : undefined
    if (value === undefined) missing.push(key)
    else view[key] = value
  }
  if (missing.length > 0) return { missing }
  for (const key of usable.filter(may)) {
    const value = await makers[key as Grant](tables)
    if (value !== undefined) view[key] = value
  }
  return { view: Object.freeze(view) as View<G> & Partial<View<O>> }
}

/** Whom the adversary looks at: the target it names, or the client whose line was recorded. */
export function targetOf({ transcript, knowledge }: Sources): string | undefined {
  const { recordedFor } = transcript.manifest
  return knowledge?.target ?? (recordedFor.kind === 'eavesdropper' ? recordedFor.client : undefined)
}

interface Standing {
  readonly observer: Observer
  readonly sources: Sources
  readonly target: string | undefined
}

/** Views only narrow: an observer hears nothing in a recording made where less was heard. */
function mayHave(key: Grant, { observer, sources, target }: Standing): boolean {
  if (!observer.mayKnow.has(key)) return false
  if (!heard.has(key) && !ofOne.has(key)) return true
  const { recordedFor, protocol } = sources.transcript.manifest
  if (ofOne.has(key) && (protocol.secureAggregation || recordedFor.kind === 'secagg-server')) return false
  if (!heard.has(key)) return true
  if (!observer.heardIn.has(recordedFor.kind)) return false
  if (recordedFor.kind === 'eavesdropper' && target !== recordedFor.client) return false
  return true
}

/** What lets one client's answer be heard, which secure aggregation does not. */
const ofOne: ReadonlySet<Grant> = new Set(['exchanges', 'updates', 'channel'])

/** What a recording lets its observers hear. */
export interface HeardWhere {
  readonly recordedFor: RecordedFor['kind']
  /** Whether the recording is of sums alone, whoever made it. */
  readonly secureAggregation?: boolean
}

type Depends = (observer: Observer, where: HeardWhere) => unknown

/** The keys whose value depends on who asks, and on what of it: the makers below read nothing else of an observer. */
const dependsOn: { readonly [K in Grant]?: Depends } = {
  globals: ({ line }) => line === 'one',
  aggregates: ({ sums }) => sums,
  batchSize: ({ mayKnow }) => mayKnow.has('samples'),
  round: ({ mayKnow }, { secureAggregation = false }) =>
    mayKnow.has('participation') || (mayKnow.has('exchanges') && !secureAggregation),
}

/** Two observers with the same key are handed the same view, and share one run of an attack. */
export function viewKey(
  { needs, uses }: { readonly needs: readonly Grant[]; readonly uses: readonly Grant[] },
  name: ObserverName,
  where: HeardWhere,
): string {
  const observer = observerCalled(name)
  const keys = [...needs, ...uses.filter((key) => observer.mayKnow.has(key))].sort()
  const parts = keys.map((key) => `${key} ${String(dependsOn[key]?.(observer, where) ?? '')}`)
  return [observer.heardIn.has(where.recordedFor) ? 'heard' : 'not heard', ...parts].join()
}

type Tables = Map<string, Promise<Table | undefined>>
type Makers = {
  readonly [K in Grant]: (tables: Tables) => Knowledge[K] | undefined | Promise<Knowledge[K] | undefined>
}

interface Place {
  readonly observer: Observer
  readonly target: string | undefined
  readonly may: (key: Grant) => boolean
}

function makersFor(sources: Sources, { observer, target, may }: Place): Makers {
  const { transcript, knowledge, channel } = sources
  const { manifest } = transcript
  const read = (tables: Tables, key: 'records' | 'auxiliary' | 'candidates'): Promise<Table | undefined> => {
    const table = tables.get(key) ?? Promise.resolve(knowledge?.[key]())
    tables.set(key, table)
    return table
  }
  const samples = (): number | undefined => samplesOf(transcript, target)
  return {
    model: async () => copied(await knownKeys(manifest.model)),
    loss: () => manifest.loss,
    parameters: () => manifest.parameters.map((one) => ({ name: one.name, shape: [...one.shape] })),
    protocol: async () => copied(await knownProtocol(manifest.protocol)),
    learningRate: () => manifest.protocol.learningRate ?? undefined,
    batchSize: () => {
      // A full batch is all that the target holds, for those who may know how much that is.
      return knowledge?.batchSize ?? manifest.protocol.batchSize ?? (may('samples') ? samples() : undefined)
    },
    target: () => target,
    round: () => {
      const sees = may('exchanges') || may('participation')
      return knowledge?.round ?? (sees ? firstRound(transcript, target) : undefined)
    },
    exchanges: () => (target === undefined ? undefined : exchangesOf(transcript, target)),
    updates: () => updatesOf(transcript),
    globals: () => {
      if (observer.line !== 'one') return globalsOf(transcript)
      return target === undefined ? undefined : globalsOf(transcript, target)
    },
    aggregates: () => (observer.sums === 'from models' ? aggregatesFromGlobals(transcript) : aggregatesOf(transcript)),
    participation: () => participationOf(transcript),
    samples,
    sampleCounts: () => countsOf(transcript),
    tampered: () => transcript.rounds().map(({ round, tampered }) => ({ round, clients: [...tampered] })),
    channel: () => channel && lineOf(channel),
    records: async (tables) => encoded(await read(tables, 'records')),
    'records.label': async (tables) => (await read(tables, 'records'))?.labels,
    sensitive: () => copied(knowledge?.sensitive),
    auxiliary: async (tables) => encoded(await read(tables, 'auxiliary')),
    'auxiliary.label': async (tables) => (await read(tables, 'auxiliary'))?.labels,
    'auxiliary.metaclass': async (tables) => (await read(tables, 'auxiliary'))?.metaclasses,
    metaclasses: () => copied(knowledge?.metaclasses),
    metaclassCounts: () => copied(knowledge?.metaclassCounts),
    candidates: async (tables) => encoded(await read(tables, 'candidates')),
    'candidates.label': async (tables) => (await read(tables, 'candidates'))?.labels,
    property: () => copied(knowledge?.property),
    turnCounts: () => copied(knowledge?.turnCounts),
  }
}

/** Plain data that is the view's own: what one attack does to it, no other sees. */
function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied) as T
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item)])) as T
}

/** The same line without whatever else its function carries; models are copied both ways. */
function lineOf(channel: Channel): Channel {
  const line: Channel = async (client, theta) => Float64Array.from(await channel(client, Float64Array.from(theta)))
  if (channel.restart !== undefined) line.restart = () => lineOf(channel.restart!())
  if (channel.pass !== undefined) line.pass = (rounds) => channel.pass!(rounds)
  return Object.freeze(line)
}

/** Features without what other keys grant. */
function encoded(table: Table | undefined): EncodedRecords | undefined {
  return table === undefined ? undefined : { columns: table.columns, features: table.features }
}

function samplesOf({ manifest: { clients } }: Transcript, target: string | undefined): number | undefined {
  if (target === undefined) return undefined
  if ('count' in clients) return clients.samples ?? undefined
  return clients.find(({ id }) => id === target)?.samples ?? undefined
}

function countsOf({ manifest: { clients } }: Transcript): Knowledge['sampleCounts'] | undefined {
  if ('count' in clients) {
    const { count, samples } = clients
    return samples === null ? undefined : { count, samples }
  }
  if (clients.some(({ samples }) => samples === null)) return undefined
  return clients.map(({ id, samples }) => ({ id, samples }))
}

/** The first round in which the target took part. */
async function firstRound(transcript: Transcript, target: string | undefined): Promise<number | undefined> {
  if (target === undefined) return undefined
  for (const { round, participants } of transcript.rounds()) {
    if (participants?.includes(target) ?? (await transcript.contents(round)).clients.has(target)) return round
  }
  return undefined
}

/** The rows of the participation matrix; undefined when a row is unknown. */
async function participationOf(transcript: Transcript): Promise<Knowledge['participation'] | undefined> {
  const rows: Knowledge['participation'][number][] = []
  for (const { round, participants, dropped } of transcript.rounds()) {
    const ids = participants ?? [...(await transcript.contents(round)).clients]
    if (ids.length === 0 && participants === null) return undefined
    rows.push({ round, participants: [...ids], dropped: [...dropped] })
  }
  return rows.length === 0 ? undefined : rows
}
