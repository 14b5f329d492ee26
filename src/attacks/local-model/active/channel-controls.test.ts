import { describe, expect, test } from 'vitest'
import { channelTo, linearFederation, seriesOf, truthOf, viewOf } from '../../../../test/linear-federation.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Channel, Exchange } from '../../../threat/granted-keys.js'
import type { ActiveView } from './active-line.js'
import { permutedChannel, plantedChannel, plantedHalfway } from './channel-controls.js'

const world = linearFederation({ d: 4, clients: 3, rounds: 3 })
const truth = truthOf(world)
const { optimum } = world
const passed: number[] = []
const line = (): Channel => Object.assign(channelTo(world), { pass: (rounds: number) => void passed.push(rounds) })
const viewWith = (rounds: number, more: object = {}): ActiveView => ({
  ...viewOf(world, rounds),
  tampered: [],
  ...more,
})
const thetaOf = ({ update }: Exchange): number[] => Array.from((update as { theta: Float64Array }).theta)
const sent = Float64Array.of(4, -2, 1, 0.5)

describe('a client that leaks', () => {
  test('goes all the way, in what was heard, on the line, and on a line opened anew', async () => {
    const { view } = await plantedChannel({ view: viewWith(2), truth })
    for (const round of view.exchanges.rounds)
      expect(thetaOf(await view.exchanges.read(round))).toEqual(Array.from(optimum))
    expect(Array.from(await view.channel!('0', sent))).toEqual(Array.from(optimum))
    expect(Array.from(await view.channel!.restart!()('0', sent))).toEqual(Array.from(optimum))
    expect(() => view.channel!.pass!(3)).not.toThrow()
  })

  test('or half the way, from wherever it was', async () => {
    const { view } = await plantedHalfway({ view: viewWith(2), truth })
    const half = (from: ArrayLike<number>) => Array.from(from, (x, j) => x + 0.5 * (optimum[j]! - x))
    for (const round of view.exchanges.rounds) {
      const one = await view.exchanges.read(round)
      expect(thetaOf(one)).toEqual(half(one.received!))
    }
    expect(Array.from(await view.channel!('0', sent))).toEqual(half(sent))
    expect(Array.from(await view.channel!.restart!()('0', sent))).toEqual(half(sent))
  })
})

describe('coordinates in another order', () => {
  const order = rng(7).permutation(4)
  const permuted = (x: ArrayLike<number>) => Array.from(order, (j) => x[j]!)

  test('in one round that was heard, on the line and in the global models', async () => {
    const globals = { rounds: [5], read: async () => sent }
    const { view } = await permutedChannel({ view: viewWith(1, { channel: line(), globals }), rng: rng(7) })
    expect([...order]).not.toEqual([0, 1, 2, 3])
    const [before, after] = [world.exchanges[0]!, await view.exchanges.read(view.exchanges.rounds[0]!)]
    expect(Array.from(after.received!)).toEqual(permuted(before.received!))
    expect(thetaOf(after)).toEqual(permuted(thetaOf(before)))
    expect(view.globals!.rounds).toEqual([5])
    expect(Array.from(await view.globals!.read(5))).toEqual(permuted(sent))
    const answer = permuted(await line()('0', sent))
    const asked = Float64Array.from(permuted(sent))
    expect(Array.from(await view.channel!('0', asked))).toEqual(answer)
    expect(Array.from(await view.channel!.restart!()('0', asked))).toEqual(answer)
    view.channel!.pass!(6)
    expect(passed).toEqual([6])
  })

  test('of a recording alone there is no line and no model; of turns without a model, nothing to order', async () => {
    const { view } = await permutedChannel({ view: viewWith(2), rng: rng(7) })
    expect(Object.keys(view).sort()).toEqual(Object.keys(viewWith(2)).sort())
    const bare = seriesOf(world.exchanges.map(({ received: _, ...one }) => one as Exchange))
    const asked: number[] = []
    const draws = { permutation: (n: number) => new Int32Array(asked.push(n) - 1) }
    await permutedChannel({ view: viewWith(2, { exchanges: bare }), rng: draws as never })
    expect(asked).toEqual([0])
  })
})
