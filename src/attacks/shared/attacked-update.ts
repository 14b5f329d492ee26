/** The one update that a label attack looks at, read as the mean gradient of the loss over its records. */
import { OverhearError } from '../../errors.js'
import { firstNonFinite } from '../../numeric/linalg/vector.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'
import { updateSize } from './update-size.js'

export const updateNeeds = ['exchanges', 'target', 'round', 'protocol', 'batchSize'] as const
export const updateUses = ['samples'] as const
export type UpdateView = View<(typeof updateNeeds)[number]> & Partial<View<(typeof updateUses)[number]>>

export interface AttackedUpdate {
  readonly round: number
  /** Of the loss without its scale; only its direction holds when `unit` is null. */
  readonly grad: Float64Array
  /** The model it was computed at; undefined when the recording lacks it. */
  readonly theta: Float64Array | undefined
  /** Records in the update, K. */
  readonly recordCount: number
  /** null: it cannot be told. */
  readonly localSteps: number | null
  /** What was heard is this times `grad` (with the sign of a descent, unless a gradient was shared). */
  readonly unit: number | null
  readonly warnings: readonly string[]
}

/** With `size: 'any'` an update whose learning rate or number of steps is unknown is read up to its length. */
export async function attackedUpdate(view: UpdateView, options: { readonly size: 'known' | 'any' }) {
  const { protocol, round } = view
  const exchange = await view.exchanges.read(round)
  const shared = exchange.update.kind === 'gradient'
  const { records, steps } = updateSize(view, exchange.update.kind)
  if (steps === 0) throw new Inapplicable(['a local step'], 'the target takes no step in a turn')
  const localSteps = steps ?? null
  const factor = shared ? 1 : times(exchange.learningRate, localSteps)
  if (factor === null && options.size === 'known') {
    const missing = exchange.learningRate === null ? 'learningRate' : protocolGap(view)
    throw new Inapplicable([missing], 'the size of the gradient cannot be told from what was shared')
  }
  const unit = factor === null ? null : factor * protocol.lossScale
  const heard = descentOf(exchange)
  requireFinite(heard, `the update of round ${round}`)
  if (exchange.received !== undefined) requireFinite(exchange.received, `the model sent in round ${round}`)
  const update: AttackedUpdate = {
    round,
    theta: exchange.received,
    recordCount: records!,
    localSteps,
    unit,
    grad: heard.map((v) => v / (unit ?? 1)),
    warnings: warningsFor(view, localSteps),
  }
  return update
}

function requireFinite(values: Float64Array, what: string): void {
  const bad = firstNonFinite(values)
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `${what} holds ${values[bad]} at ${bad}`)
}

const times = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b)

/** What was descended: eta times the sum of the gradients of the steps, or the gradient itself. */
function descentOf({ received, update, round }: Exchange): Float64Array {
  if (update.kind === 'gradient') return update.grad
  if (update.kind === 'delta') return update.dTheta.map((v) => -v)
  if (received === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
  if (received.length !== update.theta.length) {
    const found = `round ${round}: a model of ${received.length} values was sent, one of ${update.theta.length} returned`
    throw new OverhearError('E_SHAPE', found)
  }
  return update.theta.map((v, j) => received[j]! - v)
}

/** The same message with another gradient inside. */
export function carrying(exchange: Exchange, heard: Float64Array, received = exchange.received): Exchange {
  switch (exchange.update.kind) {
    case 'gradient':
      return { ...exchange, received, update: { kind: 'gradient', grad: heard } }
    case 'delta':
      return { ...exchange, received, update: { kind: 'delta', dTheta: heard.map((v) => -v) } }
    case 'parameters':
      return { ...exchange, received, update: { kind: 'parameters', theta: heard.map((v, j) => received![j]! - v) } }
  }
}

function protocolGap({ protocol }: UpdateView): string {
  return protocol.localSteps === null && protocol.localEpochs === null ? 'protocol.localEpochs' : 'samples'
}

function warningsFor({ protocol }: UpdateView, localSteps: number | null): string[] {
  const warnings: string[] = []
  if (localSteps === null || localSteps > 1) {
    warnings.push(`${localSteps ?? 'an unknown number of'} local steps are read as one, at the model that was sent`)
    if (protocol.momentum !== 0 || protocol.proxMu !== 0) warnings.push('momentum or a proximal term bends these steps')
  }
  if (protocol.differentialPrivacy !== null) {
    warnings.push(`${protocol.differentialPrivacy.mechanism} changed the update: its size and signs carry noise`)
  }
  if (protocol.mixup) warnings.push('the update is that of mixtures of records: labels are read of these')
  return warnings
}
