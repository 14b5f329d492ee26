/** Controls for attacks that reconstruct a model from a client's turns. */
import { OverhearError } from '../../errors.js'
import type { Exchange, Series, View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlWorld } from '../attack.js'
import { turnOf } from './target-turns.js'

type Turns = View<'exchanges' | 'target'>

/** A series with another reading of each round. */
export function mapped(exchanges: Series<Exchange>, change: (exchange: Exchange) => Exchange): Series<Exchange> {
  return { rounds: exchanges.rounds, read: async (round) => change(await exchanges.read(round)) }
}

/** What a client shares when it returns `returned`. */
export function returning(exchange: Exchange, returned: Float64Array): Exchange {
  const { theta, learningRate } = turnOf(exchange)
  switch (exchange.update.kind) {
    case 'parameters':
      return { ...exchange, update: { kind: 'parameters', theta: returned } }
    case 'delta':
      return { ...exchange, update: { kind: 'delta', dTheta: returned.map((v, j) => v - theta[j]!) } }
    case 'gradient':
      return {
        ...exchange,
        update: { kind: 'gradient', grad: returned.map((v, j) => (theta[j]! - v) / learningRate!) },
      }
  }
}

/** The client goes all the way: each turn ends at its true optimum. */
export async function plantedTurns<V extends Turns>({
  view,
  truth,
}: {
  readonly view: V
  readonly truth: Truth
}): Promise<ControlWorld<V>> {
  const optimum = await optimumOf(truth, view.target)
  return { view: { ...view, exchanges: mapped(view.exchanges, (exchange) => returning(exchange, optimum)) } }
}

export async function optimumOf(truth: Truth, client: string): Promise<Float64Array> {
  const optimum = await truth.optimum(client)
  if (optimum === undefined) throw new OverhearError('E_INPUT', `the truth holds no optimum of client "${client}"`)
  return optimum
}

/** The same messages with their coordinates in another order, one order for all. */
export async function permutedTurns<V extends Turns>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: { permutation(n: number): Int32Array }
}): Promise<ControlWorld<V>> {
  let order: Int32Array | undefined
  const permuted = (values: Float64Array): Float64Array => {
    order ??= rng.permutation(values.length)
    return Float64Array.from(order, (j) => values[j]!)
  }
  const change = ({ received, update, ...rest }: Exchange): Exchange => ({
    ...rest,
    received: received && permuted(received),
    update:
      update.kind === 'parameters'
        ? { kind: 'parameters', theta: permuted(update.theta) }
        : update.kind === 'delta'
          ? { kind: 'delta', dTheta: permuted(update.dTheta) }
          : { kind: 'gradient', grad: permuted(update.grad) },
  })
  return { view: { ...view, exchanges: mapped(view.exchanges, change) } }
}
