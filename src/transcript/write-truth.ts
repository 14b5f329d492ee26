/** Writes truth.json and its files: what only the grader may open, in a folder of its own. */
import { OverhearError } from '../errors.js'
import { canonical } from './canonical.js'
import { jsonText } from './json.js'
import { encode } from './safetensors.js'
import { memoryStore } from './store.js'
import { openTruth } from './truth-file.js'
import {
  stemsOf,
  type TableFile,
  type TableToWrite,
  type TableWriteOptions,
  tableFile,
  writeWhole,
} from './write-table.js'
import type { WritableStore } from './write-transcript.js'

export interface TruthToWrite {
  /** Each client's records, the sensitive columns filled. */
  readonly clients?: ReadonlyMap<string, TableToWrite>
  /** Records of these clients that were kept out of the training at random, with the same columns. */
  readonly heldBack?: ReadonlyMap<string, TableToWrite>
  /** The rows of a client's table that made its update of a round. */
  readonly batches?: readonly { readonly round: number; readonly client: string; readonly rows: ArrayLike<number> }[]
  /** The flat theta that is best on a client's own data. */
  readonly optimum?: ReadonlyMap<string, Float64Array>
  /** The clients that have each property. */
  readonly properties?: Readonly<Record<string, readonly string[]>>
  /** What each client added: how much greater the loss on other records is without it. */
  readonly contribution?: ReadonlyMap<string, number>
  /** How clients really trained, by the names that a recording has. */
  readonly protocol?: Readonly<Record<string, unknown>>
  /** Who took part in each round. */
  readonly participation?: readonly { readonly round: number; readonly clients: readonly string[] }[]
}

/** Writes the files, then truth.json that names them; nothing when a reader would refuse any of it. */
export async function writeTruth(
  store: WritableStore,
  { clients, heldBack, batches, optimum, properties, contribution, protocol, participation }: TruthToWrite,
  options: TableWriteOptions = {},
): Promise<void> {
  const stems = stemsOf(new Set([...(clients?.keys() ?? []), ...(optimum?.keys() ?? [])]))
  const tables = [...(clients ?? [])].map(([id, table]) => {
    const stem = stems.get(id)!
    const file = tableFile(table, { stem, where: `truth.json: clients.${id}`, ...options })
    const other = heldBack?.get(id)
    if (other === undefined) return { id, ...file, held: undefined }
    const where = `truth.json: clients.${id}, heldBack`
    // Another client may be called so; no id holds a tilde.
    const taken = stems.has(`${stem}-held-back`)
    const held = tableFile(other, { stem: `${stem}${taken ? '~' : '-'}held-back`, where, ...options })
    checkAlike(file, held, where)
    return { id, ...file, held, spec: { ...file.spec, heldBack: held.spec.file } }
  })
  const optima = [...(optimum ?? [])].map(([id, theta]) => {
    const bad = theta.findIndex((v) => !Number.isFinite(v))
    if (bad >= 0) {
      const found = `truth.json: the optimum of client "${id}" holds ${theta[bad]} at ${bad}`
      throw new OverhearError('E_NON_FINITE', found, 'finite numbers are needed')
    }
    return { id, file: `optimum-${stems.get(id)!}.safetensors`, theta }
  })
  for (const { round, client, rows } of batches ?? []) {
    const n = clients?.get(client)?.features.rows ?? Number.POSITIVE_INFINITY
    const beyond = Array.from(rows).find((row) => row >= n)
    if (beyond === undefined) continue
    const found = `truth.json: the batch of round ${round}, client "${client}" holds row ${beyond}`
    throw new OverhearError('E_VALUE', found, `its table has ${n} rows, counted from 0`)
  }
  const text = jsonText({
    format: 'overhear-truth/1',
    clients: clients && Object.fromEntries(tables.map(({ id, spec }) => [id, spec])),
    batches: batches?.map(({ round, client, rows }) => ({ round, client, rows: Array.from(rows) })),
    optimum: optimum && Object.fromEntries(optima.map(({ id, file }) => [id, file])),
    properties,
    contribution: contribution && Object.fromEntries(contribution),
    protocol,
    participation,
  })
  const bytes = new TextEncoder().encode(text)
  await openTruth(memoryStore(new Map([['truth.json', bytes]])))
  await store.makeFolder('')
  for (const { spec, bytes: made, held } of tables) {
    await writeWhole(store, spec.file, made())
    if (held !== undefined) await writeWhole(store, held.spec.file, held.bytes())
  }
  for (const { file, theta } of optima) {
    await writeWhole(store, file, encode([{ name: 'theta', shape: [theta.length], data: theta }]))
  }
  await store.syncFolder('')
  await writeWhole(store, 'truth.json', bytes)
  await store.syncFolder('')
}

/** Trained and held-back records are read by one description. */
function checkAlike({ spec: trained }: TableFile, { spec: held }: TableFile, where: string): void {
  const named = ({ file: _, ...rest }: TableFile['spec']): string => canonical(rest)
  if (named(trained) === named(held)) return
  throw new OverhearError('E_SHAPE', `${where} is described as ${named(held)}`, `the trained: ${named(trained)}`)
}
