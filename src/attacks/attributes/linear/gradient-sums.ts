/** What a turn says about the sum of the client's per-record gradients, and where on its path they are taken. */
import { OverhearError } from '../../../errors.js'
import type { Exchange, View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { stepsOf } from '../../shared/replayed-turn.js'
import { isExact, travelled } from './played/plain-steps.js'

export interface LinearRound {
  readonly round: number
  /** The model that was received. */
  readonly theta: Float64Array
  /** The learning rate as far as it is known, else 1. */
  readonly rate: number
  /** How long a turn is beside one of plain steps: 1 unless steps were clipped. */
  readonly gain?: number
  /** What weight decay has added to `mean`, and was taken off again. */
  readonly decay?: Float64Array
  /** Where per-record gradients are taken. */
  readonly at: Float64Array
  /** An estimate of the mean over the client's records of their gradients there; off by a factor when the rate is unknown. */
  readonly mean: Float64Array
  /** By coordinate: how far rounding may have moved `mean`, by what the numbers of the message show of their precision. */
  readonly rounding: Float64Array
}

export interface RoundsOptions {
  /** Records the client trains on. */
  readonly samples: number
  /** The learning rate to believe instead of the stated one. */
  readonly rate?: number | undefined
}

export interface LinearRounds {
  readonly rounds: readonly LinearRound[]
  /** Steps of a turn. */
  readonly steps: number
  /** Each message is one step on all records: the relation is an identity, not an approximation. */
  readonly exact: boolean
  /** False when `mean` is known up to a factor alone. */
  readonly rateKnown: boolean
  /** Messages left out because an earlier one says the same, to the bit. */
  readonly repeated: number
}

export async function linearRounds(
  { exchanges, protocol }: View<'exchanges' | 'protocol'>,
  { samples, rate }: RoundsOptions,
): Promise<LinearRounds> {
  const shared = protocol.share === 'gradient'
  const { steps } = stepsOf(protocol, samples)
  if (steps < 1) throw new Inapplicable(['local steps'], 'a turn without a step carries nothing')
  const whole = protocol.batchSize === null || protocol.batchSize >= samples
  const exact = steps === 1 && whole && isExact(protocol)
  const read: Exchange[] = []
  for (const round of exchanges.rounds) {
    const one = await exchanges.read(round)
    // A message heard again is no second witness.
    if (!read.some((before) => sameTurn(before, one))) read.push(one)
  }
  const rateOf = ({ learningRate }: Exchange): number | undefined =>
    shared ? 1 : (rate ?? learningRate ?? protocol.learningRate ?? undefined)
  const rateKnown = read.every((one) => rateOf(one) !== undefined)
  const rounds = read.map((exchange): LinearRound => {
    const { received, update, round } = exchange
    if (received === undefined) throw new Inapplicable(['globals'], `round ${round} lacks the model that was sent`)
    const eta = rateOf(exchange) ?? 1
    const by = travelled(eta, steps, protocol)
    const theta = received
    const descent = descentOf(exchange, theta)
    const bad = descent.findIndex((v) => !Number.isFinite(v))
    if (bad >= 0) throw new OverhearError('E_NON_FINITE', `round ${round}: the update holds ${descent[bad]} at ${bad}`)
    // The midpoint of the path: second order in the distance travelled. A single step starts from theta itself.
    const at = steps === 1 || update.kind === 'gradient' ? theta : theta.map((v, j) => v - descent[j]! / 2)
    const rounding = roundingOf(exchange, theta).map((x) => x / by)
    const mean = descent.map((v) => v / by)
    if (!protocol.weightDecay) return { round, theta, rate: eta, at, mean, rounding }
    const decay = at.map((v) => protocol.weightDecay! * v)
    return { round, theta, rate: eta, at, mean: mean.map((v, j) => v - decay[j]!), rounding, decay }
  })
  return { rounds, steps, exact, rateKnown, repeated: exchanges.rounds.length - read.length }
}

/** Rounding of single and of double precision. */
const [single, double] = [1 / 16777216, 1 / 9007199254740992]

/** Half a unit in the last place of the numbers that were exchanged: a file may hold single ones as doubles. */
function roundingOf(exchange: Exchange, theta: Float64Array): Float64Array {
  const sent = sentIn(exchange)
  const isSingle = (numbers: Float64Array): boolean => numbers.every((x) => Math.fround(x) === x)
  const unit = isSingle(sent) ? single : double
  return exchange.update.kind === 'parameters'
    ? sent.map((x, j) => unit * (Math.abs(x) + Math.abs(theta[j]! - x)))
    : sent.map((x) => unit * Math.abs(x))
}

function sameTurn(a: Exchange, b: Exchange): boolean {
  const same = (x: Float64Array | undefined, y: Float64Array | undefined): boolean =>
    x === y || (x !== undefined && y !== undefined && x.length === y.length && x.every((v, j) => v === y[j]))
  return a.update.kind === b.update.kind && same(a.received, b.received) && same(sentIn(a), sentIn(b))
}

function sentIn({ update }: Exchange): Float64Array {
  return update.kind === 'parameters' ? update.theta : update.kind === 'delta' ? update.dTheta : update.grad
}

function descentOf({ update }: Exchange, theta: Float64Array): Float64Array {
  switch (update.kind) {
    case 'parameters':
      return theta.map((v, j) => v - update.theta[j]!)
    case 'delta':
      return update.dTheta.map((v) => -v)
    case 'gradient':
      return update.grad
  }
}
