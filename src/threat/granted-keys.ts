/** Everything an observer could be granted, by key; the truth has no key here. */
import type { Matrix } from '../numeric/linalg/matrix.js'
import type { Sensitive, TurnWindow } from '../transcript/knowledge-file.js'
import type { Manifest, ModelManifest, ParameterShape, Protocol } from '../transcript/manifest.js'
import type { Clients } from '../transcript/round-list.js'
import type { Update } from '../transcript/round-messages.js'

/** Something per round, read from the recording only when asked for. */
export interface Series<T> {
  /** The rounds that can be read, rising. */
  readonly rounds: readonly number[]
  read(round: number): Promise<T>
}

/** One turn of the target: what it received and what it returned. */
export interface Exchange {
  readonly round: number
  /** The model it was sent; undefined when the recording lacks it. */
  readonly received: Float64Array | undefined
  readonly update: Update
  readonly learningRate: number | null
}

/** What a sum reveals: sum_i A_ri w_i (theta_i - theta). */
export interface Aggregate {
  readonly round: number
  readonly dThetaSum: Float64Array
  /** Formed from other messages, not heard as such. */
  readonly derived: boolean
}

export interface Participation {
  readonly round: number
  readonly participants: readonly string[]
  readonly dropped: readonly string[]
}

export interface EncodedRecords {
  readonly columns: readonly string[]
  readonly features: Matrix
}

/** A line into a live federation: sends a model to a client and returns the model that comes back, one round each. */
export interface Channel {
  (client: string, theta: Float64Array): Promise<Float64Array>
  /** The same world from where this line began: what tuning by trials needs and a real server does not have. */
  restart?(): Channel
  /** Lets so many rounds pass in which the client is sent the honest model, like everybody. */
  pass?(rounds: number): void
}

export interface Knowledge {
  // Public by design.
  readonly model: ModelManifest
  readonly loss: Manifest['loss']
  readonly parameters: readonly ParameterShape[]
  readonly protocol: Protocol
  readonly learningRate: number
  /** Records in the attacked update. */
  readonly batchSize: number
  // Whom and when the attack looks at.
  readonly target: string
  readonly round: number
  // Heard.
  readonly exchanges: Series<Exchange>
  readonly updates: Series<ReadonlyMap<string, Update>>
  readonly globals: Series<Float64Array>
  readonly aggregates: Series<Aggregate>
  readonly participation: readonly Participation[]
  /** Records that the target holds. */
  readonly samples: number
  readonly sampleCounts: Clients
  /** Who was sent something other than the global model. */
  readonly tampered: readonly { readonly round: number; readonly clients: readonly string[] }[]
  readonly channel: Channel
  // Brought along.
  readonly records: EncodedRecords
  readonly 'records.label': Float64Array
  readonly sensitive: readonly Sensitive[]
  readonly auxiliary: EncodedRecords
  readonly 'auxiliary.label': Float64Array
  readonly 'auxiliary.metaclass': Float64Array
  readonly metaclasses: readonly string[]
  readonly metaclassCounts: readonly number[]
  readonly candidates: EncodedRecords
  readonly 'candidates.label': Float64Array
  readonly property: { readonly name: string; readonly record?: number }
  /** How often each client took part in windows of rounds. */
  readonly turnCounts: readonly TurnWindow[]
}

export type Grant = keyof Knowledge

/** What an attack sees: exactly the keys it was granted. */
export type View<G extends Grant> = { readonly [K in G]: Knowledge[K] }
