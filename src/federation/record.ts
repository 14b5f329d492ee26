/** A federation written down round by round, and taken up where it was cut off: the same bytes as without the cut. */
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { schedule as usualSchedule } from '../settings/training-settings.js'
import { openTranscript, type Transcript } from '../transcript/read-transcript.js'
import {
  openWriter,
  type RoundToWrite,
  type TranscriptWriter,
  type WritableStore,
} from '../transcript/write-transcript.js'
import { type Checkpoint, copyOf } from './checkpoint.js'
import { type CheckpointStore, checkpointStore } from './checkpoint-store.js'
import { type FederateOptions, type FederationRound, federate } from './federate.js'
import { type Listener, type ManifestOptions, manifestFor } from './manifest-for.js'
import { type FederationSpec, settle } from './spec.js'
import { hidesRates } from './stated-protocol.js'
import { changeSum } from './updates.js'

export interface RecordOptions extends Omit<FederateOptions, 'from'>, ManifestOptions {
  /** Where the transcript goes; none is written unless told. */
  readonly transcript?: WritableStore
  /** Where checkpoints go, a folder apart from the transcript's; without one a run cannot be taken up. */
  readonly checkpoints?: WritableStore
  /** A checkpoint every so many rounds, and after the last; every round unless told. */
  readonly checkpointEvery?: number
  /** What numbers are stored as in the transcript; f64 loses nothing. */
  readonly storedAs?: 'f64' | 'f32'
  readonly layout?: 'flat' | 'parameters'
  /** Bytes of messages that may still be on their way to the disk when the next round begins; 0 unless told. */
  readonly ahead?: number
  /** Whether rounds from the first on that is damaged are played again, in place of being an error. */
  readonly repair?: boolean
}

/**
 * Runs a federation and records it, or goes on with what the stores hold of it. Yields the rounds that are played now;
 * a round counts once it was yielded, or where some may be ahead of the disk, once the run ended. Whenever the run dies, calling this again gives what an undisturbed run would have.
 */
export async function* recordFederation(
  spec: FederationSpec,
  options: RecordOptions,
): AsyncGenerator<FederationRound, Checkpoint, undefined> {
  const { transcript, checkpoints, checkpointEvery = 1, recordedFor = 'server', ahead = 0, ...rest } = options
  const writer = transcript === undefined ? undefined : await openTranscriptFor(spec, { ...options, transcript })
  const saved = checkpoints === undefined ? undefined : await checkpointStore(checkpoints)
  const from = newest(saved, writer)
  const secure = writer?.manifest.protocol.secureAggregation ?? false
  const rates = settle(spec).schedule.name !== usualSchedule.value.default.name && !hidesRates(options.states ?? {})
  const ears = { recordedFor, secure, rates }
  const write = writer === undefined ? undefined : appender({ writer, transcript: transcript!, ears })
  const rounds = federate(spec, { ...rest, ...(from !== undefined && { from }) })
  const way = onTheWay(ahead)
  const save = saved && saver(saved, { writer, isCopied: ahead > 0 })
  try {
    for (;;) {
      const step = await rounds.next()
      if (step.done) {
        await way.room(0)
        return step.value
      }
      const round = step.value
      await way.room() // nothing is written behind a round that could not be
      const written = write?.(round) ?? Promise.resolve()
      const last = round.round + 1 === spec.rounds
      const kept = last || (round.round + 1) % checkpointEvery === 0
      way.add(sizeOf(round), [written, ...(kept && save !== undefined ? [save(round.checkpoint, written)] : [])])
      await way.room()
      yield round
    }
  } finally {
    await rounds.return(undefined as never) // its pool, too, when the caller stops early
    await way.settled()
  }
}

/** Bytes of a round's messages, about. */
const sizeOf = ({ global, sent, updates }: FederationRound): number =>
  8 * global.length * (1 + sent.size + updates.size)

/** What is being written while rounds go on. */
function onTheWay(most: number) {
  const under = new Map<Promise<void>, number>()
  let hasFailed = false
  const bytes = (): number => [...under.values()].reduce((sum, one) => sum + one, 0)
  return {
    add(size: number, parts: readonly Promise<void>[]): void {
      // Nothing of a run may be written once it has ended: where one part fails, the others are waited for.
      const own = Promise.allSettled(parts).then((ends) => {
        for (const one of ends) if (one.status === 'rejected') throw one.reason
        under.delete(own)
      })
      // It is heard by whoever waits next.
      own.catch(() => {
        hasFailed = true
      })
      under.set(own, size)
    },
    /** Waits until no more than so many bytes are left, and throws what went wrong first of what went wrong before. */
    async room(left = most): Promise<void> {
      while (under.size > 0 && (left === 0 || hasFailed || bytes() > left)) await under.keys().next().value
    },
    /** Waits for all of it, whatever becomes of it. */
    async settled(): Promise<void> {
      await Promise.allSettled(under.keys())
    },
  }
}

/** Saves checkpoints one after the other, each once its round is written: the same ones however fast the disk is. */
function saver(
  saved: CheckpointStore,
  { writer, isCopied }: { readonly writer: TranscriptWriter | undefined; readonly isCopied: boolean },
) {
  let last: Promise<unknown> = Promise.resolve()
  return (given: Checkpoint, written: Promise<void>): Promise<void> => {
    // Whoever keeps a memory may change it in place in the next round.
    const checkpoint = isCopied ? copyOf(given) : given
    const save = async (): Promise<void> => {
      const recorded = writer?.rounds().filter(({ round }) => round < checkpoint.nextRound).length ?? null
      await saved.save(checkpoint, recorded)
    }
    // Whoever gave a round hears that it was not written, and its checkpoint is not saved.
    const own = Promise.all([last, written]).then(save)
    last = own
    own.catch(() => {})
    return own
  }
}

function openTranscriptFor(
  spec: FederationSpec,
  options: RecordOptions & { transcript: WritableStore },
): Promise<TranscriptWriter> {
  const { transcript, population, storedAs, layout, repair } = options
  return openWriter(transcript, manifestFor(spec, population, options), {
    parametersOf,
    ...(storedAs !== undefined && { precision: storedAs }),
    ...(layout !== undefined && { layout }),
    ...(repair !== undefined && { repair }),
  })
}

/**
 * The newest checkpoint that the transcript reaches. One that is ahead (its rounds were lost, or never written) would
 * leave a gap, so an older one is taken, or the beginning: rounds played again give the same bits.
 */
function newest(saved: CheckpointStore | undefined, writer: TranscriptWriter | undefined) {
  const fits = saved?.found.filter(({ recorded }) => {
    return writer === undefined || (recorded !== null && recorded <= writer.rounds().length)
  })
  return fits?.sort((a, b) => b.checkpoint.nextRound - a.checkpoint.nextRound)[0]?.checkpoint
}

interface Ears {
  readonly recordedFor: Listener
  readonly secure: boolean
  /** Whether a round says its own learning rate. */
  readonly rates: boolean
}

interface Appender {
  readonly writer: TranscriptWriter
  readonly transcript: WritableStore
  readonly ears: Ears
}

function appender({ writer, transcript, ears }: Appender): (round: FederationRound) => Promise<void> {
  let reader: Transcript | undefined
  return async (round) => {
    const entry = heard(round, ears)
    if (entry === undefined) return
    if (round.round > (writer.rounds().at(-1)?.round ?? -1)) return writer.append(entry)
    // Written before the cut, and played again from an older checkpoint: it must be the same round.
    reader ??= await openTranscript(transcript, { parametersOf })
    const old = await reader.readRound(round.round)
    const global = entry.global!
    const same = old.global?.every((x, j) => x === global[j] || x === Math.fround(global[j]!))
    if (same && old.participants?.join() === (entry.participants ?? []).join()) return
    const found = `round ${round.round} of the transcript is not what this run gives`
    throw new OverhearError('E_INPUT', found, 'it was recorded by another run or version: take another folder')
  }
}

/** What a listener can hear of a round; undefined when that is nothing. */
function heard(round: FederationRound, { recordedFor, secure, rates }: Ears): RoundToWrite | undefined {
  const { participants, dropped, tampered, global, sent, updates, weights, learningRate } = round
  const rate = rates ? { learningRate } : {}
  if (recordedFor.startsWith('eavesdropper:')) {
    const target = recordedFor.slice('eavesdropper:'.length)
    if (!participants.includes(target)) return undefined
    const update = updates.get(target)
    // On the wire to one client there is one model: nobody there can tell that others got another.
    const received = sent.get(target) ?? global
    return {
      round: round.round,
      participants: [target],
      global: received,
      ...rate,
      clients: new Map(update === undefined ? [] : [[target, update]]),
    }
  }
  const out = round.excluded === undefined ? {} : { excluded: round.excluded }
  const common = { round: round.round, participants, dropped, tampered, global, sent, ...rate, ...out }
  if (!secure) return { ...common, clients: updates }
  const parts = { global, weights: [...weights.values()], learningRate }
  return { ...common, aggregate: round.aggregate ?? changeSum([...updates.values()], parts) }
}
