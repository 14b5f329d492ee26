/** Where a run stands between two rounds, in full precision: the only thing that a run is taken up from. */
import { OverhearError } from '../errors.js'
import { canonical } from '../transcript/canonical.js'
import { parseJson } from '../transcript/json.js'
import { encode, readHeader, readTensor, type TensorToWrite } from '../transcript/safetensors.js'
import { bytesSource } from '../transcript/store.js'
import type { Plain } from './hooks.js'
import type { Population } from './population.js'
import type { FederationSpec } from './spec.js'

export interface Checkpoint {
  /** The run that it belongs to: resuming another one is an error. */
  readonly run: RunMark
  readonly nextRound: number
  readonly theta: Float64Array
  /** What misbehaving clients remember, by id. */
  readonly memory: Readonly<Record<string, Float64Array>>
  readonly adversary: Plain
  /** By name. */
  readonly defences: Readonly<Record<string, Plain>>
}

/** What makes a run what it is, without the number of its rounds: more may be asked for later. */
export interface RunMark {
  readonly spec: Omit<FederationSpec, 'rounds'>
  readonly clients: { readonly count: number; readonly fingerprint: number }
}

export function markOf(spec: FederationSpec, population: Population): RunMark {
  const { rounds: _, ...rest } = spec
  return { spec: rest, clients: { count: population.count, fingerprint: fingerprintOf(population) } }
}

/** 32 bits of the numbers of the first and the last client: enough to notice other data. */
function fingerprintOf({ count, records }: Population): number {
  let hash = 0x811c9dc5 // FNV-1a over 32-bit words
  for (const client of new Set([0, count - 1])) {
    const { features, labels } = records(client)
    for (const values of [features.data, labels]) {
      for (const word of new Uint32Array(Float64Array.from(values).buffer)) hash = Math.imul(hash ^ word, 0x01000193)
    }
  }
  return hash >>> 0
}

export function checkMark({ run, nextRound }: Checkpoint, mark: RunMark): void {
  const parts = (m: RunMark): Record<string, unknown> => ({ ...m.spec, clients: m.clients })
  const [there, here] = [parts(run), parts(mark)]
  const keys = [...new Set([...Object.keys(there), ...Object.keys(here)])]
  const differ = keys.filter((key) => canonical(there[key]) !== canonical(here[key]))
  if (differ.length === 0) return
  const found = `the checkpoint before round ${nextRound} is of another run: its ${differ.slice(0, 8).join(', ')} differ`
  throw new OverhearError('E_INPUT', found, 'resume with the same settings and data, or start anew elsewhere')
}

/** The same, which stays as it is whatever becomes of what others remember. */
export function copyOf({ theta, memory, adversary, defences, ...rest }: Checkpoint): Checkpoint {
  return {
    ...rest,
    theta: theta.slice(),
    memory: copied(memory) as Checkpoint['memory'],
    adversary: copied(adversary),
    defences: copied(defences) as Checkpoint['defences'],
  }
}

function copied(value: Plain): Plain {
  if (value instanceof Float64Array) return value.slice()
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copied(one)]))
}

const format = 'overhear-checkpoint/1'

/** As bytes: a safetensors file, its vectors as tensors and everything else as JSON in its metadata. */
export function encodeCheckpoint(checkpoint: Checkpoint, extra: Readonly<Record<string, Plain>> = {}): Uint8Array {
  const tensors: TensorToWrite[] = []
  const place = (value: unknown): unknown => {
    if (value instanceof Float64Array) {
      tensors.push({ name: String(tensors.length), shape: [value.length], data: value })
      return { tensor: tensors.length - 1 }
    }
    if (Array.isArray(value)) return value.map(place)
    if (typeof value === 'object' && value !== null) {
      const present = Object.entries(value).filter(([, v]) => v !== undefined)
      return { object: present.map(([k, v]) => [k, place(v)]) }
    }
    if (Object.is(value, -0)) return { minusZero: true } // JSON would lose the sign
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new OverhearError('E_NON_FINITE', `a checkpoint cannot hold ${value}`, 'keep finite numbers in a state')
    }
    return value
  }
  return encode(tensors, { format, content: JSON.stringify(place({ ...checkpoint, extra })) ?? '' })
}

export interface StoredCheckpoint {
  readonly checkpoint: Checkpoint
  readonly extra: Readonly<Record<string, Plain>>
}

export async function decodeCheckpoint(bytes: Uint8Array, where = 'checkpoint'): Promise<StoredCheckpoint> {
  const source = bytesSource(bytes, where)
  const { metadata, tensors } = await readHeader(source, where)
  if (metadata.format !== format || metadata.content === undefined) {
    throw new OverhearError('E_INPUT', `${where} is no checkpoint of this version`, `its format should be "${format}"`)
  }
  const vectors: Float64Array[] = []
  for (const info of tensors.values()) vectors[Number(info.name)] = await readTensor(source, info)
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore)
    if (typeof value !== 'object' || value === null) return value
    if ('tensor' in value) return vectors[value.tensor as number]
    if ('minusZero' in value) return -0
    return Object.fromEntries((value as { object: [string, unknown][] }).object.map(([k, v]) => [k, restore(v)]))
  }
  const { extra, ...checkpoint } = restore(parseJson(metadata.content, where)) as Checkpoint & StoredCheckpoint
  return { checkpoint, extra }
}
