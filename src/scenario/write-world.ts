/** What a simulated adversary knows and what only the grader knows, as the files that everybody else reads. */
import type { Dataset } from '../data/dataset.js'
import { asWords, columnOf, levelsOf, takeRows, wordAt } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { rng } from '../numeric/random/rng.js'
import type { TurnWindow } from '../transcript/knowledge-file.js'
import { type KnowledgeToWrite, writeKnowledge } from '../transcript/write-knowledge.js'
import type { TableToWrite } from '../transcript/write-table.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { type TruthToWrite, writeTruth } from '../transcript/write-truth.js'
import type { Scenario } from './scenario-schema.js'
import { targetsOf } from './targets.js'
import type { World, WorldClient } from './world.js'

/** knowledge.json for the first target, knowledge-<id>.json for the others. */
export const knowledgeName = (target: string, first: string): string =>
  target === first ? 'knowledge.json' : `knowledge-${target}.json`

export async function writeKnowledges(
  store: WritableStore,
  scenario: Scenario,
  world: World,
  turns?: readonly Turns[],
): Promise<void> {
  const targets = targetsOf(scenario, world)
  const words = metaclassWords(world)
  const auxiliary = world.auxiliary.length > 0 && scenario.knowledge.auxiliary
  for (const target of targets) {
    const client = world.clients.find(({ id }) => id === target)!
    const { rows } = client
    const own = world.encode(rows)
    const sensitive = sensitiveOf(scenario, own)
    const known: KnowledgeToWrite = {
      target,
      ...(scenario.knowledge.records && { records: tableOf(own, { labels: scenario.knowledge.labels }) }),
      ...(scenario.knowledge.records && sensitive.length > 0 && { sensitive }),
      ...(auxiliary && {
        auxiliary: tableOf(world.encode(world.auxiliary), { metaclass: metaclassOf(world, world.auxiliary, words) }),
      }),
      ...(scenario.knowledge.metaclassCounts &&
        words !== undefined && { metaclassCounts: countsOf(world, rows, words) }),
      ...candidatesOf(scenario, world, client),
      ...(turns !== undefined && { turnCounts: turnCountsOf(turns, scenario, world) }),
    }
    await writeKnowledge(store, known, { path: knowledgeName(target, targets[0]!) })
  }
}

/** Who took part in a round. */
export type Turns = NonNullable<TruthToWrite['participation']>[number]

/** How often every client took part in each window of the rounds; those that are left at the end are a shorter one. */
function turnCountsOf(turns: readonly Turns[], { knowledge }: Scenario, { clients }: World): TurnWindow[] {
  const every = knowledge.turnWindow
  return Array.from({ length: Math.ceil(turns.length / every) }, (_, k) => {
    const within = turns.slice(k * every, (k + 1) * every)
    const countOf = (id: string): number => within.filter((one) => one.clients.includes(id)).length
    return {
      from: within[0]!.round,
      to: within.at(-1)!.round,
      clients: Object.fromEntries(clients.map(({ id }) => [id, countOf(id)])),
    }
  })
}

export interface TruthParts {
  /** Local optima of the targets, where they were asked for. */
  readonly optimum?: ReadonlyMap<string, Float64Array>
  /** The rows that made the targets' updates. */
  readonly batches: NonNullable<TruthToWrite['batches']>
  /** Clients by what they do or hold. */
  readonly properties: Readonly<Record<string, readonly string[]>>
  /** How clients really trained, as a recording that states it rightly has it. */
  readonly protocol?: NonNullable<TruthToWrite['protocol']>
  /** Who took part when, where that is asked about. */
  readonly participation?: readonly Turns[]
  /** What each client added to the model, where that was asked for. */
  readonly contribution?: ReadonlyMap<string, number>
}

/** Above this many clients only some seats are written: the targets', and others to compare them with. */
const mostSeats = 200
const otherSeats = 10

/** The records of every client, trained and held back; of a crowd, those of the targets and of ten others drawn by seed. */
export async function writeTruths(
  store: WritableStore,
  scenario: Scenario,
  { world, ...parts }: TruthParts & { readonly world: World },
): Promise<void> {
  const words = metaclassWords(world)
  const shown = seatsIn(scenario, world)
  // Only where records can be told apart in a report, or have names of their own.
  const named = scenario.heldBack > 0 || world.source.id !== undefined
  const written = (rows: Int32Array): TableToWrite =>
    tableOf(world.encode(rows), {
      metaclass: metaclassOf(world, rows, words),
      id: named ? idsOf(world, rows, words) : undefined,
    })
  const heldBack = shown.filter((client) => client.heldBack.length > 0)
  await writeTruth(store, {
    clients: new Map(shown.map(({ id, rows }) => [id, written(rows)])),
    ...(heldBack.length > 0 && { heldBack: new Map(heldBack.map(({ id, heldBack: rows }) => [id, written(rows)])) }),
    ...parts,
  })
}

/** Whose records are written. A world that holds nothing back compares no seats. */
function seatsIn(scenario: Scenario, world: World): readonly WorldClient[] {
  const { clients } = world
  if (clients.length <= mostSeats) return clients
  const targets = new Set(targetsOf(scenario, world))
  const others = clients.filter(({ id }) => !targets.has(id))
  const wanted = scenario.heldBack === 0 ? 0 : Math.min(otherSeats, others.length)
  const drawn = rng(scenario.seed).fork('scenario', 'other seats').sample(others.length, wanted)
  const shown = new Set([...targets, ...Array.from(drawn, (i) => others[i]!.id)])
  return clients.filter(({ id }) => shown.has(id))
}

/** The records' names: those of the data's own column, else the numbers of their rows in the source. */
function idsOf(world: World, rows: Int32Array, words: readonly string[] | undefined): NonNullable<TableToWrite['id']> {
  const { source, fitted } = world
  const name = source.id ?? 'row'
  const taken = new Set([
    ...fitted.encoder.rules.flatMap(({ outputs }) => outputs.map((output) => output.name)),
    ...[source.label, ...(source.moreLabels ?? [])].map(({ column }) => column),
    ...(words === undefined ? [] : [metaclassName(world)]),
  ])
  const column = source.id === undefined ? undefined : columnOf(source.table, source.id)
  return {
    name: taken.has(name) ? `id ${name}` : name,
    values: Array.from(rows, (row) => (column === undefined ? String(row) : (wordAt(column, row) ?? String(row)))),
  }
}

interface Beside {
  readonly labels?: boolean
  readonly metaclass?: TableToWrite['metaclass'] | undefined
  readonly id?: TableToWrite['id'] | undefined
}

function tableOf({ records, columns, label }: Dataset, { labels = true, metaclass, id }: Beside): TableToWrite {
  return {
    columns: columns.map(({ name }) => name),
    features: records.features,
    ...(labels && { label: { name: label.names.length === 1 ? label.name : label.names, values: records.labels } }),
    ...(metaclass !== undefined && { metaclass }),
    ...(id !== undefined && { id }),
  }
}

function sensitiveOf({ knowledge }: Scenario, { sensitive, name }: Dataset): Dataset['sensitive'] {
  if (knowledge.sensitive === 'first') return sensitive.slice(0, 1)
  return knowledge.sensitive.map((wanted) => {
    const found = sensitive.find((one) => one.name === wanted)
    if (found !== undefined) return found
    const known = sensitive.map((one) => one.name).join(', ')
    throw new OverhearError(
      'E_INPUT',
      `knowledge.sensitive holds "${wanted}"`,
      `sensitive in ${name}: ${known || 'none'}`,
    )
  })
}

/** The words of the metaclass column over all rows in use: a code book that both sides share. */
function metaclassWords({ source, clients, auxiliary }: World): readonly string[] | undefined {
  if (source.metaclass === undefined) return undefined
  const column = asWords(columnOf(source.table, source.metaclass))
  const used = [...auxiliary, ...clients.flatMap(({ rows, heldBack }) => [...rows, ...heldBack])]
  return levelsOf(columnOf(takeRows({ rows: source.table.rows, columns: [column] }, used), source.metaclass))
}

/** The column's own name, unless a feature is called so. */
function metaclassName({ source, fitted }: World): string {
  const taken = fitted.encoder.rules.some(({ outputs }) => outputs.some(({ name }) => name === source.metaclass))
  return taken ? `metaclass ${source.metaclass}` : source.metaclass!
}

function metaclassOf(
  world: World,
  rows: ArrayLike<number>,
  words: readonly string[] | undefined,
): TableToWrite['metaclass'] {
  const { source } = world
  if (words === undefined || source.metaclass === undefined) return undefined
  const column = asWords(columnOf(source.table, source.metaclass))
  const numbers = Array.from(rows, (row) => {
    const word = wordAt(column, row)
    if (word !== undefined) return words.indexOf(word)
    throw new OverhearError('E_INPUT', `row ${row} of ${source.name} has no ${source.metaclass}`, 'leave such rows out')
  })
  return { name: metaclassName(world), words, numbers }
}

function countsOf(world: World, rows: ArrayLike<number>, words: readonly string[]): number[] {
  const counts = words.map(() => 0)
  for (const number of Array.from(metaclassOf(world, rows, words)!.numbers)) counts[number]!++
  return counts
}

/**
 * Records to ask about, and the one of property membership: half of them the target's trained records, the others those
 * that it held back; where it held none back, records that nobody holds.
 */
function candidatesOf({ knowledge, seed }: Scenario, world: World, target: WorldClient): Partial<KnowledgeToWrite> {
  const { rows: own, heldBack } = target
  const others = heldBack.length > 0 ? heldBack : world.validation
  const half = Math.min(Math.floor(knowledge.candidates / 2), own.length, others.length)
  const root = rng(seed).fork('scenario', 'candidates')
  const draws = world.repeat === 0 ? root : root.fork('repeat', world.repeat)
  const pick = (rows: Int32Array, name: string) =>
    Array.from(draws.fork(name).sample(rows.length, half), (i) => rows[i]!)
  const picked = half === 0 ? [] : [...pick(own, 'members'), ...pick(others, 'others')]
  const order = draws.fork('order').permutation(picked.length)
  const rows = Array.from(order, (i) => picked[i]!)
  const { record } = world
  if (record !== undefined && !rows.includes(record)) rows.push(record)
  const asked = record === undefined ? {} : { record: rows.indexOf(record) }
  return {
    ...(rows.length > 0 && { candidates: tableOf(world.encode(rows), {}) }),
    ...(knowledge.property !== null && { property: { name: knowledge.property, ...asked } }),
  }
}
