/** truth.json: what only the grader has, the clients' records, trained and held back, batches, optima and properties. */
import { OverhearError } from '../errors.js'
import { type OpenTables, readTable, type Table, type TableSpec } from './encoded-table.js'
import { parseJson } from './json.js'
import { readHeader, readTensor } from './safetensors.js'
import { type FileStore, insidePath, readText } from './store.js'
import { check, some } from './validate.js'

export interface Truth {
  readonly warnings: readonly string[]
  /** A client's records; `metaclass` and `metaclasses` as in the knowledge, unless the truth says its own. */
  client(id: string, names?: MetaclassNames): Promise<Table | undefined>
  /** Rows of the client's file that made its update of a round; undefined means the whole file. */
  batch(at: { readonly round: number; readonly client: string }): readonly number[] | undefined
  /** The flat theta that is best on a client's own data. */
  optimum(id: string): Promise<Float64Array | undefined>
  /** The clients that have a property. */
  property(name: string): readonly string[] | undefined
  /** How clients really trained, by the names that a recording has; undefined where the truth does not say. */
  readonly protocol?: Readonly<Record<string, unknown>> | undefined
  /** Who took part, by round; undefined where the truth does not say. */
  readonly participation?: ReadonlyMap<number, readonly string[]> | undefined
  /** All batches and properties at once, for those who ask from another process. */
  listed?(): Listed
}

interface Listed {
  readonly batches: readonly { readonly round: number; readonly client: string; readonly rows: readonly number[] }[]
  readonly properties: Readonly<Record<string, readonly string[]>>
}

/** All that the file says. Whoever scores a claim is handed a `Truth`; what was held back is for audit/ alone. */
export interface TruthFile extends Truth {
  /** Records of the client that were kept out of the training at random, with the same columns. */
  heldBack(id: string, names?: MetaclassNames): Promise<Table | undefined>
  /** What the client's records are called in reports; undefined where the truth does not say. */
  ids(id: string): Promise<readonly string[] | undefined>
  /** What those are called that were held back. */
  heldBackIds(id: string): Promise<readonly string[] | undefined>
  /** What each client added: how much greater the loss on other records is without it. */
  readonly contribution: ReadonlyMap<string, number> | undefined
}

type MetaclassNames = Pick<TableSpec, 'metaclass' | 'metaclasses'>

/** Opens the folder of truth. */
export async function openTruth(
  store: FileStore,
  { path = 'truth.json', tables = readTable, ...options }: OpenTables = {},
): Promise<TruthFile> {
  const json = parseJson(await readText(store, path), path)
  const { truthSchema } = await import('./schema.js')
  const { value, warnings } = check(truthSchema, json, path)
  for (const [key, named] of Object.entries(json as object)) {
    // The schema would drop it unseen.
    if (typeof named !== 'object' || !Object.hasOwn(named ?? {}, '__proto__')) continue
    throw new OverhearError('E_INPUT', `${path}: ${key} holds the key "__proto__"`, 'another name is needed')
  }
  const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
    record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
  const batches = new Map<string, readonly number[]>()
  for (const { round, client, rows } of value.batches ?? []) {
    const key = `${round}/${client}`
    if (batches.has(key)) {
      throw new OverhearError('E_INPUT', `${path}: batches holds round ${round}, client "${client}" twice`, 'keep one')
    }
    batches.set(key, rows)
  }
  const read = (id: string, names: MetaclassNames, file?: string): Promise<Table> => {
    const { heldBack: _, ...spec } = own(value.clients, id)!
    const where = `${path}: clients.${id}${file === undefined ? '' : ', heldBack'}`
    return tables(store, { ...names, ...spec, ...(file !== undefined && { file }) }, { where, ...options })
  }
  const heldBack = async (id: string, names: MetaclassNames = {}): Promise<Table | undefined> => {
    const file = own(value.clients, id)?.heldBack
    if (file === undefined) return undefined
    const [held, trained] = [await read(id, names, file), await read(id, names)]
    if (held.columns.join('\n') === trained.columns.join('\n')) return held
    const found = `${path}: clients.${id}: ${file} has the columns ${some(held.columns)}`
    throw new OverhearError('E_SHAPE', found, `those of the trained records are needed: ${some(trained.columns)}`)
  }
  return {
    warnings,
    heldBack,
    ids: async (id) => (own(value.clients, id)?.id === undefined ? undefined : (await read(id, {})).ids),
    heldBackIds: async (id) => (own(value.clients, id)?.id === undefined ? undefined : (await heldBack(id))?.ids),
    async client(id, names = {}) {
      if (own(value.clients, id) === undefined) return undefined
      const table = await read(id, names)
      for (const { round, client, rows } of value.batches ?? []) {
        const beyond = client === id ? rows.find((row) => row >= table.features.rows) : undefined
        if (beyond === undefined) continue
        const found = `${path}: the batch of round ${round}, client "${id}" holds row ${beyond}`
        throw new OverhearError('E_VALUE', found, `its file has ${table.features.rows} rows, counted from 0`)
      }
      return table
    },
    batch: ({ round, client }) => batches.get(`${round}/${client}`),
    async optimum(id) {
      const file = own(value.optimum, id)
      return file === undefined ? undefined : readTheta(store, insidePath(file, `${path}: optimum.${id}`))
    },
    property: (name) => own(value.properties, name),
    listed: () => ({ batches: value.batches ?? [], properties: value.properties ?? {} }),
    protocol: value.protocol,
    participation: value.participation && new Map(value.participation.map(({ round, clients }) => [round, clients])),
    contribution: value.contribution === undefined ? undefined : new Map(Object.entries(value.contribution)),
  }
}

async function readTheta(store: FileStore, path: string): Promise<Float64Array> {
  const source = await store.open(path)
  try {
    const info = (await readHeader(source, path)).tensors.get('theta')
    if (info === undefined || info.shape.length !== 1) {
      throw new OverhearError('E_SHAPE', `${path} holds no tensor "theta" of one dimension`)
    }
    const theta = await readTensor(source, info)
    const bad = theta.findIndex((v) => !Number.isFinite(v))
    if (bad >= 0) throw new OverhearError('E_NON_FINITE', `${path}: theta holds ${theta[bad]} at ${bad}`)
    return theta
  } finally {
    await source.close?.()
  }
}

/** JSON Schema of truth.json, for editors. */
export async function truthJsonSchema(): Promise<object> {
  const { jsonSchemaOf, truthSchema } = await import('./schema.js')
  return jsonSchemaOf(truthSchema)
}
