/** What a metric is handed: the truth, and what a guesser without the messages knows. */
import type { ClaimKind, ClaimOf, OwnClaim } from '../attacks/claim.js'
import { OverhearError } from '../errors.js'
import type { ModelFunctions } from '../models/functions.js'
import { perRecord, rowsOf } from '../numeric/linalg/matrix.js'
import type { Entry } from '../registry.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Sensitive } from '../transcript/knowledge-file.js'
import type { Truth } from '../transcript/truth-file.js'
import type { Gradable } from './cells/gradable.js'
import type { Missing, Score } from './score.js'

/** What chance levels are made from: everything but the target's messages. */
export interface Known {
  /** Data like the client's; with its sensitive columns where the adversary has them. */
  readonly auxiliary?: Table | undefined
  /** The target's records in the order of per-record claims, sensitive columns empty; labels where they are known. */
  readonly records?: Table | undefined
  readonly sensitive?: readonly Sensitive[] | undefined
  /** The name of the metaclass column in the files of the truth, where they do not say it, and its words in order. */
  readonly metaclass?: string | undefined
  readonly metaclasses?: readonly string[] | undefined
  /** K: records in the attacked update; the true number where nothing is said. */
  readonly batchSize?: number | undefined
  /** Rows that claims of members name. */
  readonly candidates?: Table | undefined
  /** The last global model. */
  readonly lastGlobal?: Float64Array | undefined
  /** The global model of the attacked round; the last one stands in for it. */
  readonly roundGlobal?: Float64Array | undefined
  /** Number of classes of the label; absent for a regression. */
  readonly classes?: number | undefined
  /** What the recording states of the training. */
  readonly protocol?: Readonly<Record<string, unknown>> | undefined
  /** The model with its trained loss; absent when it is opaque. */
  readonly functions?: ModelFunctions | undefined
}

export interface Grading {
  readonly truth: Truth
  readonly known: Known
  /** Each client's true contribution (leave-one-out), when the grader computed it. */
  readonly contribution?: ReadonlyMap<string, number> | undefined
  /** Records of a client that it did not train on, when the grader has some: a model is tested on them, too. */
  testRecords?(client: string): Promise<Table | undefined>
}

/** True records (sensitive columns, labels and metaclasses filled) in the order in which they were asked about. */
export interface Asked {
  readonly table: Table
  readonly known: Known
}

type Graded<K extends string> = K extends ClaimKind ? ClaimOf<K> : OwnClaim

/** What grades the claims of one kind, which is its id. */
export interface Metric<K extends string = string> extends Entry {
  readonly id: K
  grade(claim: Graded<K>, graded: Grading): Promise<Score | Missing>
  /** For a kind of one's own: the claim made ready to be graded on some of the records that were asked about. */
  readonly cell?: ((claim: Graded<K>, asked: Asked) => Gradable) | undefined
}

class Lacking extends Error {
  readonly missing: readonly string[]

  constructor(missing: readonly string[]) {
    super(`missing: ${missing.join(', ')}`)
    this.missing = missing
  }
}

/** A metric from a function that may find, at any depth, that a key is not there. */
export function metric<const K extends string>(
  id: K,
  title: string,
  grade: (claim: Graded<K>, graded: Grading) => Score | Promise<Score>,
): Metric<K> {
  return {
    id,
    title,
    params: {},
    async grade(claim, graded) {
      try {
        return await grade(claim, graded)
      } catch (error) {
        return missingBy(error)
      }
    },
  }
}

/** What a function returns that may find that a key is not there; else the keys. */
export function orMissing<T>(make: () => T): T | Missing {
  try {
    return make()
  } catch (error) {
    return missingBy(error)
  }
}

function missingBy(error: unknown): Missing {
  if (error instanceof Lacking) return { missing: error.missing }
  throw error
}

/** The same for a kind of claim of one's own. */
export const defineMetric = ({ id, title, grade, cell }: MetricDefinition): Metric<OwnClaim['kind']> => ({
  ...metric<OwnClaim['kind']>(id, title, grade),
  cell,
})

export interface MetricDefinition {
  /** The kind of claim that it grades. */
  readonly id: OwnClaim['kind']
  readonly title: string
  grade(claim: OwnClaim, graded: Grading): Score | Promise<Score>
  /** The claim made ready to be graded on trained or held-back records alone; without it no ladder is shown. */
  cell?(claim: OwnClaim, asked: Asked): Gradable
}

/** Ends a grading that these keys would have needed. */
export function lacks(...keys: readonly string[]): never {
  throw new Lacking(keys)
}

/** The values of these keys; if any is undefined, the score is missing and names them all. */
export function needed<T extends readonly unknown[]>(
  ...parts: { readonly [I in keyof T]: readonly [key: string, value: T[I]] }
): { [I in keyof T]: T[I] & {} } {
  const missing = parts.flatMap(([key, value]) => (value === undefined ? [key] : []))
  if (missing.length > 0) lacks(...missing)
  return parts.map(([, value]) => value) as { [I in keyof T]: T[I] & {} }
}

/** A client's true records, at least one; undefined when the truth does not hold them. */
export async function recordsOf(client: string, { truth, known }: Grading): Promise<Table | undefined> {
  const table = await truth.client(client, { metaclass: known.metaclass, metaclasses: known.metaclasses })
  if (table?.features.rows === 0) lacks(`clients.${client}.records`)
  return table
}

/** The records that made a client's update of a round. */
export async function batchOf(at: { client: string; round: number }, graded: Grading): Promise<Table> {
  const [table] = needed([`clients.${at.client}`, await recordsOf(at.client, graded)])
  const rows = graded.truth.batch(at)
  if (rows === undefined) return table
  if (rows.length === 0) lacks(`batches.${at.round}.${at.client}`)
  const beyond = rows.find((row) => !Number.isInteger(row) || row < 0 || row >= table.features.rows)
  if (beyond !== undefined) {
    const found = `the batch of round ${at.round}, client "${at.client}" holds row ${beyond}`
    throw new OverhearError('E_VALUE', found, `its file has ${table.features.rows} rows, counted from 0`)
  }
  return pickRows(table, rows)
}

/** Some rows of a table, in the order in which they are named. */
export function pickRows({ columns, features, labels, metaclasses }: Table, rows: ArrayLike<number>): Table {
  const pick = (values: Float64Array): Float64Array => rowsOf(perRecord(values, features.rows), rows).data
  return {
    columns,
    features: rowsOf(features, rows),
    ...(labels !== undefined && { labels: pick(labels) }),
    ...(metaclasses !== undefined && { metaclasses: pick(metaclasses) }),
  }
}

/** The true labels of a batch. */
export async function batchLabels(at: { client: string; round: number }, graded: Grading): Promise<Float64Array> {
  const { labels } = await batchOf(at, graded)
  return needed([`clients.${at.client}.label`, labels])[0]
}

/** Refuses a claim that names a client twice. */
export function distinctIds(clients: readonly { readonly id: string }[]): Set<string> {
  const ids = new Set<string>()
  for (const { id } of clients) {
    if (ids.has(id)) throw new OverhearError('E_VALUE', `client "${id}" is claimed twice`, 'once each is needed')
    ids.add(id)
  }
  return ids
}

/** The target's records as a guesser has them, if so: they must be as many as the true ones. */
export function publicRecords({ records }: Known, { features: { rows } }: Table): Table | undefined {
  if (records === undefined || records.features.rows === rows) return records
  const found = `the known records are ${records.features.rows}`
  throw new OverhearError('E_SHAPE', found, `the truth holds ${rows}: both list the same records in the same order`)
}
