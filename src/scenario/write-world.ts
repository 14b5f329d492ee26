/** What a simulated adversary knows and what only the grader knows, as the files that everybody else reads. */
import type { Dataset } from '../data/dataset.js'
import { asWords, columnOf, levelsOf, takeRows, wordAt } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { rng } from '../numeric/random/rng.js'
import { type KnowledgeToWrite, writeKnowledge } from '../transcript/write-knowledge.js'
import type { TableToWrite } from '../transcript/write-table.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { type TruthToWrite, writeTruth } from '../transcript/write-truth.js'
import type { Scenario } from './scenario-schema.js'
import { targetsOf } from './targets.js'
import type { World } from './world.js'

/** knowledge.json for the first target, knowledge-<id>.json for the others. */
export const knowledgeName = (target: string, first: string): string =>
  target === first ? 'knowledge.json' : `knowledge-${target}.json`

export async function writeKnowledges(store: WritableStore, scenario: Scenario, world: World): Promise<void> {
  const targets = targetsOf(scenario, world)
  const words = metaclassWords(world)
  const auxiliary = world.auxiliary.length > 0 && scenario.knowledge.auxiliary
  for (const target of targets) {
    const { rows } = world.clients.find(({ id }) => id === target)!
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
      ...candidatesOf(scenario, world, rows),
    }
    await writeKnowledge(store, known, { path: knowledgeName(target, targets[0]!) })
  }
}

export interface TruthParts {
  /** Local optima of the targets. */
  readonly optimum: ReadonlyMap<string, Float64Array>
  /** The rows that made the targets' updates. */
  readonly batches: NonNullable<TruthToWrite['batches']>
  /** Clients by what they do or hold. */
  readonly properties: Readonly<Record<string, readonly string[]>>
}

/** The records of every client; of a crowd, those of the targets alone. */
export async function writeTruths(
  store: WritableStore,
  scenario: Scenario,
  { world, ...parts }: TruthParts & { readonly world: World },
): Promise<void> {
  const targets = new Set(targetsOf(scenario, world))
  const words = metaclassWords(world)
  const shown = world.clients.length <= 200 ? world.clients : world.clients.filter(({ id }) => targets.has(id))
  const clients = new Map(
    shown.map(({ id, rows }) => [id, tableOf(world.encode(rows), { metaclass: metaclassOf(world, rows, words) })]),
  )
  await writeTruth(store, { clients, ...parts })
}

interface Beside {
  readonly labels?: boolean
  readonly metaclass?: TableToWrite['metaclass'] | undefined
}

function tableOf({ records, columns, label }: Dataset, { labels = true, metaclass }: Beside): TableToWrite {
  return {
    columns: columns.map(({ name }) => name),
    features: records.features,
    ...(labels && { label: { name: label.names.length === 1 ? label.name : label.names, values: records.labels } }),
    ...(metaclass !== undefined && { metaclass }),
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
  const used = [...auxiliary, ...clients.flatMap(({ rows }) => Array.from(rows))]
  return levelsOf(columnOf(takeRows({ rows: source.table.rows, columns: [column] }, used), source.metaclass))
}

function metaclassOf(
  { source, fitted }: World,
  rows: ArrayLike<number>,
  words: readonly string[] | undefined,
): TableToWrite['metaclass'] {
  if (words === undefined || source.metaclass === undefined) return undefined
  const column = asWords(columnOf(source.table, source.metaclass))
  const taken = fitted.encoder.rules.some(({ outputs }) => outputs.some(({ name }) => name === source.metaclass))
  const numbers = Array.from(rows, (row) => {
    const word = wordAt(column, row)
    if (word !== undefined) return words.indexOf(word)
    throw new OverhearError('E_INPUT', `row ${row} of ${source.name} has no ${source.metaclass}`, 'leave such rows out')
  })
  return { name: taken ? `metaclass ${source.metaclass}` : source.metaclass, words, numbers }
}

function countsOf(world: World, rows: ArrayLike<number>, words: readonly string[]): number[] {
  const counts = words.map(() => 0)
  for (const number of Array.from(metaclassOf(world, rows, words)!.numbers)) counts[number]!++
  return counts
}

/** Records to ask about: half of them the target's own, the rest held by nobody; and the one of property membership. */
function candidatesOf({ knowledge, seed }: Scenario, world: World, own: Int32Array): Partial<KnowledgeToWrite> {
  const half = Math.min(Math.floor(knowledge.candidates / 2), own.length, world.validation.length)
  const draws = rng(seed).fork('scenario', 'candidates')
  const pick = (rows: Int32Array, name: string) =>
    Array.from(draws.fork(name).sample(rows.length, half), (i) => rows[i]!)
  const picked = half === 0 ? [] : [...pick(own, 'members'), ...pick(world.validation, 'others')]
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
