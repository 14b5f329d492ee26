/** A transcript whose rounds are read and decoded once, as long as they fit in a store of bytes that several may share. */
import { dimension } from './manifest.js'
import type { Transcript } from './read-transcript.js'
import type { Round, RoundContents, RoundOptions, Update } from './round-messages.js'

/** Room for decoded messages, in bytes. */
export interface Room {
  left: number
}

/** The same transcript; what it hands out is the reader's own, whoever else reads the round. */
export function keepRounds(transcript: Transcript, room: Room): Transcript {
  const d = dimension(transcript.manifest.parameters)
  /** Rounds that were kept; undefined for those that cannot be. */
  const kept = new Map<number, Promise<Round | undefined>>()

  const keep = async (round: number): Promise<Round | undefined> => {
    const bytes = 8 * d * messagesIn(await transcript.contents(round))
    if (bytes > room.left) return undefined
    room.left -= bytes
    try {
      return await transcript.readRound(round)
    } catch {
      // Something in it is wrong, which may be no business of whoever asks for another client.
      room.left += bytes
      return undefined
    }
  }
  return {
    ...transcript,
    async readRound(round, options = {}) {
      const own = kept.get(round) ?? keep(round)
      kept.set(round, own)
      const whole = await own
      return whole === undefined ? transcript.readRound(round, options) : copyOf(whole, options)
    },
  }
}

function messagesIn({ global, aggregate, clients, sent }: RoundContents): number {
  return Number(global) + Number(aggregate) + clients.size + sent.size
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
