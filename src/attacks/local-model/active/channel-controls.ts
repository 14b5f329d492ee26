/** Controls for attacks that talk to a client. */
import type { Rng } from '../../../numeric/random/rng.js'
import type { Channel } from '../../../threat/granted-keys.js'
import type { Truth } from '../../../transcript/truth-file.js'
import type { ControlWorld } from '../../attack.js'
import { turnOf } from '../../shared/target-turns.js'
import { mapped, optimumOf, permutedTurns, plantedTurns, returning } from '../../shared/turn-controls.js'
import type { ActiveView } from './active-line.js'

/** The client goes all the way to its optimum, in the turns that were heard and whatever it is sent. */
export async function plantedChannel<V extends ActiveView>(input: { view: V; truth: Truth }): Promise<ControlWorld<V>> {
  const optimum = await optimumOf(input.truth, input.view.target)
  const open = (): Channel => Object.assign(async () => optimum.slice(), { restart: open, pass: () => {} })
  const { view } = await plantedTurns(input)
  return { view: { ...view, channel: open() } }
}

/** The client goes half the way to its optimum, in the turns that were heard and from whatever it is sent. */
export async function plantedHalfway<V extends ActiveView>(input: { view: V; truth: Truth }): Promise<ControlWorld<V>> {
  const { view, truth } = input
  const optimum = await optimumOf(truth, view.target)
  const halfway = (theta: Float64Array): Float64Array => theta.map((x, j) => x + 0.5 * (optimum[j]! - x))
  const open = (): Channel =>
    Object.assign(async (_: string, theta: Float64Array) => halfway(theta), { restart: open, pass: () => {} })
  const exchanges = mapped(view.exchanges, (one) => returning(one, halfway(turnOf(one).theta)))
  return { view: { ...view, exchanges, channel: open() } }
}

/** The same client with its coordinates in another order, in what was heard and on the line. */
export async function permutedChannel<V extends ActiveView>({
  view,
  rng,
}: {
  view: V
  rng: Rng
}): Promise<ControlWorld<V>> {
  const { exchanges, channel, globals } = view
  const first = await exchanges.read(exchanges.rounds[0]!)
  const d = first.received?.length ?? 0
  const order = rng.permutation(d)
  const permuted = (x: Float64Array): Float64Array => Float64Array.from(order, (j) => x[j]!)
  const restored = (x: Float64Array): Float64Array => {
    const back = new Float64Array(d)
    order.forEach((j, i) => {
      back[j] = x[i]!
    })
    return back
  }
  const wrapped = (line: Channel): Channel =>
    Object.assign(async (client: string, theta: Float64Array) => permuted(await line(client, restored(theta))), {
      ...(line.restart && { restart: () => wrapped(line.restart!()) }),
      ...(line.pass && { pass: (rounds: number) => line.pass!(rounds) }),
    })
  const turns = await permutedTurns({ view, rng: { permutation: () => order } })
  return {
    view: {
      ...turns.view,
      ...(channel && { channel: wrapped(channel) }),
      ...(globals && {
        globals: { rounds: globals.rounds, read: async (t: number) => permuted(await globals.read(t)) },
      }),
    },
  }
}
