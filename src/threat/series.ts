/** Messages of a recording as series over rounds, cut down to what one observer hears. */
import { OverhearError } from '../errors.js'
import type { Transcript } from '../transcript/read-transcript.js'
import type { RoundEntry } from '../transcript/round-list.js'
import type { Round, Update } from '../transcript/round-messages.js'
import type { Aggregate, Exchange, Series } from './granted-keys.js'

/** A series over some rounds; undefined when there are none. */
function seriesOf<T>(rounds: readonly number[], read: (round: number) => Promise<T>): Series<T> | undefined {
  if (rounds.length === 0) return undefined
  const may = new Set(rounds)
  return Object.freeze({
    rounds: Object.freeze([...rounds]),
    async read(round: number) {
      if (may.has(round)) return read(round)
      throw new OverhearError('E_VALUE', `round ${round} is not in this view`, `there are ${rounds.length} others`)
    },
  })
}

/** Series of a transcript, by what they are of: the same object for all who ask, so that what is known of it can be kept. */
const made = new WeakMap<Transcript, Map<string, Promise<unknown>>>()

function once<T>(transcript: Transcript, what: string, make: () => Promise<T>): Promise<T> {
  const own = made.get(transcript) ?? new Map<string, Promise<unknown>>()
  made.set(transcript, own)
  const found = (own.get(what) as Promise<T> | undefined) ?? make()
  own.set(what, found)
  // What went wrong is found anew.
  found.catch(() => own.delete(what))
  return found
}

type Contents = Awaited<ReturnType<Transcript['contents']>>

async function roundsWhere(
  transcript: Transcript,
  holds: (contents: Contents, entry: RoundEntry) => boolean,
): Promise<number[]> {
  const rounds: number[] = []
  for (const entry of transcript.rounds()) {
    if (holds(await transcript.contents(entry.round), entry)) rounds.push(entry.round)
  }
  return rounds
}

/** The turns of one client. */
export const exchangesOf = (transcript: Transcript, client: string): Promise<Series<Exchange> | undefined> =>
  once(transcript, `exchanges ${client}`, () => turnsOf(transcript, client))

async function turnsOf(transcript: Transcript, client: string): Promise<Series<Exchange> | undefined> {
  const rounds = await roundsWhere(transcript, ({ clients }) => clients.has(client))
  return seriesOf(rounds, async (round) => {
    const { global, sent, clients, learningRate } = await transcript.readRound(round, { clients: [client] })
    const own = learningRate ?? transcript.manifest.protocol.learningRate
    return { round, received: sent.get(client) ?? global, update: clients.get(client)!, learningRate: own }
  })
}

export const updatesOf = (transcript: Transcript): Promise<Series<ReadonlyMap<string, Update>> | undefined> =>
  once(transcript, 'updates', async () => {
    const rounds = await roundsWhere(transcript, ({ clients }) => clients.size > 0)
    return seriesOf(rounds, async (round) => (await transcript.readRound(round)).clients)
  })

/** The global models; those on one client's line only when `client` is given. */
export const globalsOf = (transcript: Transcript, client?: string): Promise<Series<Float64Array> | undefined> =>
  once(transcript, client === undefined ? 'globals' : `globals ${client}`, () => modelsOf(transcript, client))

async function modelsOf(transcript: Transcript, client?: string): Promise<Series<Float64Array> | undefined> {
  if (client === undefined) {
    const rounds = await roundsWhere(transcript, ({ global }) => global)
    return seriesOf(rounds, async (round) => (await transcript.readRound(round, { clients: [] })).global!)
  }
  const rounds = await roundsWhere(transcript, ({ global, sent, clients }, { participants, dropped }) => {
    const selected = participants?.includes(client) || dropped.includes(client) || clients.has(client)
    return sent.has(client) || (global && selected)
  })
  return seriesOf(rounds, async (round) => {
    const { sent, global } = await transcript.readRound(round, { clients: [client] })
    return (sent.get(client) ?? global)!
  })
}

/** Weight of a client in the sums: 1, or its number of records; undefined when that is unknown. */
function weightOf(transcript: Transcript): (client: string) => number | undefined {
  const { clients, protocol } = transcript.manifest
  if (protocol.aggregateWeights === 'one') return () => 1
  if (!Array.isArray(clients)) {
    const { samples } = clients as { readonly samples: number | null }
    return () => samples ?? undefined
  }
  const samples = new Map(clients.map((one) => [one.id, one.samples]))
  return (client) => samples.get(client) ?? undefined
}

const knownWeights = (transcript: Transcript, ids: readonly string[] | null): boolean => {
  const w = weightOf(transcript)
  return ids !== null && ids.length > 0 && ids.every((id) => w(id) !== undefined)
}

/** Bytes of a transcript's sums that are kept, so that not every attack forms them. */
const mostSummed = 16 * 1024 * 1024

/** The sums that were recorded, or that a server's recording lets one form. */
export const aggregatesOf = (transcript: Transcript): Promise<Series<Aggregate> | undefined> =>
  once(transcript, 'aggregates', () => sumsOf(transcript))

async function sumsOf(transcript: Transcript): Promise<Series<Aggregate> | undefined> {
  const { protocol } = transcript.manifest
  const rate = ({ learningRate }: RoundEntry): number | null => learningRate ?? protocol.learningRate
  const rounds = await roundsWhere(transcript, ({ aggregate, global, clients }, entry) => {
    if (aggregate) return true
    const participants = entry.participants ?? [...clients]
    // theta_i - theta needs theta when theta_i was returned, and the step when a gradient was.
    const convertible = { parameters: global, delta: true, gradient: rate(entry) !== null }[protocol.share]
    return convertible && knownWeights(transcript, participants) && participants.every((id) => clients.has(id))
  })
  const summed = new Map<number, Float64Array>()
  let left = mostSummed
  return seriesOf(rounds, async (round) => {
    const known = summed.get(round)
    if (known !== undefined) return { round, dThetaSum: known.slice(), derived: true }
    const all = await transcript.readRound(round, (await transcript.contents(round)).aggregate ? { clients: [] } : {})
    if (all.aggregate !== undefined) return { round, dThetaSum: all.aggregate, derived: false }
    const sum = sumOf(all, { weight: weightOf(transcript), rate: rate(all) })
    if (sum.byteLength <= left && !summed.has(round)) {
      left -= sum.byteLength
      summed.set(round, sum.slice())
    }
    return { round, dThetaSum: sum, derived: true }
  })
}

/** sum_i w_i (theta_i - theta), in the order of the participants. */
function sumOf(
  { participants, clients, global }: Round,
  { weight, rate }: { weight: (client: string) => number | undefined; rate: number | null },
): Float64Array {
  let sum: Float64Array | undefined
  for (const id of participants!) {
    const update = clients.get(id)!
    const w = weight(id)!
    const values = update.kind === 'parameters' ? update.theta : update.kind === 'delta' ? update.dTheta : update.grad
    sum ??= new Float64Array(values.length)
    for (let j = 0; j < sum.length; j++) {
      const v = values[j]!
      // One step of descent: theta_i - theta = -eta g.
      const dTheta = update.kind === 'parameters' ? v - global![j]! : update.kind === 'delta' ? v : -rate! * v
      sum[j]! += w * dTheta
    }
  }
  return sum!
}

/** What a participant makes of two global models in a row: under a weighted mean, their difference times the weights. */
export async function aggregatesFromGlobals(transcript: Transcript): Promise<Series<Aggregate> | undefined> {
  if (transcript.manifest.protocol.aggregation !== 'weighted-mean') return undefined
  const entries = new Map(transcript.rounds().map((entry) => [entry.round, entry]))
  const having = new Set(await roundsWhere(transcript, ({ global }) => global))
  const idsOf = async (round: number): Promise<readonly string[]> =>
    entries.get(round)!.participants ?? [...(await transcript.contents(round)).clients]
  const rounds: number[] = []
  for (const round of having) {
    if (having.has(round + 1) && knownWeights(transcript, await idsOf(round))) rounds.push(round)
  }
  return seriesOf(rounds, async (round) => {
    const weight = weightOf(transcript)
    const W = (await idsOf(round)).reduce((total, id) => total + weight(id)!, 0)
    const [before, after] = [
      (await transcript.readRound(round, { clients: [] })).global!,
      (await transcript.readRound(round + 1, { clients: [] })).global!,
    ]
    return { round, dThetaSum: before.map((v, j) => W * (after[j]! - v)), derived: true }
  })
}
