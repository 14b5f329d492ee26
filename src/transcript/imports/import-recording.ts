/** Other people's files into a transcript: a map is proposed first, then followed. */
import { OverhearError } from '../../errors.js'
import type { ParametersOf } from '../manifest.js'
import { matchByShape } from '../match-parameters.js'
import type { Update } from '../round-messages.js'
import { decodeTensor, parseHeader } from '../safetensors.js'
import { type FileStore, readBytes } from '../store.js'
import { check } from '../validate.js'
import { openWriter, type RoundToWrite, type WritableStore } from '../write-transcript.js'
import { type ArraysOfFile, type NamedArray, wrongFile } from './arrays.js'
import { npyArray, npzArrays } from './npy.js'
import { recogniseModel } from './recognise-model.js'
import { mapSchema, proposeRounds, type RecordingMap } from './recording-map.js'
import { torchArrays } from './torch-file.js'
import type { Inflate } from './zip-archive.js'

export const importKinds = {
  npz: { files: /\.(npz|npy)$/i, what: '.npz or .npy files' },
  safetensors: { files: /\.safetensors$/i, what: '.safetensors files' },
  torch: { files: /\.(pt|pth|bin)$/i, what: '.pt, .pth or .bin files' },
} as const
export type ImportKind = keyof typeof importKinds

export interface ImportPorts {
  readonly kind: ImportKind
  readonly source: FileStore
  readonly inflate: Inflate
  readonly parametersOf: ParametersOf
}

/** The arrays of one file of the source. */
async function arraysOf(path: string, { kind, source, inflate }: ImportPorts): Promise<ArraysOfFile> {
  const bytes = await readBytes(source, path)
  if (kind === 'torch') return torchArrays(bytes, inflate, path)
  if (kind === 'safetensors') return safetensorsArrays(bytes, path)
  if (!/\.npy$/i.test(path)) return npzArrays(bytes, inflate, path)
  const one = npyArray(bytes, path)
  return typeof one === 'string'
    ? { arrays: new Map(), warnings: [one] }
    : { arrays: new Map([['0', one]]), warnings: [] }
}

function safetensorsArrays(bytes: Uint8Array, where: string): ArraysOfFile {
  const { tensors, warnings } = parseHeader(bytes, bytes.length, where)
  const arrays = new Map<string, NamedArray>()
  for (const [name, info] of tensors) {
    const bits = info.dtype === 'F64' ? 64 : info.dtype === 'F32' ? 32 : 16
    arrays.set(name, { shape: info.shape, values: decodeTensor(bytes.subarray(info.begin, info.end), info), bits })
  }
  return { arrays, warnings }
}

export interface Proposal {
  readonly map: RecordingMap
  /** What a person should look at, as sentences. */
  readonly asks: readonly string[]
}

/** A map of the files, from their names and the arrays of the first. */
export async function proposeMap(files: readonly string[], ports: ImportPorts): Promise<Proposal> {
  const known = files.filter((file) => importKinds[ports.kind].files.test(file)).sort()
  if (known.length === 0)
    throw wrongFile('the source', 'no files to import', `${importKinds[ports.kind].what} are needed`)
  const rounds = proposeRounds(known, 'the source')
  const [first] = rounds
  const { arrays, warnings } = await arraysOf(first!.global ?? Object.values(first!.clients)[0]!, ports)
  if (arrays.size === 0) throw wrongFile(known[0]!, 'no arrays of floats')
  const parameters = [...arrays].map(([name, { shape }]) => ({ name, shape: [...shape] }))
  const shapesOf = (model: { readonly kind: string }) => ports.parametersOf(model).map(({ shape }) => shape)
  const { model, loss, asks } = recogniseModel(parameters, shapesOf)
  const ids = [...new Set(rounds.flatMap(({ clients }) => Object.keys(clients)))].sort()
  const nobody =
    ids.length === 0 ? ['no files of clients: what everybody hears alone can be audited (observer participant)'] : []
  return {
    map: {
      format: 'overhear-import/1',
      model: { ...model },
      loss,
      protocol: { share: 'parameters', learningRate: null, localEpochs: null, batchSize: null },
      parameters,
      clients: ids.map((id) => ({ id, samples: null })),
      rounds,
    },
    asks: [
      ...asks,
      'what clients return: their parameters are taken; or delta, gradient ("share" in "protocol")',
      'how they trained ("protocol": learningRate, localEpochs, batchSize) and on how many records ("samples"): null is unknown, but for batchSize, where it is the full batch',
      ...nobody,
      ...warnings,
    ],
  }
}

/** Writes the transcript that a map describes; the number of rounds. */
export async function importRecording(
  given: unknown,
  {
    target,
    where,
    onRound,
    ...ports
  }: ImportPorts & {
    readonly target: WritableStore
    readonly where: string
    onRound?(done: number, total: number): void
  },
): Promise<{ readonly rounds: number; readonly warnings: readonly string[] }> {
  const { value: map } = check(mapSchema, given, where)
  const { parameters, rounds, clients, model, loss } = map
  const warnings = new Set<string>()
  const shapes = parameters.map(({ name, shape }) => ({ name, shape }))
  const read = async (path: string): Promise<Flat> => {
    const found = await arraysOf(path, ports)
    for (const one of found.warnings) if (warnings.size < 20) warnings.add(one)
    return flat(found, shapes, path)
  }
  const [first] = rounds
  const one = await read(first!.global ?? Object.values(first!.clients)[0] ?? missingFiles(where))
  const writer = await openWriter(
    target,
    {
      format: 'overhear-transcript/1',
      source: { tool: `overhear import ${ports.kind}`, version: null },
      recordedFor: 'server',
      model,
      loss,
      parameters: shapes,
      protocol: map.protocol,
      clients: clients.length === 0 ? { count: 1, samples: null } : clients,
    },
    { parametersOf: ports.parametersOf, precision: one.bits === 64 ? 'f64' : 'f32', layout: 'parameters' },
  )
  for (const [done, { round, global, clients: heard }] of rounds.entries()) {
    onRound?.(done, rounds.length)
    const updates = new Map<string, Update>()
    for (const [id, path] of Object.entries(heard))
      updates.set(id, updateOf(map.protocol.share, (await read(path)).values))
    const whole: RoundToWrite = {
      round,
      // Where no client's files are there, nobody knows who took part.
      participants: clients.length === 0 ? null : [...updates.keys()],
      ...(global !== null && { global: (await read(global)).values }),
      clients: updates,
    }
    await writer.append(whole)
  }
  onRound?.(rounds.length, rounds.length)
  return { rounds: rounds.length, warnings: [...warnings] }
}

const missingFiles = (where: string): never => {
  throw new OverhearError('E_INPUT', `${where}: rounds[0] names no file`, 'a global model or a client is needed')
}

interface Flat {
  readonly values: Float64Array
  readonly bits: number
}

/** The arrays one after another, in the order of the map; by their names, else by their shapes. */
function flat({ arrays }: ArraysOfFile, parameters: RecordingMap['parameters'], where: string): Flat {
  const named = parameters.every(({ name }) => arrays.has(name))
  const names = named ? parameters.map(({ name }) => name) : matchByShape(parameters, arrays, where)
  const parts = names.map((name, i) => {
    const part = arrays.get(name)!
    if (part.shape.join() !== parameters[i]!.shape.join()) {
      throw wrongFile(
        where,
        `${JSON.stringify(name)} has the shape [${part.shape}]`,
        `the map has [${parameters[i]!.shape}]`,
      )
    }
    return part
  })
  const values = new Float64Array(parts.reduce((sum, part) => sum + part.values.length, 0))
  let at = 0
  for (const part of parts) {
    values.set(part.values, at)
    at += part.values.length
  }
  return { values, bits: Math.max(...parts.map(({ bits }) => bits)) }
}

function updateOf(share: RecordingMap['protocol']['share'], values: Float64Array): Update {
  if (share === 'parameters') return { kind: share, theta: values }
  return share === 'delta' ? { kind: share, dTheta: values } : { kind: share, grad: values }
}
