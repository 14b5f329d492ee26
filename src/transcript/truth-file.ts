/** truth.json: what only the grader has, the clients' records, the rows of each batch, optima and properties. */
import { OverhearError } from '../errors.js'
import { readTable, type Table, type TableOptions, type TableSpec } from './encoded-table.js'
import { parseJson } from './json.js'
import { readHeader, readTensor } from './safetensors.js'
import { type FileStore, insidePath, readText } from './store.js'
import { check } from './validate.js'

export interface Truth {
  readonly warnings: readonly string[]
  /** A client's records; `metaclass` and `metaclasses` as in the knowledge, unless the truth says its own. */
  client(id: string, names?: Pick<TableSpec, 'metaclass' | 'metaclasses'>): Promise<Table | undefined>
  /** Rows of the client's file that made its update of a round; undefined means the whole file. */
  batch(at: { readonly round: number; readonly client: string }): readonly number[] | undefined
  /** The flat theta that is best on a client's own data. */
  optimum(id: string): Promise<Float64Array | undefined>
  /** The clients that have a property. */
  property(name: string): readonly string[] | undefined
}

/** Opens the folder of truth. */
export async function openTruth(
  store: FileStore,
  { path = 'truth.json', ...options }: Pick<TableOptions, 'readParquet'> & { readonly path?: string } = {},
): Promise<Truth> {
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
  return {
    warnings,
    async client(id, names = {}) {
      const spec = own(value.clients, id)
      if (spec === undefined) return undefined
      const table = await readTable(store, { ...names, ...spec }, { where: `${path}: clients.${id}`, ...options })
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
