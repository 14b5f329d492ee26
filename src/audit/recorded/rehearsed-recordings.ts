/** Rehearsals of a recording: what is secret of a client's people is drawn anew, and its turns are played over at the models that were really sent. */
import { Inapplicable } from '../../attacks/attack.js'
import { type Recipe, type Replay, replayer } from '../../attacks/shared/replayed-turn.js'
import { precisionOf } from '../../attacks/shared/sent-precision.js'
import { supposedRecords } from '../../attacks/shared/supposed-records.js'
import { pickRows } from '../../metrics/grading.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import type { Rng } from '../../numeric/random/rng.js'
import { grant, type Sources } from '../../threat/grant.js'
import type { Exchange, Series, View } from '../../threat/granted-keys.js'
import type { ObserverName } from '../../threat/observers.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import type { Update } from '../../transcript/round-messages.js'

/** Whose turns, and the records of both halves: those that were trained on are played. */
export interface Rehearsable {
  readonly sources: Sources
  readonly observer: ObserverName
  readonly client: string
  readonly table: Table
  readonly trained: Int32Array
}

/** A recording as it could have been, and the records behind it. */
export interface RehearsedRecording {
  readonly sources: Sources
  readonly table: Table
}

/** So many of them; none where turns cannot be played over: a model that is unknown, noise on whole changes, no labels. */
export async function rehearsedRecordings(
  about: Rehearsable,
  count: number,
  rng: Rng,
): Promise<readonly RehearsedRecording[]> {
  const { sources, observer, client } = about
  const knowledge = sources.knowledge && { ...sources.knowledge, target: client }
  if (knowledge?.sensitive === undefined || about.table.labels === undefined) return []
  const { view } = await grant({ ...sources, knowledge }, observer, ['model', 'loss', 'protocol', 'exchanges'], [])
  if (view === undefined) return []
  const heard = view as View<'model' | 'loss' | 'protocol' | 'exchanges'>
  try {
    const all: RehearsedRecording[] = []
    for (let k = 0; k < count; k++) {
      const own = rng.fork('rehearsal', k)
      const table = redrawn(about.table, knowledge.sensitive, own.fork('secrets'))
      if (table === undefined) return []
      const played = await turnsOver(heard, pickRows(table, about.trained), own.fork('turns'))
      all.push({ sources: { ...sources, transcript: replaced(sources.transcript, client, played) }, table })
    }
    return all
  } catch (error) {
    if (error instanceof Inapplicable) return []
    throw error
  }
}

type Sensitive = NonNullable<NonNullable<Sources['knowledge']>['sensitive']>

/** The same people, each with the secrets of one of the client's people who are most like them in all that is known, the label too. */
function redrawn(table: Table, sensitive: Sensitive, rng: Rng): Table | undefined {
  const { columns, features } = table
  const labels = table.labels!
  const secret = new Set(sensitive.flatMap((one) => one.columns.map((name) => columns.indexOf(name))))
  const open = features.data.map((x, i) => (secret.has(i % features.cols) ? Number.NaN : x))
  const found = supposedRecords(
    {
      records: { columns, features: matrix(features.rows, features.cols, open) },
      'records.label': labels,
      sensitive,
      auxiliary: { columns, features },
      'auxiliary.label': labels,
    },
    1,
    rng,
  )
  return found === undefined ? undefined : { ...table, features: found.guesses[0]!.features }
}

/** What the client would have sent in each of its turns. */
async function turnsOver(
  view: View<'model' | 'loss' | 'protocol' | 'exchanges'>,
  { features, labels }: Table,
  rng: Rng,
): Promise<ReadonlyMap<number, Update>> {
  const short = await sentShort(view.exchanges)
  const player = replayer(view, view.protocol, short ? { precision: 'f32' } : {})
  try {
    const records = player.hold({ features, labels: labels! })
    const played = new Map<number, Update>()
    for (const round of view.exchanges.rounds) {
      const exchange = await view.exchanges.read(round)
      const update = playedOver(player, exchange, { records, recipe: view.protocol, rng: rng.fork(round) })
      played.set(round, short ? rounded(update) : update)
    }
    return played
  } finally {
    player.release()
  }
}

interface Playing {
  readonly records: Parameters<Replay['play']>[0]['records']
  readonly recipe: Recipe
  readonly rng: Rng
}

function playedOver(player: Replay, { received, update, learningRate }: Exchange, playing: Playing): Update {
  if (received === undefined) throw new Inapplicable(['globals'], 'a turn lacks the model that was sent')
  const { records, recipe, rng } = playing
  const change = player.play({ theta: received, records, learningRate: learningRate ?? recipe.learningRate, rng })
  if (update.kind === 'gradient') return { kind: 'gradient', grad: change.map((v) => -v) }
  if (update.kind === 'delta') return { kind: 'delta', dTheta: change }
  return { kind: 'parameters', theta: received.map((v, j) => v + change[j]!) }
}

const valuesOf = (update: Update): Float64Array =>
  update.kind === 'gradient' ? update.grad : update.kind === 'delta' ? update.dTheta : update.theta

/** Whether messages came as floats of 32 bits or fewer. */
async function sentShort(exchanges: Series<Exchange>): Promise<boolean> {
  const first = exchanges.rounds[0]
  return first !== undefined && precisionOf(valuesOf((await exchanges.read(first)).update)).name !== 'f64'
}

function rounded(update: Update): Update {
  if (update.kind === 'gradient') return { kind: 'gradient', grad: update.grad.map(Math.fround) }
  if (update.kind === 'delta') return { kind: 'delta', dTheta: update.dTheta.map(Math.fround) }
  return { kind: 'parameters', theta: update.theta.map(Math.fround) }
}

/** The transcript with other messages of one client. Sums and later models stay as they were: they were really sent. */
const replaced = (transcript: Transcript, client: string, played: ReadonlyMap<number, Update>): Transcript => ({
  ...transcript,
  async readRound(round, options) {
    const heard = await transcript.readRound(round, options)
    const update = played.get(round)
    if (update === undefined || !heard.clients.has(client)) return heard
    return { ...heard, clients: new Map([...heard.clients, [client, update]]) }
  },
})
