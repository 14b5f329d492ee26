/**
 * The same evidence told otherwise: records backwards, columns of records and of a dense first layer each one place on; or every other
 * record alone. What can be learned of a record stays the same, so that whatever is claimed must follow. And the same without one message.
 */
import { firstLayerOf } from '../../attacks/shared/first-layer.js'
import { recordedModel } from '../../models/index.js'
import { columnsOf, perRecord, rowsOf } from '../../numeric/linalg/matrix.js'
import type { Sources } from '../../threat/grant.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import type { Round, Update } from '../../transcript/round-messages.js'
import type { ClaimJson } from '../attack-result.js'

export interface Telling {
  readonly sources: Sources
  /** What was claimed, as it must be claimed of this; undefined of a claim that nothing of this touches. */
  expected(claim: ClaimJson): ClaimJson | undefined
}

interface Order {
  /** Of so many rows the ones that are told of, in their order. */
  rows(count: number): number[]
  /** Whether columns stand one place on. */
  readonly columns: boolean
}

/** Every record and candidate with the label of the one before; undefined where that changes none. */
export async function toldOtherLabels(sources: Sources): Promise<Sources | undefined> {
  const { knowledge } = sources
  if (knowledge === undefined) return undefined
  let changed = false
  const turned = (table: Table | undefined): Table | undefined => {
    const { labels, features } = table ?? {}
    if (labels === undefined || features === undefined) return table
    const n = features.rows
    const others = rowsOf(
      perRecord(labels, n),
      Array.from({ length: n }, (_, i) => (i + n - 1) % n),
    ).data
    changed ||= others.some((y, i) => y !== labels[i])
    return { ...table!, labels: others }
  }
  const [records, candidates] = [turned(await knowledge.records()), turned(await knowledge.candidates())]
  if (!changed) return undefined
  return { ...sources, knowledge: { ...knowledge, records: async () => records, candidates: async () => candidates } }
}

/** The target's messages without the first or the last of them; undefined where there are few. */
export function toldWithout(sources: Sources, target: string, which: 'first' | 'last'): Sources | undefined {
  const { transcript } = sources
  const rounds = transcript.rounds()
  const own = rounds.filter(({ participants }) => participants?.includes(target) ?? true)
  if (own.length < fewTurns) return undefined
  const left = rounds.filter((one) => one !== own.at(which === 'first' ? 0 : -1))
  return { ...sources, transcript: { ...transcript, rounds: () => left } }
}

/** Of fewer turns each may well be the one that tells. */
const fewTurns = 4

/** Records and candidates from the last to the first, the last column before the others. */
export const toldReordered = (sources: Sources): Promise<Telling> =>
  told(sources, { rows: (count) => Array.from({ length: count }, (_, i) => count - 1 - i), columns: true })

/** Every other record and candidate. */
export const toldOfFewer = (sources: Sources): Promise<Telling> =>
  told(sources, { rows: (count) => Array.from({ length: Math.ceil(count / 2) }, (_, i) => 2 * i), columns: false })

async function told(sources: Sources, order: Order): Promise<Telling> {
  const { transcript, knowledge } = sources
  const tables = { records: await knowledge?.records(), candidates: await knowledge?.candidates() }
  const auxiliary = await knowledge?.auxiliary()
  const known = tables.records ?? tables.candidates ?? auxiliary
  const turned = order.columns ? turnedLayer(transcript, known?.columns.length) : undefined
  const table = (one: Table | undefined, rows: boolean): Table | undefined =>
    one && retold(one, { rows: rows ? order.rows(one.features.rows) : undefined, columns: turned !== undefined })
  const files = knowledge && {
    ...knowledge,
    records: async () => table(tables.records, true),
    candidates: async () => table(tables.candidates, true),
    auxiliary: async () => table(auxiliary, false),
  }
  return {
    sources: { ...sources, transcript: turnedTranscript(transcript, turned), ...(files && { knowledge: files }) },
    expected: (claim) => expectedOf(claim, { turned, order }),
  }
}

/** The inputs of every unit of the first layer one place on, in a flat vector. */
type Turned = (flat: Float64Array) => Float64Array

function turnedLayer({ manifest: { model } }: Transcript, columns: number | undefined): Turned | undefined {
  const layer = model.kind === 'opaque' ? undefined : firstLayerOf(recordedModel(model))
  if (layer === undefined || layer.inputs !== columns) return undefined
  return (flat) => {
    const made = flat.slice()
    for (let unit = 0; unit < layer.units; unit++) {
      const row = made.subarray(unit * layer.inputs, (unit + 1) * layer.inputs)
      row.set(placesOn(layer.inputs).map((j) => flat[unit * layer.inputs + j]!))
    }
    return made
  }
}

/** Which of so many stands where: the last one first. */
const placesOn = (count: number): number[] => Array.from({ length: count }, (_, j) => (j + count - 1) % count)

interface Retelling {
  /** Which rows; all of them as they are unless told. */
  readonly rows: readonly number[] | undefined
  readonly columns: boolean
}

function retold(table: Table, { rows, columns }: Retelling): Table {
  const { features, labels, metaclasses, ids } = table
  const count = features.rows
  const picked = rows ?? Array.from({ length: count }, (_, i) => i)
  const some = rowsOf(features, picked)
  const places = placesOn(features.cols)
  const each = (values: Float64Array): Float64Array => rowsOf(perRecord(values, count), picked).data
  return {
    columns: columns ? places.map((j) => table.columns[j]!) : table.columns,
    features: columns ? columnsOf(some, places) : some,
    ...(labels !== undefined && { labels: each(labels) }),
    ...(metaclasses !== undefined && { metaclasses: each(metaclasses) }),
    ...(ids !== undefined && { ids: picked.map((i) => ids[i]!) }),
  }
}

function turnedTranscript(transcript: Transcript, turned: Turned | undefined): Transcript {
  if (turned === undefined) return transcript
  const readRound: Transcript['readRound'] = async (round, options) => {
    const { global, aggregate, clients, sent, ...rest } = await transcript.readRound(round, options)
    const made: Round = {
      ...rest,
      ...(global !== undefined && { global: turned(global) }),
      ...(aggregate !== undefined && { aggregate: turned(aggregate) }),
      clients: new Map([...clients].map(([id, update]) => [id, turnedUpdate(update, turned)])),
      sent: new Map([...sent].map(([id, theta]) => [id, turned(theta)])),
    }
    return made
  }
  return { ...transcript, readRound }
}

function turnedUpdate(update: Update, turned: Turned): Update {
  switch (update.kind) {
    case 'parameters':
      return { kind: 'parameters', theta: turned(update.theta) }
    case 'delta':
      return { kind: 'delta', dTheta: turned(update.dTheta) }
    case 'gradient':
      return { kind: 'gradient', grad: turned(update.grad) }
  }
}

function expectedOf(
  claim: ClaimJson,
  { turned, order }: { readonly turned: Turned | undefined; readonly order: Order },
): ClaimJson | undefined {
  const picked = <T>(values: readonly T[]): T[] => order.rows(values.length).map((i) => values[i]!)
  switch (claim.kind) {
    case 'attribute':
      return { ...claim, values: picked(claim.values) }
    case 'labels':
      return claim.round === undefined ? { ...claim, labels: picked(claim.labels) } : undefined
    case 'members':
      return claim.scores && { ...claim, scores: picked(claim.scores) }
    case 'model':
      return turned && { ...claim, theta: Array.from(turned(Float64Array.from(claim.theta))) }
    default:
      return undefined
  }
}
