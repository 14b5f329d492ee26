/** What crosses between an audit and the process that a plug-in's attack is confined to: plain data, whatever is in it. */

/** An attack as its plug-in describes it. */
export interface DescribedAttack {
  readonly id: string
  readonly title: string
  readonly [key: string]: unknown
  /** Why there is none; null: there is one. */
  readonly plant: string | null
  readonly shuffle: string | null
}

/** A plug-in whose code was loaded where it can do nothing. */
export interface DescribedPlugin {
  readonly name: string
  readonly attacks: readonly DescribedAttack[]
  /** Lists besides the attacks that are not empty. */
  readonly others: readonly string[]
}

/** A view whose functions stay where they are. */
export interface CarriedView {
  readonly plain: Readonly<Record<string, unknown>>
  /** Rounds of each series. */
  readonly series: Readonly<Record<string, readonly number[]>>
  /** What a line into a live federation can do, where there is one. */
  readonly channel?: { readonly restart: boolean; readonly pass: boolean }
}

/** A truth whose tables are asked for one by one. */
export interface CarriedTruth {
  readonly warnings: readonly string[]
  readonly batches: readonly { readonly round: number; readonly client: string; readonly rows: readonly number[] }[]
  readonly properties: Readonly<Record<string, readonly string[]>>
  readonly protocol?: Readonly<Record<string, unknown>> | undefined
}

interface World {
  readonly attack: string
  readonly params: Readonly<Record<string, unknown>>
  /** The address of its stream. */
  readonly rng: Uint32Array
}

/** What the process is asked to do, one thing after the other. */
export type Task =
  | { readonly do: 'load'; readonly files: readonly string[] }
  | (World & { readonly do: 'plant' | 'shuffle'; readonly view: CarriedView; readonly truth?: CarriedTruth })
  /** Without a view: in the world that was planted. */
  | (World & { readonly do: 'run'; readonly view?: CarriedView })

export type ToProcess =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string }

export interface CarriedError {
  readonly code: string
  readonly message: string
  /** What an inapplicable control lacks. */
  readonly missing?: readonly string[]
}

export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly id: number; readonly to: string; readonly given: readonly unknown[] }
  | { readonly kind: 'tick'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: CarriedError }

/** The text of a module, and where it lies. */
export interface ModuleText {
  readonly url: string
  readonly text: string
}
