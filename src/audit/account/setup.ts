/** What is known of a federation before or after it ran, in one form for scenarios and recordings: what is checked and accounted for. */
import type { Privacy } from '../../transcript/manifest.js'

export interface SetupClient {
  readonly id: string
  /** Records that it trains on; null where nobody says. */
  readonly records: number | null
  /** Rounds that it takes part in: recorded, or at most. */
  readonly turns: number
}

export interface Setup {
  readonly from: 'scenario' | 'transcript'
  readonly clients: readonly SetupClient[]
  readonly rounds: number
  /** Who is in the sum of each round; null where it is not known, as before a scenario has run. */
  readonly participants: readonly (readonly string[])[] | null
  readonly privacy: Privacy | null
  readonly secureAggregation: boolean
  readonly batchSize: number | null
  readonly localEpochs: number | null
  readonly localSteps: number | null
  readonly dropLast: boolean
  readonly share: string
  readonly model: { readonly kind: string; readonly parameters: number }
  readonly loss: string
  /** Everything as it was written, for what only some files say. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** The sizes of a client's turn that the number of its steps follows from. */
export type Turns = Pick<Setup, 'batchSize' | 'localEpochs' | 'localSteps' | 'dropLast'>

/** Local steps of one turn over so many records; null where the records are needed and not known. */
export function stepsOfTurn(
  { batchSize, localEpochs, localSteps, dropLast }: Turns,
  records: number | null,
): number | null {
  if (localSteps !== null) return localSteps
  const epochs = localEpochs ?? 1
  if (batchSize === null) return epochs
  if (records === null) return null
  const B = Math.min(batchSize, records)
  return epochs * (dropLast ? Math.floor(records / B) : Math.ceil(records / B))
}

/** Whether every step reads all records. */
export function wholeBatches({ batchSize }: Turns, records: number | null): boolean {
  return batchSize === null || (records !== null && batchSize >= records)
}
