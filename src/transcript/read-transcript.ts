/** A transcript as a reader sees it: the manifest, the list of rounds, and one round's messages at a time. */
import { OverhearError } from '../errors.js'
import { digestOf } from './file-digest.js'
import { parseJson } from './json.js'
import { type Manifest, manifestOf, type ParametersOf } from './manifest.js'
import { parseRoundLines, type RoundEntry, readRoundLines, roundEntries } from './round-list.js'
import { type Round, type RoundContents, type RoundOptions, readContents, readMessages } from './round-messages.js'
import { type ByteSource, type FileStore, insidePath, readText } from './store.js'

export interface Transcript {
  readonly manifest: Manifest
  /** What is odd but readable, as sentences. */
  readonly warnings: readonly string[]
  /** The rounds in order, without their messages. */
  rounds(): readonly RoundEntry[]
  /** The messages of the round with this number, read from its file now. */
  readRound(round: number, options?: RoundOptions): Promise<Round>
  /** Whose messages that round holds, from its header alone; kept once read. */
  contents(round: number): Promise<RoundContents>
}

export interface OpenOptions {
  /** The parameters of a model that is not opaque: `parametersOf` of the models' table. */
  readonly parametersOf: ParametersOf
  /** What an opaque recording is a recording of: the manifest's `model`, and its `loss` where that differs. */
  readonly model?: unknown
}

/** Refuses a round's file that is not the one that was recorded. */
export async function checkDigest(source: ByteSource, { round, file, sha256 }: RoundEntry): Promise<void> {
  if (sha256 === undefined) return
  const found = await digestOf(source)
  if (found === sha256) return
  throw new OverhearError(
    'E_INPUT',
    `round ${round} (${file}) was changed after it was recorded: its sha256 is ${found}`,
    `${sha256} is what the list of rounds says`,
  )
}

/** The manifest with a model in the place of none. */
function describedBy(json: unknown, model: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (typeof model !== 'object' || model === null || Array.isArray(model)) {
    const found = `the model is described by ${JSON.stringify(model)}`
    throw new OverhearError(
      'E_INPUT',
      found,
      'an object such as { "kind": "mlp", "inputs": 8, "hidden": [32], "outputs": 1 }',
    )
  }
  const { kind = 'opaque' } = ('model' in json && typeof json.model === 'object' && json.model) as { kind?: string }
  if (kind !== 'opaque') {
    throw new OverhearError('E_INPUT', 'a model was given', `the recording says by itself that it is "${kind}"`)
  }
  const { loss, ...rest } = model as { loss?: unknown }
  return { ...json, model: rest, ...(loss !== undefined && { loss }) }
}

/** Opens the transcript in a folder: manifest and list of rounds are checked now, each round's file when it is read. */
export async function openTranscript(store: FileStore, { parametersOf, model }: OpenOptions): Promise<Transcript> {
  const json = parseJson(await readText(store, 'transcript.json'), 'transcript.json')
  const parsed = await manifestOf(model === undefined ? json : describedBy(json, model), parametersOf)
  const manifest = parsed.value
  const warnings = [...parsed.warnings]
  let entries: readonly RoundEntry[]
  if (parsed.rounds === 'rounds.jsonl') {
    const lines = await parseRoundLines(await readRoundLines(store))
    warnings.push(...lines.warnings)
    entries = roundEntries(lines.value, manifest.clients, 'rounds.jsonl')
  } else {
    entries = roundEntries(parsed.rounds, manifest.clients, 'transcript.json: rounds')
  }
  const byNumber = new Map(entries.map((entry) => [entry.round, entry]))
  const known = new Map<number, Promise<RoundContents>>()
  const compared = new Set<number>()
  /** Once for each round: whoever changes a file while it is read is not our business. */
  const compare = async (source: ByteSource, entry: RoundEntry): Promise<void> => {
    if (entry.sha256 === undefined || compared.has(entry.round)) return
    await checkDigest(source, entry)
    compared.add(entry.round)
  }
  const within = async <T>(round: number, work: (source: ByteSource, entry: RoundEntry) => Promise<T>): Promise<T> => {
    const entry = byNumber.get(round)
    if (entry === undefined) {
      const there =
        entries.length === 0 ? 'there are none' : `there are ${entries[0]!.round} to ${entries.at(-1)!.round}`
      throw new OverhearError('E_INPUT', `round ${round} is not in the transcript`, there)
    }
    const source = await store.open(insidePath(entry.file, `round ${round}: file`))
    try {
      return await work(source, entry)
    } finally {
      await source.close?.()
    }
  }
  return {
    manifest,
    warnings,
    rounds: () => entries,
    readRound: (round, options = {}) =>
      within(round, async (source, entry) => {
        await compare(source, entry)
        return readMessages(source, { manifest, entry, ...options })
      }),
    contents(round) {
      const contents = known.get(round) ?? within(round, (source, entry) => readContents(source, { manifest, entry }))
      known.set(round, contents)
      return contents
    },
  }
}
