/** The clients and their records: held, sliced from one matrix, or generated when asked for. Described by plain data. */
import type { Records } from '../data/records.js'
import { OverhearError } from '../errors.js'
import { perRecord, rowsOf } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { chosen } from '../registry.js'
import { isClientId } from '../transcript/client-id.js'
import { distinct } from '../transcript/validate.js'
import { type Generator, type GeneratorSpec, generators } from './client-generators.js'

/** What a worker thread needs to make the population itself. */
export type PopulationSpec =
  | { readonly kind: 'held'; readonly clients: readonly { readonly id: string; readonly records: Records }[] }
  | {
      readonly kind: 'sliced'
      readonly records: Records
      /** Rows of `records` by client. */
      readonly clients: readonly { readonly id: string; readonly rows: Int32Array }[]
    }
  | {
      readonly kind: 'generated'
      /** Their ids are "0", "1", ... */
      readonly clients: number
      readonly seed: number | string
      readonly generator: GeneratorSpec
    }

/** Clients by number, 0 to count - 1; nothing here grows with the count but what the description holds already. */
export interface Population {
  readonly spec: PopulationSpec
  readonly count: number
  /** Columns of the features. */
  readonly inputs: number
  /** Records of each client where all hold as many, else undefined. */
  readonly samplesEach: number | undefined
  id(client: number): string
  /** The number of the client with this id; undefined when there is none. */
  indexOf(id: string): number | undefined
  samples(client: number): number
  records(client: number): Records
}

/** The population of a description; one without clients, or with a client without records, is an error. */
export function population(spec: PopulationSpec): Population {
  switch (spec.kind) {
    case 'held':
      return listed(spec, spec.clients, ({ records }) => records)
    case 'sliced':
      checkSlices(spec.records, spec.clients)
      return listed(spec, spec.clients, ({ rows }) => slice(spec.records, rows))
    case 'generated':
      return generated(spec)
  }
}

/** Clients "0", "1", ... who hold these records. */
export function heldPopulation(records: readonly Records[]): Population {
  return population({ kind: 'held', clients: records.map((own, k) => ({ id: String(k), records: own })) })
}

/** The number of the client that stays away; somebody must be left. */
export function awayFrom(population: Population, id: string): number {
  const found = population.indexOf(id)
  if (found !== undefined && population.count > 1) return found
  const why = found === undefined ? 'there is no such client' : 'nobody else is there'
  throw new OverhearError('E_VALUE', `the federation is to run without client "${id}"`, why)
}

type Listed = { readonly id: string } & ({ readonly records: Records } | { readonly rows: Int32Array })

function listed<C extends Listed>(
  spec: PopulationSpec,
  clients: readonly C[],
  recordsOf: (client: C) => Records,
): Population {
  if (clients.length === 0) throw new OverhearError('E_VALUE', 'a population of 0 clients', 'at least 1 is needed')
  checkIds(clients.map(({ id }) => id))
  const rowsOf = (client: C): number => ('rows' in client ? client.rows.length : client.records.features.rows)
  const inputs = recordsOf(clients[0]!).features.cols
  for (const client of clients) {
    const cols = 'rows' in client ? inputs : client.records.features.cols
    if (rowsOf(client) > 0 && cols === inputs) continue
    const found = `client "${client.id}" holds ${rowsOf(client)} records of ${cols} columns`
    throw new OverhearError('E_SHAPE', found, `at least 1 record of ${inputs} columns is needed`)
  }
  const numbers = new Map(clients.map(({ id }, k) => [id, k]))
  const first = rowsOf(clients[0]!)
  return {
    spec,
    count: clients.length,
    inputs,
    samplesEach: clients.every((client) => rowsOf(client) === first) ? first : undefined,
    id: (k) => clients[k]!.id,
    indexOf: (id) => numbers.get(id),
    samples: (k) => rowsOf(clients[k]!),
    records: (k) => recordsOf(clients[k]!),
  }
}

function checkIds(ids: readonly string[]): void {
  const bad = ids.find((id) => !isClientId(id))
  if (bad !== undefined) {
    const found = `the population has a client ${JSON.stringify(bad.slice(0, 200))}`
    throw new OverhearError('E_VALUE', found, 'ids are 1 to 128 of the characters A-Z a-z 0-9 _ . -')
  }
  distinct(ids, { key: 'clients', where: 'the population' })
}

function checkSlices({ features }: Records, clients: readonly { id: string; rows: Int32Array }[]): void {
  for (const { id, rows } of clients) {
    const bad = rows.find((row) => row < 0 || row >= features.rows)
    if (bad === undefined) continue
    throw new OverhearError('E_VALUE', `client "${id}" has row ${bad}`, `rows are 0 to ${features.rows - 1}`)
  }
}

function slice({ features, labels }: Records, rows: Int32Array): Records {
  return { features: rowsOf(features, rows), labels: rowsOf(perRecord(labels, features.rows), rows).data }
}

function generated(spec: PopulationSpec & { kind: 'generated' }): Population {
  const { clients: count, seed, generator } = spec
  if (!(Number.isInteger(count) && count >= 1 && count <= 2147483648)) {
    throw new OverhearError('E_VALUE', `a population of ${count} clients`, 'a whole number from 1 to 2^31 is needed')
  }
  const { entry, values } = chosen<Generator>(generators, generator)
  const { samples, records } = entry.prepare(values, rng(seed))
  return {
    spec,
    count,
    inputs: records(0).features.cols,
    samplesEach: samples,
    id: String,
    indexOf: (id) => {
      const k = Number(id)
      return Number.isInteger(k) && k >= 0 && k < count && String(k) === id ? k : undefined
    },
    samples: () => samples,
    records,
  }
}
