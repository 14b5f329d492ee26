/** How many records an update is of, and of how many local steps: told by the protocol and by what the observer knows. */
import { OverhearError } from '../../errors.js'
import type { View } from '../../threat/granted-keys.js'
import type { Update } from '../../transcript/round-messages.js'

export interface UpdateSize {
  /** K: records that went into it, each counted once however often it was gone through; undefined: not known. */
  readonly records: number | undefined
  /** Local steps; undefined: not known. */
  readonly steps: number | undefined
  /** Records in one of these steps; undefined: not known. */
  readonly recordsPerStep: number | undefined
}

export type SizeView = View<'protocol'> & Partial<View<'batchSize' | 'samples'>>

/**
 * A shared gradient is of one batch, a returned model of all the batches of a turn. A number of records that the observer
 * was told, other than the protocol's batch size, is of the whole update. Nobody sends more than it holds.
 */
export function updateSize(view: SizeView, shared: Update['kind']): UpdateSize {
  const { batchSize: told, samples } = view
  if (told !== undefined && (!Number.isInteger(told) || told < 1)) {
    throw new OverhearError('E_VALUE', `batchSize is ${told}`, 'it is a whole number of at least 1')
  }
  const atMost = (records: number | undefined): number | undefined =>
    records === undefined || samples === undefined ? records : Math.max(1, Math.min(samples, Math.round(records)))
  const own = told !== undefined && told !== view.protocol.batchSize
  if (shared === 'gradient') {
    const records = atMost(told ?? view.protocol.batchSize ?? samples)
    return { records, steps: 1, recordsPerStep: records }
  }
  const B = view.protocol.batchSize
  const recordsPerStep = atMost(B ?? (own ? told : samples))
  return { records: atMost(own ? told : seenIn(view)), steps: stepsOf(view), recordsPerStep }
}

/** Records that a turn goes through: those of all batches, as far as a client has so many. */
function seenIn({ protocol, batchSize: told, samples }: SizeView): number | undefined {
  const { localSteps, localEpochs, batchSize: B } = protocol
  if (B === null) return told ?? samples
  if (localSteps !== null) return Math.max(1, localSteps) * B
  return samples === undefined ? B : (localEpochs ?? 1) * samples
}

/** Steps of one turn: given, or E epochs of the batches that the records make. */
function stepsOf({ protocol, batchSize: K, samples }: SizeView): number | undefined {
  const { localSteps, localEpochs, batchSize: B } = protocol
  if (localSteps !== null) return localSteps
  if (localEpochs === null) return undefined
  // An update that is known to be of fewer records than a batch has room for is of one batch an epoch.
  const batches =
    B === null ? 1 : samples !== undefined ? batchesOf(samples, B, protocol) : K !== undefined && K < B ? 1 : undefined
  return batches === undefined ? undefined : Math.ceil(localEpochs * batches)
}

/** Of an epoch; the last, shorter one is left out where the protocol says so. */
function batchesOf(samples: number, B: number, protocol: SizeView['protocol']): number {
  const { dropLast } = protocol as SizeView['protocol'] & { readonly dropLast?: unknown }
  return dropLast === true && samples >= B ? Math.floor(samples / B) : Math.ceil(samples / B)
}
