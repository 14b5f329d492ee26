/** What a local rule is: from its parameters to the plan that a client's turn follows. */
import type { papers } from '../../papers.js'
import { choice, number, type Params, type ValuesOf, whole } from '../../params.js'
import type { Entry } from '../../registry.js'

export type Share = 'parameters' | 'delta' | 'gradient'
export type Shuffle = 'epoch' | 'round' | 'never'

/** One client's turn, every choice made. Either epochs or steps count; the other is null. */
export interface LocalPlan {
  readonly learningRate: number
  readonly localEpochs: number | null
  readonly localSteps: number | null
  /** null: all records in one batch. */
  readonly batchSize: number | null
  /** When the records are put into a new order: for every epoch, for every turn, never. */
  readonly shuffle: Shuffle
  /** Its velocity is zero at the beginning of a turn. */
  readonly momentum: number
  readonly proxMu: number
}

export interface LocalRule<P extends Params = Params> extends Entry<P> {
  readonly paper: keyof typeof papers
  /** What clients may return. */
  readonly shares: readonly Share[]
  plan(values: ValuesOf<P>): LocalPlan
}

export const defineLocalRule = <const I extends string, const P extends Params>(
  rule: LocalRule<P> & { readonly id: I },
): LocalRule<P> & { readonly id: I } => rule

export const learningRate = number({ default: 0.1, min: 0, doc: 'step size of local SGD' })

/** The parameters of a turn of several steps. */
export const severalSteps = {
  learningRate,
  localEpochs: whole({ default: 1, min: 1, doc: "passes over the client's records in a turn" }),
  localSteps: whole({ default: 0, min: 0, doc: 'steps in a turn; 0: counted in epochs' }),
  batchSize: whole({ default: 0, min: 0, doc: 'records in a batch; 0: all of them' }),
  shuffle: choice({ default: 'epoch', choices: ['epoch', 'round', 'never'], doc: 'how often records are reordered' }),
  momentum: number({ default: 0, min: 0, max: 0.9999, doc: 'weight of the previous step, forgotten between turns' }),
} as const

export function planOf(values: ValuesOf<typeof severalSteps>): LocalPlan {
  const { learningRate: eta, localEpochs, localSteps, batchSize, shuffle, momentum } = values
  return {
    learningRate: eta,
    localEpochs: localSteps > 0 ? null : localEpochs,
    localSteps: localSteps > 0 ? localSteps : null,
    batchSize: batchSize > 0 ? batchSize : null,
    shuffle,
    momentum,
    proxMu: 0,
  }
}
