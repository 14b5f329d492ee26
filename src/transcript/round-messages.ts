/** One round's file as messages: tensors gathered by owner into flat vectors in the manifest's order. */
import { harmless, nearest, OverhearError } from '../errors.js'
import { isClientId } from './client-id.js'
import { dimension, type Manifest, type ParameterShape, sizeOfShape } from './manifest.js'
import { matchByShape } from './match-parameters.js'
import type { RoundEntry } from './round-list.js'
import { readHeader, readTensor, type TensorInfo } from './safetensors.js'
import type { ByteSource } from './store.js'

/** What a client returned, with its meaning in its name. */
export type Update =
  | { readonly kind: 'parameters'; readonly theta: Float64Array } // theta_c
  | { readonly kind: 'delta'; readonly dTheta: Float64Array } // theta_c - theta
  | { readonly kind: 'gradient'; readonly grad: Float64Array } // the mean gradient at theta

export interface Round extends RoundEntry {
  /** The model that was broadcast. */
  readonly global?: Float64Array
  readonly clients: ReadonlyMap<string, Update>
  /** What was sent to a client in place of the global model. */
  readonly sent: ReadonlyMap<string, Float64Array>
  /** Sum over the participants of the weighted deltas, under secure aggregation. */
  readonly aggregate?: Float64Array
  readonly warnings: readonly string[]
}

export interface RoundOptions {
  /** Only the messages from and to these clients are read; all when absent. */
  readonly clients?: readonly string[]
}

type Owned = Map<string, TensorInfo>
interface Groups {
  readonly global: Owned
  readonly aggregate: Owned
  readonly client: Map<string, Owned>
  readonly sent: Map<string, Owned>
}

/** What a round's file holds, by its header alone. */
export interface RoundContents {
  readonly global: boolean
  readonly aggregate: boolean
  readonly clients: ReadonlySet<string>
  readonly sent: ReadonlySet<string>
}

interface At {
  readonly manifest: Manifest
  readonly entry: RoundEntry
}

async function readGroups(source: ByteSource, { manifest, entry }: At) {
  const where = `round ${entry.round} (${entry.file})`
  const header = await readHeader(source, where)
  const warnings = [...header.warnings]
  const groups = groupByOwner(header.tensors, { where, warnings })
  checkListener(groups, manifest, where)
  checkPresence(groups, { manifest, entry, where, warnings })
  return { groups, where, warnings }
}

export async function readContents(source: ByteSource, at: At): Promise<RoundContents> {
  const { global, aggregate, client, sent } = (await readGroups(source, at)).groups
  const [clients, receivers] = [new Set(client.keys()), new Set(sent.keys())]
  return { global: global.size > 0, aggregate: aggregate.size > 0, clients, sent: receivers }
}

/** Reads the messages of a round from its file. */
export async function readMessages(
  source: ByteSource,
  { manifest, entry, clients: wanted }: RoundOptions & At,
): Promise<Round> {
  const { groups, where, warnings } = await readGroups(source, { manifest, entry })
  const free = manifest.model.kind !== 'opaque'
  const read = (owned: Owned, owner: string) =>
    readOwner(source, owned, { parameters: manifest.parameters, free, where: `${where}, ${owner}`, warnings })
  const chosen = wanted === undefined ? undefined : new Set(wanted)
  const readAll = async (owners: Map<string, Owned>, what: string) => {
    const messages = new Map<string, Float64Array>()
    for (const [id, owned] of owners) {
      if (chosen === undefined || chosen.has(id)) messages.set(id, await read(owned, `${what} ${JSON.stringify(id)}`))
    }
    return messages
  }
  const { share } = manifest.protocol
  const returned = await readAll(groups.client, 'client')
  const participants = entry.participants ?? (groups.client.size > 0 ? [...groups.client.keys()] : null)
  return {
    ...entry,
    participants,
    ...(groups.global.size > 0 && { global: await read(groups.global, 'global') }),
    clients: new Map([...returned].map(([id, values]) => [id, updateOf(share, values)])),
    sent: await readAll(groups.sent, 'sent to client'),
    ...(groups.aggregate.size > 0 && { aggregate: await read(groups.aggregate, 'aggregate') }),
    warnings,
  }
}

function updateOf(share: Manifest['protocol']['share'], values: Float64Array): Update {
  switch (share) {
    case 'parameters':
      return { kind: 'parameters', theta: values }
    case 'delta':
      return { kind: 'delta', dTheta: values }
    case 'gradient':
      return { kind: 'gradient', grad: values }
  }
}

interface Context {
  readonly where: string
  readonly warnings: string[]
}

function groupByOwner(tensors: ReadonlyMap<string, TensorInfo>, { where, warnings }: Context): Groups {
  const groups: Groups = { global: new Map(), aggregate: new Map(), client: new Map(), sent: new Map() }
  for (const [name, info] of tensors) {
    const match = /^(?:(global|aggregate)|(client|sent)\/([^/]*))\/(.+)$/s.exec(name)
    if (match === null) {
      if (warnings.length < 20)
        warnings.push(`${where}: tensor ${harmless(JSON.stringify(name.slice(0, 120)))} has no owner: ignored`)
      continue
    }
    const [, common, personal, id, parameter] = match as unknown as [string, string?, string?, string?, string?]
    if (common !== undefined) {
      groups[common as 'global' | 'aggregate'].set(parameter!, info)
      continue
    }
    if (!isClientId(id!)) {
      const found = `${where}: tensor ${JSON.stringify(name.slice(0, 120))} names no client`
      throw new OverhearError('E_INPUT', found, 'ids are 1 to 128 of the characters A-Z a-z 0-9 _ . -')
    }
    const owners = groups[personal as 'client' | 'sent']
    const owned = owners.get(id!) ?? new Map<string, TensorInfo>()
    owners.set(id!, owned.set(parameter!, info))
  }
  return groups
}

/** A recording may hold only what its listener could hear. */
function checkListener({ client, sent }: Groups, { recordedFor, protocol }: Manifest, where: string): void {
  const ids = [...client.keys(), ...sent.keys()]
  if (recordedFor.kind === 'eavesdropper') {
    const other = ids.find((id) => id !== recordedFor.client)
    if (other === undefined) return
    const found = `${where} holds a message of client "${other}"`
    throw new OverhearError(
      'E_INPUT',
      found,
      `it was recorded for an eavesdropper on client "${recordedFor.client}" alone`,
    )
  }
  const [one] = client.keys()
  if (one !== undefined && (recordedFor.kind === 'secagg-server' || protocol.secureAggregation)) {
    const found = `${where} holds what client "${one}" returned`
    throw new OverhearError('E_INPUT', found, 'under secure aggregation only "aggregate" may be there')
  }
}

function checkPresence(
  { client }: Groups,
  { manifest, entry, where, warnings }: Context & { manifest: Manifest; entry: RoundEntry },
): void {
  const { participants, dropped } = entry
  if (participants === null) return
  const expected = new Set([...participants, ...dropped])
  for (const id of client.keys()) {
    if (expected.has(id)) continue
    const found = `${where} holds what client "${id}" returned, who is not in its participants or dropped`
    throw new OverhearError('E_INPUT', found)
  }
  const silent = participants.filter((id) => !client.has(id))
  const { recordedFor, protocol } = manifest
  if (silent.length > 0 && recordedFor.kind === 'server' && !protocol.secureAggregation) {
    warnings.push(
      `${where} lacks what ${silent.length} of ${participants.length} participants returned, first "${silent[0]}"`,
    )
  }
}

/** An owner's tensors as one flat vector, in the order of the parameters; every shape is checked before anything is allocated. */
async function readOwner(
  source: ByteSource,
  owned: Owned,
  { parameters, free, where, warnings }: Context & { parameters: readonly ParameterShape[]; free: boolean },
): Promise<Float64Array> {
  const flat = owned.get('*')
  if (flat !== undefined && !parameters.some(({ name }) => name === '*')) {
    const d = dimension(parameters)
    if (owned.size > 1)
      throw new OverhearError('E_INPUT', `${where} has "*" and ${owned.size - 1} more`, 'keep one form')
    if (flat.shape.length !== 1 || flat.size !== d) {
      throw new OverhearError('E_SHAPE', `${where}: "*" has the shape [${flat.shape.join(', ')}]`, `[${d}] is needed`)
    }
    const values = await readTensor(source, flat)
    checkFinite(values, parameters, where)
    return values
  }
  // A known model says which parameter is which where the file has none of its names.
  const own = free && !parameters.some(({ name }) => owned.has(name))
  const names = own ? matchByShape(parameters, owned, where) : parameters.map(({ name }) => name)
  const infos = parameters.map(({ name, shape }, k) => {
    const info = owned.get(names[k]!)
    if (info === undefined) {
      const near = nearest(name, [...owned.keys()].slice(0, 1000))
      const meant = near === undefined ? '' : ` (there is "${near}")`
      throw new OverhearError('E_INPUT', `${where}: parameter "${name}" is missing${meant}`, 'the manifest lists it')
    }
    if (info.shape.length !== shape.length || info.shape.some((s, k) => s !== shape[k])) {
      const found = `${where}: parameter "${name}" has the shape [${info.shape.join(', ')}]`
      throw new OverhearError('E_SHAPE', found, `the manifest says [${shape.join(', ')}]`)
    }
    return info
  })
  if (owned.size > infos.length) {
    warnings.push(`${where}: ${owned.size - infos.length} tensors are not in the manifest's parameters: ignored`)
  }
  const values = new Float64Array(dimension(parameters))
  let offset = 0
  for (const info of infos) {
    values.set(await readTensor(source, info), offset)
    offset += info.size
  }
  checkFinite(values, parameters, where)
  return values
}

function checkFinite(values: Float64Array, parameters: readonly ParameterShape[], where: string): void {
  const bad = values.findIndex((v) => !Number.isFinite(v))
  if (bad < 0) return
  let start = 0
  for (const { name, shape } of parameters) {
    const size = sizeOfShape(shape)
    if (bad < start + size) {
      const found = `${where}: parameter "${name}" holds ${values[bad]} at ${bad - start}`
      throw new OverhearError('E_NON_FINITE', found, 'finite numbers are needed')
    }
    start += size
  }
}
