/** Messages of a training as figures: rounds as a timeline, one round's messages, one client's turns. */
import type { z } from 'zod'
import type { ClientAnswer, clientRequest, RoundAnswer, roundRequest, Spread, TimelineAnswer, TimelineRow, timelineRequest } from '../../../api/explore.js' // biome-ignore format: one line
import { OverhearError } from '../../../errors.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import type { RoundEntry } from '../../../transcript/round-list.js'
import type { Round, Update } from '../../../transcript/round-messages.js'
import type { SafetensorsHeader } from '../../../transcript/safetensors.js'
import type { OpenedRun } from './recordings.js'

/** Clients of a round whose norms make its spread: more would take long, and say the same. */
const mostNorms = 40
/** Numbers of the messages that one page may read. */
const mostRead = 40_000_000

/** How far the message of a client in a round is from what is stated, over what is expected; null where nobody has looked. */
export interface Misfits {
  of(client: string, round: number): number | null
  /** The largest of a round. */
  most(round: number): number | null
}

/** What a client changed: theta_c - theta where it returned a model and the one it began with was heard. */
function changeOf(update: Update, round: Pick<Round, 'global' | 'sent'>, id: string): Float64Array {
  if (update.kind === 'delta') return update.dTheta
  if (update.kind === 'gradient') return update.grad
  const begun = round.sent.get(id) ?? round.global
  if (begun === undefined) return update.theta
  return update.theta.map((value, k) => value - begun[k]!)
}

function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!
  return { of: sorted.length, least: at(0), low: at(0.25), middle: at(0.5), high: at(0.75), most: at(1) }
}

/** Some of a list, spread evenly over it. */
const someOf = (ids: readonly string[], most: number): string[] =>
  ids.length <= most ? [...ids] : Array.from({ length: most }, (_, k) => ids[Math.floor((k * ids.length) / most)]!)

const parametersIn = ({ transcript }: OpenedRun): number =>
  transcript.manifest.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0)

export async function timelineOf(
  run: OpenedRun,
  { from, count }: z.output<typeof timelineRequest>,
  misfits: Misfits,
): Promise<TimelineAnswer> {
  const all = run.transcript.rounds()
  const shown = all.slice(from, from + count)
  // Of a large model fewer clients are read, so that a page takes no longer.
  const each = Math.floor(mostRead / Math.max(1, shown.length) / parametersIn(run))
  const rounds: TimelineRow[] = []
  for (const entry of shown) {
    const row = await timelineRow(run, entry, Math.max(1, Math.min(mostNorms, each - 1)))
    rounds.push({ ...row, misfit: misfits.most(entry.round) })
  }
  return { from, total: all.length, rounds }
}

async function timelineRow(run: OpenedRun, entry: RoundEntry, most: number): Promise<Omit<TimelineRow, 'misfit'>> {
  const contents = await run.transcript.contents(entry.round)
  const clients = someOf([...contents.clients], most)
  const read = await run.transcript.readRound(entry.round, { clients })
  return {
    round: entry.round,
    bytes: await run.bytes(entry.file),
    participants: read.participants?.length ?? null,
    dropped: entry.dropped.length,
    tampered: entry.tampered.length,
    sent: read.global === undefined ? null : norm(read.global),
    sum: read.aggregate === undefined ? null : norm(read.aggregate),
    changes: spreadOf([...read.clients].map(([id, update]) => norm(changeOf(update, read, id)))),
  }
}

/** Bytes of what an owner sent or was sent: "global", "aggregate", "client/ID", "sent/ID". */
function bytesBy({ tensors }: SafetensorsHeader): Map<string, number> {
  const bytes = new Map<string, number>()
  for (const { name, begin, end } of tensors.values()) {
    const owner = /^(?:global|aggregate|(?:client|sent)\/[^/]*)(?=\/)/.exec(name)?.[0]
    if (owner !== undefined) bytes.set(owner, (bytes.get(owner) ?? 0) + end - begin)
  }
  return bytes
}

export async function roundOf(
  run: OpenedRun,
  { round, from, count }: z.output<typeof roundRequest>,
  misfits: Misfits,
): Promise<RoundAnswer> {
  const entry = entryOf(run, round)
  const contents = await run.transcript.contents(round)
  const ids = [...new Set([...contents.sent, ...contents.clients])]
  const shown = ids.slice(from, from + count)
  const [read, bytes] = [
    await run.transcript.readRound(round, { clients: shown }),
    bytesBy(await run.header(entry.file)),
  ]
  const messages: RoundAnswer['messages'] = []
  if (from === 0 && read.global !== undefined)
    messages.push({
      who: 'the server',
      way: 'to all',
      bytes: bytes.get('global') ?? 0,
      norm: norm(read.global),
      tampered: false,
      misfit: null,
    })
  if (from === 0 && read.aggregate !== undefined)
    messages.push({
      who: 'the sum',
      way: 'sum',
      bytes: bytes.get('aggregate') ?? 0,
      norm: norm(read.aggregate),
      tampered: false,
      misfit: null,
    })
  for (const id of shown) {
    const [sent, update] = [read.sent.get(id), read.clients.get(id)]
    if (sent !== undefined)
      messages.push({
        who: id,
        way: 'to one',
        bytes: bytes.get(`sent/${id}`) ?? 0,
        norm: norm(sent),
        tampered: true,
        misfit: null,
      })
    if (update === undefined) continue
    const change = norm(changeOf(update, read, id))
    messages.push({
      who: id,
      way: 'from',
      bytes: bytes.get(`client/${id}`) ?? 0,
      norm: change,
      tampered: entry.tampered.includes(id),
      misfit: misfits.of(id, round),
    })
  }
  return { round, from, total: ids.length, messages }
}

function entryOf(run: OpenedRun, round: number): RoundEntry {
  const entry = run.transcript.rounds().find((one) => one.round === round)
  if (entry !== undefined) return entry
  throw new OverhearError('E_UNKNOWN_NAME', `round ${round} is not in the transcript`)
}

/** A client's turns, each beside the one before. */
export async function turnsOf(
  run: OpenedRun,
  { client, from, count }: z.output<typeof clientRequest>,
  misfits: Misfits,
): Promise<Pick<ClientAnswer, 'id' | 'samples' | 'turns' | 'from' | 'total' | 'messages'>> {
  const { manifest } = run.transcript
  const all = run.transcript.rounds()
  const listed = 'count' in manifest.clients ? undefined : manifest.clients.find(({ id }) => id === client)
  const own = all.filter(({ participants, dropped }) => participants?.includes(client) || dropped.includes(client))
  const known = all.every(({ participants }) => participants !== null)
  if (listed === undefined && own.length === 0) {
    throw new OverhearError('E_UNKNOWN_NAME', `there is no client ${JSON.stringify(client)}`)
  }
  const rounds = known ? own : all
  const messages: ClientAnswer['messages'] = []
  let before: Float64Array | undefined
  for (const entry of rounds.slice(Math.max(0, from - 1), from + count)) {
    const read = await run.transcript.readRound(entry.round, { clients: [client] })
    const update = read.clients.get(client)
    if (update === undefined) continue
    const change = changeOf(update, read, client)
    const size = norm(change)
    const turned = before === undefined ? null : cosine(before, change)
    before = change
    if (rounds.indexOf(entry) < from) continue
    const bytes = bytesBy(await run.header(entry.file)).get(`client/${client}`) ?? 0
    const misfit = misfits.of(client, entry.round)
    messages.push({ round: entry.round, bytes, norm: size, turned, tampered: entry.tampered.includes(client), misfit })
  }
  const samples = listed?.samples ?? ('count' in manifest.clients ? manifest.clients.samples : null)
  return { id: client, samples, turns: known ? own.length : null, from, total: rounds.length, messages }
}

function cosine(a: Float64Array, b: Float64Array): number | null {
  const both = norm(a) * norm(b)
  return both > 0 ? dot(a, b) / both : null
}
