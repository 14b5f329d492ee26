/** Writes a transcript round by round so that a run killed at any moment leaves one that is valid up to its last round. */
import { OverhearError } from '../errors.js'
import { canonical } from './canonical.js'
import { sha256Of } from './file-digest.js'
import { parseJson } from './json.js'
import { type Manifest, type ManifestInput, manifestOf, type ParametersOf } from './manifest.js'
import { checkDigest } from './read-transcript.js'
import { type Exclusion, isTorn, parseRoundLines, type RoundEntry, readRoundLines, roundEntries } from './round-list.js'
import { readMessages, type Update } from './round-messages.js'
import { encode, type TensorToWrite } from './safetensors.js'
import { type ByteSource, bytesSource, type FileStore, readText } from './store.js'

/** A folder that can be written. Each promise is kept only when the bytes would survive a loss of power. */
export interface WritableStore extends FileStore {
  makeFolder(path: string): Promise<void>
  /** A whole file, flushed to the disk; its name lasts only after `syncFolder`. */
  write(path: string, bytes: Uint8Array): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Makes the names in a folder last; '' is the folder itself. */
  syncFolder(path: string): Promise<void>
  append(path: string, bytes: Uint8Array): Promise<void>
  truncate(path: string, size: number): Promise<void>
}

export interface WriterOptions {
  readonly parametersOf: ParametersOf
  /** What numbers are stored as; f64 loses nothing. */
  readonly precision?: 'f64' | 'f32'
  /** One tensor per owner, or one per parameter. */
  readonly layout?: 'flat' | 'parameters'
  /** Whether rounds from the first on that is damaged are dropped, in place of being an error. */
  readonly repair?: boolean
}

export interface RoundToWrite {
  readonly round: number
  /** Those inside the sum; null where that is not known. */
  readonly participants: readonly string[] | null
  readonly dropped?: readonly string[]
  readonly tampered?: readonly string[]
  readonly learningRate?: number
  /** Who lost its place in secure aggregation, in which phase, and why. */
  readonly excluded?: readonly Exclusion[]
  readonly global?: Float64Array
  readonly clients?: ReadonlyMap<string, Update>
  readonly sent?: ReadonlyMap<string, Float64Array>
  readonly aggregate?: Float64Array
}

export interface TranscriptWriter {
  readonly manifest: Manifest
  /** The rounds that are complete, those of an earlier run included. */
  rounds(): readonly RoundEntry[]
  /**
   * Writes one round; it counts once the promise is kept. What it holds is taken at once, and the next may be given before:
   * they are written in order, all together that came while others were written.
   */
  append(round: RoundToWrite): Promise<void>
}

const utf8Bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Begins a transcript, or takes up one with the same manifest after its last complete round. */
export async function openWriter(
  store: WritableStore,
  manifest: Omit<ManifestInput, 'rounds'>,
  options: WriterOptions,
): Promise<TranscriptWriter> {
  const json = { ...manifest, rounds: 'rounds.jsonl' }
  const { value } = await manifestOf(json, options.parametersOf, 'the manifest')
  if ((await store.size('transcript.json')) === undefined) await begin(store, json, options.repair ?? false)
  else await checkSame(store, json)
  return writerOf(store, { manifest: value, entries: await takeUp(store, value, options.repair ?? false), options })
}

/** Rounds without a manifest could be anybody's: a repair makes them again. */
async function begin(store: WritableStore, json: object, repair: boolean): Promise<void> {
  if (!repair && ((await store.size('rounds.jsonl')) ?? 0) > 0) {
    const found = 'the folder holds rounds.jsonl but no transcript.json'
    throw new OverhearError('E_INPUT', found, 'an empty folder is needed, or --repair to make its rounds again')
  }
  await store.makeFolder('rounds')
  await store.write('rounds.jsonl', new Uint8Array(0))
  await store.write('transcript.json.tmp', utf8Bytes(`${JSON.stringify(json, null, 2)}\n`))
  await store.rename('transcript.json.tmp', 'transcript.json')
  await store.syncFolder('')
}

async function checkSame(store: WritableStore, json: object): Promise<void> {
  const there = parseJson(await readText(store, 'transcript.json'), 'transcript.json')
  const wanted = JSON.parse(JSON.stringify(json)) as object
  if (canonical(there) === canonical(wanted)) return
  const old = typeof there === 'object' && there !== null ? (there as Record<string, unknown>) : {}
  const keys = [...new Set([...Object.keys(old), ...Object.keys(wanted)])]
  const differ = keys.filter((key) => canonical(old[key]) !== canonical((wanted as Record<string, unknown>)[key]))
  const found = `the folder holds another run's transcript: its ${differ.slice(0, 8).join(', ')} differ`
  throw new OverhearError('E_INPUT', found, 'take another folder, or the same settings')
}

/** Mends the end of rounds.jsonl and returns what is complete; every round's file is looked at. */
async function takeUp(store: WritableStore, manifest: Manifest, repair: boolean): Promise<RoundEntry[]> {
  const text = await readRoundLines(store)
  const start = text.replace(/\n$/, '').lastIndexOf('\n') + 1
  let kept = text
  if (text !== '' && isTorn(text.slice(start))) {
    kept = text.slice(0, start)
    await store.truncate('rounds.jsonl', utf8Bytes(kept).length)
  } else if (text !== '' && !text.endsWith('\n')) {
    // The line is complete and only its end is missing.
    await store.append('rounds.jsonl', utf8Bytes('\n'))
  }
  if (repair) return wholeRounds(store, manifest, kept)
  const entries = [...roundEntries((await parseRoundLines(kept)).value, manifest.clients, 'rounds.jsonl')]
  for (const entry of entries) {
    const { code, message } = (await damageOf(store, entry)) ?? {}
    if (code === undefined || message === undefined) continue
    throw new OverhearError(code, message, 'give --repair to keep the rounds before it, and play the others again')
  }
  return entries
}

/** What is wrong with a round's file. */
async function damageOf(store: WritableStore, entry: RoundEntry): Promise<OverhearError | undefined> {
  let source: ByteSource | undefined
  try {
    source = await store.open(entry.file)
    await checkDigest(source, entry)
    return undefined
  } catch (error) {
    if (error instanceof OverhearError && error.code !== 'E_INTERNAL') return error
    throw error
  } finally {
    await source?.close?.()
  }
}

/** The rounds before the first that is damaged; the list is cut there. */
async function wholeRounds(store: WritableStore, manifest: Manifest, text: string): Promise<RoundEntry[]> {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined)
  const entries: RoundEntry[] = []
  let whole = 0
  for (; whole < lines.length; whole++) {
    try {
      const upTo = lines.slice(Math.max(0, whole - 1), whole + 1).join('\n')
      const entry = roundEntries((await parseRoundLines(upTo)).value, manifest.clients, 'rounds.jsonl').at(-1)!
      if (isTorn(lines[whole]!) || (await damageOf(store, entry)) !== undefined) break
      entries.push(entry)
    } catch (error) {
      if (!(error instanceof OverhearError) || error.code === 'E_INTERNAL') throw error
      break
    }
  }
  if (whole < lines.length) {
    const kept = lines.slice(0, whole).map((line) => `${line}\n`)
    await store.truncate('rounds.jsonl', utf8Bytes(kept.join('')).length)
  }
  return entries
}

interface State {
  readonly manifest: Manifest
  readonly entries: RoundEntry[]
  readonly options: WriterOptions
}

/** A round that waits for its turn. */
interface Waiting {
  readonly line: ReturnType<typeof lineOf>
  readonly bytes: Uint8Array
  readonly kept: () => void
  readonly failed: (error: unknown) => void
}

/** One that nothing is wrong with. */
interface Whole extends Waiting {
  readonly entry: RoundEntry
  readonly sha256: string
}

function writerOf(store: WritableStore, { manifest, entries, options }: State): TranscriptWriter {
  let [isBusy, isBroken] = [false, false]
  const waiting: Waiting[] = []
  /** Looks at what waits, one after the other, and gives the rounds that may be written: of a refused one none that stood behind it. */
  const checked = async (): Promise<Whole[]> => {
    const whole: Whole[] = []
    const some = waiting.splice(0)
    for (let one = some.shift(); one !== undefined; one = some.shift()) {
      try {
        if (isBroken) throw new OverhearError('E_INPUT', notWritten(one, 'an earlier write failed'), 'open again')
        const last = whole.at(-1)?.entry ?? entries.at(-1)
        const entry = await entryAfter(last, one, manifest)
        // What a reader would refuse must never be written: read it back first.
        await readMessages(bytesSource(one.bytes), { manifest, entry })
        whole.push({ ...one, entry, sha256: await sha256Of(one.bytes) })
      } catch (error) {
        one.failed(error)
        for (const behind of [...some.splice(0), ...waiting.splice(0)]) {
          const why = isBroken ? 'an earlier write failed' : 'an earlier one was refused'
          behind.failed(
            new OverhearError('E_INPUT', notWritten(behind, why), isBroken ? 'open again' : 'give it again'),
          )
        }
      }
    }
    return whole
  }
  const write = async (whole: readonly Whole[]): Promise<void> => {
    const writes = await Promise.allSettled(whole.map(({ entry, bytes }) => store.write(`${entry.file}.tmp`, bytes)))
    for (const one of writes) if (one.status === 'rejected') throw one.reason
    for (const { entry } of whole) await store.rename(`${entry.file}.tmp`, entry.file)
    await store.syncFolder('rounds')
    const lines = whole.map(({ line, sha256 }) => `${JSON.stringify({ ...line, sha256 })}\n`)
    await store.append('rounds.jsonl', utf8Bytes(lines.join('')))
  }
  const work = async (): Promise<void> => {
    isBusy = true
    while (waiting.length > 0) {
      const whole = await checked()
      try {
        if (whole.length > 0) await write(whole)
      } catch (error) {
        isBroken = true
        for (const { failed } of whole) failed(error)
        continue
      }
      for (const { entry, sha256, kept } of whole) {
        entries.push({ ...entry, sha256 })
        kept()
      }
    }
    isBusy = false
  }
  return {
    manifest,
    rounds: () => entries,
    append: (round) =>
      new Promise((kept, failed) => {
        waiting.push({ line: lineOf(round), bytes: encode(tensorsOf(round, manifest, options)), kept, failed })
        if (!isBusy) void work()
      }),
  }
}

const notWritten = ({ line: { round } }: Waiting, why: string): string => `round ${round} cannot be written: ${why}`

/** What a reader would know of a round. */
async function entryAfter(last: RoundEntry | undefined, { line }: Waiting, { clients }: Manifest): Promise<RoundEntry> {
  const before = last && { ...last, participants: last.participants && [...last.participants] }
  const text = [...(before === undefined ? [] : [before]), line].map((one) => JSON.stringify(one)).join('\n')
  return roundEntries((await parseRoundLines(text)).value, clients, 'append').at(-1)!
}

function lineOf({ round, participants, dropped = [], tampered = [], learningRate, excluded }: RoundToWrite) {
  const file = `rounds/${String(round).padStart(6, '0')}.safetensors`
  const rest = { ...(learningRate !== undefined && { learningRate }), ...(excluded !== undefined && { excluded }) }
  return { round, file, participants, dropped, tampered, ...rest }
}

function tensorsOf(round: RoundToWrite, { parameters, protocol }: Manifest, options: WriterOptions): TensorToWrite[] {
  const { precision = 'f64', layout = 'flat' } = options
  const stored = (values: Float64Array) => (precision === 'f64' ? values : Float32Array.from(values))
  const tensors: TensorToWrite[] = []
  const add = (owner: string, values: Float64Array): void => {
    if (layout === 'flat') {
      tensors.push({ name: `${owner}/*`, shape: [values.length], data: stored(values) })
      return
    }
    let offset = 0
    for (const { name, shape } of parameters) {
      const end = offset + shape.reduce((n, s) => n * s, 1)
      tensors.push({ name: `${owner}/${name}`, shape, data: stored(values.subarray(offset, end)) })
      offset = end
    }
    if (offset !== values.length) {
      throw new OverhearError('E_SHAPE', `${owner} has ${values.length} values`, `${offset} are needed`)
    }
  }
  if (round.global !== undefined) add('global', round.global)
  for (const [id, update] of round.clients ?? []) {
    if (update.kind !== protocol.share) {
      const found = `round ${round.round}: client "${id}" returned "${update.kind}"`
      throw new OverhearError('E_INPUT', found, `this transcript's share is "${protocol.share}"`)
    }
    add(
      `client/${id}`,
      update.kind === 'parameters' ? update.theta : update.kind === 'delta' ? update.dTheta : update.grad,
    )
  }
  for (const [id, theta] of round.sent ?? []) add(`sent/${id}`, theta)
  if (round.aggregate !== undefined) add('aggregate', round.aggregate)
  return tensors
}
