/** What a partition is: a way of dealing the rows of a dataset to clients, each row once. */
import type { Source } from '../data/dataset.js'
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Cited } from '../papers.js'
import { type Params, readParams, type ValuesOf, whole } from '../params.js'

export interface PartitionInput {
  readonly source: Source
  readonly rng: Rng
  /** The rows to deal; all unless told. */
  readonly rows?: ArrayLike<number>
}

/** Rows of the source by client. */
export interface Deal {
  readonly ids: readonly string[]
  readonly clients: readonly Int32Array[]
  /** Rows that no client got, by the rules of the partition. */
  readonly discarded: Int32Array
}

interface About {
  readonly id: string
  readonly title: string
  readonly paper?: Cited
}

export interface PartitionEntry extends About {
  readonly params: Params
  /** A client without rows is an error, and so is a parameter that the partition does not have. */
  deal(input: PartitionInput, given?: Readonly<Record<string, unknown>>): Deal
}

/** What a definition works on: the list of rows, whatever was asked for. */
export interface Rows {
  readonly source: Source
  readonly rng: Rng
  readonly rows: Int32Array
}

type Dealt = { readonly clients: readonly ArrayLike<number>[]; readonly ids?: readonly string[] }

export interface PartitionDefinition<P extends Params> extends About {
  readonly params: P
  deal(rows: Rows, params: ValuesOf<P>): Dealt
}

export function definePartition<const I extends string, const P extends Params>(
  definition: PartitionDefinition<P> & { readonly id: I },
): PartitionEntry & { readonly id: I } {
  const { id, params } = definition
  return {
    ...definition,
    deal: ({ source, rng, rows: asked }, given = {}) => {
      const values = readParams(params, given, `partition ${id}`)
      const rows = asked === undefined ? count(source.table.rows) : Int32Array.from(asked)
      const { clients, ids } = definition.deal({ source, rng, rows }, values)
      return finished(id, { rows, clients, ids: ids ?? clients.map((_, k) => String(k)) })
    },
  }
}

interface Unfinished {
  readonly rows: Int32Array
  readonly clients: readonly ArrayLike<number>[]
  readonly ids: readonly string[]
}

function finished(id: string, { rows, clients, ids }: Unfinished): Deal {
  if (clients.length === 0) {
    throw new OverhearError('E_VALUE', `partition ${id}: there are no rows to deal`, 'at least one is needed')
  }
  const empty = clients.findIndex((own) => own.length === 0)
  if (empty >= 0) {
    const found = `partition ${id}: client "${ids[empty]}" of ${clients.length} would get none of ${rows.length} rows`
    throw new OverhearError('E_VALUE', found, 'choose fewer clients, other parameters or more rows')
  }
  const toDeal = new Set(rows)
  const given = new Set<number>()
  for (const row of clients.flatMap((own) => Array.from(own))) {
    if (!toDeal.has(row) || given.has(row)) {
      const how = given.has(row) ? 'twice' : 'which is not among those to deal'
      throw new OverhearError('E_VALUE', `partition ${id} deals row ${row} ${how}`, 'each of `rows` once at most')
    }
    given.add(row)
  }
  return {
    ids,
    clients: clients.map((own) => Int32Array.from(own)),
    discarded: rows.filter((row) => !given.has(row)),
  }
}

export function count(n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => i)
}

/** The rows in random order. */
export function shuffled(rows: Int32Array, rng: Rng): Int32Array {
  return rng.permutation(rows.length).map((place) => rows[place]!)
}

/** Consecutive parts whose lengths differ by one at most, longer ones first. */
export function slices(rows: Int32Array, parts: number): Int32Array[] {
  const short = Math.floor(rows.length / parts)
  const longer = rows.length % parts
  return Array.from({ length: parts }, (_, k) => {
    const start = k * short + Math.min(k, longer)
    return rows.slice(start, start + short + (k < longer ? 1 : 0))
  })
}

export const clientCount = (byDefault: number) =>
  whole({ default: byDefault, min: 1, max: 1_000_000, doc: 'number of clients' })
