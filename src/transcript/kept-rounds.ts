/** A transcript whose rounds are read and decoded once, as long as they fit in a store of bytes that several may share. */
import { dimension } from './manifest.js'
import type { Transcript } from './read-transcript.js'
import type { Round, RoundContents, RoundOptions, Update } from './round-messages.js'

/** Room for decoded messages, in bytes. */
export interface Room {
  left: number
}

/** Bytes of a round's messages up to which all are read and kept, whoever of its clients is asked about. */
const small = 1 << 22

/** The same transcript; what it hands out is the reader's own, whoever else reads the round. */
export function keepRounds(transcript: Transcript, room: Room, wholeUpTo = small): Transcript {
  const d = dimension(transcript.manifest.parameters)
  /** What rounds hold, and rounds that were kept, or parts of them; undefined for those that cannot be. */
  const contents = new Map<number, Promise<RoundContents>>()
  const kept = new Map<string, Promise<Round | undefined>>()
  const atFirst = room.left

  const contentsOf = (round: number): Promise<RoundContents> => {
    const known = contents.get(round) ?? transcript.contents(round)
    contents.set(round, known)
    return known
  }
  const keep = async (round: number, options: RoundOptions): Promise<Round | undefined> => {
    const bytes = 8 * d * messagesIn(await contentsOf(round), options)
    // A few large rounds of many would take the room of what is asked for more often.
    if (bytes > room.left || (bytes > wholeUpTo && bytes * transcript.rounds().length > atFirst)) return undefined
    room.left -= bytes
    try {
      return await transcript.readRound(round, options)
    } catch {
      // Something in it is wrong, which may be no business of whoever asks for another client.
      room.left += bytes
      return undefined
    }
  }
  return {
    ...transcript,
    async readRound(round, options = {}) {
      // Of a large round of many clients, who asks about one has no use for the others.
      const whole = options.clients === undefined || 8 * d * messagesIn(await contentsOf(round), {}) <= wholeUpTo
      const asked = whole ? {} : options
      const key = `${round} ${asked.clients === undefined ? '*' : JSON.stringify(asked.clients)}`
      const own = kept.get(key) ?? keep(round, asked)
      kept.set(key, own)
      const found = await own
      return found === undefined ? transcript.readRound(round, options) : copyOf(found, options)
    },
  }
}

function messagesIn({ global, aggregate, clients, sent }: RoundContents, { clients: wanted }: RoundOptions): number {
  const of = (ids: ReadonlySet<string>): number =>
    wanted === undefined ? ids.size : wanted.filter((id) => ids.has(id)).length
  return Number(global) + Number(aggregate) + of(clients) + of(sent)
}

function copyOf(whole: Round, { clients: wanted }: RoundOptions): Round {
  const { global, aggregate, clients, sent, warnings, participants, ...entry } = whole
  const ids = wanted === undefined ? undefined : new Set(wanted)
  const chosen = <T>(messages: ReadonlyMap<string, T>, copy: (one: T) => T): Map<string, T> =>
    new Map([...messages].flatMap(([id, one]) => (ids === undefined || ids.has(id) ? [[id, copy(one)]] : [])))
  return {
    ...entry,
    participants: participants && [...participants],
    ...(global !== undefined && { global: global.slice() }),
    clients: chosen(clients, copiedUpdate),
    sent: chosen(sent, (theta) => theta.slice()),
    ...(aggregate !== undefined && { aggregate: aggregate.slice() }),
    warnings: [...warnings],
  }
}

function copiedUpdate(update: Update): Update {
  switch (update.kind) {
    case 'parameters':
      return { kind: 'parameters', theta: update.theta.slice() }
    case 'delta':
      return { kind: 'delta', dTheta: update.dTheta.slice() }
    case 'gradient':
      return { kind: 'gradient', grad: update.grad.slice() }
  }
}
