import { expect, test } from 'vitest'
import { carryTruth, carryView, unpackContext, unpackTruth, unpackView } from './confined-view.js'

/** Both sides, as if nothing lay between them. */
function through(view: object) {
  const { carried, answers } = carryView(view as never)
  const asked: unknown[][] = []
  const ask = async (to: string, ...given: readonly unknown[]) => {
    asked.push([to, ...given])
    return answers[to]!(...(given as never[])) as never
  }
  return {
    carried,
    answers,
    asked,
    inside: unpackView(structuredClone(carried), ask) as never as Record<string, never>,
  }
}

test('what is plain is sent, what is read is asked for, and functions stay', async () => {
  const updates = { rounds: [0, 4], read: async (round: number) => ({ round }), more: 1 }
  const { carried, inside, asked } = through({ target: 'a', none: null, exchanges: updates, call: () => 1 })
  expect(carried).toEqual({ plain: { target: 'a', none: null }, series: { exchanges: [0, 4] } })
  const { exchanges, target } = inside as never as { exchanges: typeof updates; target: string }
  expect([target, exchanges.rounds, await exchanges.read(4)]).toEqual(['a', [0, 4], { round: 4 }])
  expect(asked).toEqual([['view.exchanges', 4]])
  expect([Object.isFrozen(inside), Object.isFrozen(exchanges), Object.isFrozen(exchanges.rounds)]).toEqual(Array(3).fill(true)) // biome-ignore format: a line
  expect('channel' in inside).toBe(false)
})

test('lines are begun again, and know what they may do', async () => {
  const log: unknown[] = []
  const make = (name: string): never =>
    Object.assign(async (client: string) => `${name} to ${client}`, {
      restart: () => make(`${name}'`),
      pass: (rounds: number) => void log.push([name, rounds]),
    }) as never
  const { carried, inside } = through({ channel: make('line') })
  expect(carried.channel).toEqual({ restart: true, pass: true })
  type Line = ((client: string) => Promise<string>) & { restart(): Line; pass(rounds: number): void }
  const channel = inside.channel as never as Line
  const second = channel.restart()
  const third = second.restart()
  expect(await Promise.all([channel('a'), second('b'), third('c')])).toEqual(['line to a', "line' to b", "line'' to c"])
  channel.pass(3)
  second.pass(2)
  expect(log).toEqual([['line', 3], ["line'", 2]]) // biome-ignore format: a list
  const bare = through({ channel: async () => 'x' })
  expect(bare.carried.channel).toEqual({ restart: false, pass: false })
  expect([(bare.inside.channel as never as Line).restart, (bare.inside.channel as never as Line).pass]).toEqual([
    undefined,
    undefined,
  ])
})

test('a truth is listed, and what is large is asked for', async () => {
  const truth = {
    warnings: ['w'],
    protocol: { p: 1 },
    client: async (id: string, names?: string[]) => ({ id, names }),
    optimum: async (id: string) => id.length,
    listed: () => ({ batches: [{ round: 1, client: 'a', rows: [4, 5] }], properties: { late: ['b'] } }),
  }
  const { carried, answers } = carryTruth(truth as never)
  const inside = unpackTruth(carried, async (to, ...given) => answers[to]!(...(given as never[])) as never)
  expect(inside.warnings).toEqual(['w'])
  expect(inside.protocol).toEqual({ p: 1 })
  expect(inside.batch({ round: 1, client: 'a' })).toEqual([4, 5])
  expect(inside.batch({ round: 2, client: 'a' })).toBeUndefined()
  expect([inside.property('late'), inside.property('toString')]).toEqual([['b'], undefined])
  expect(await inside.client('a', ['x'] as never)).toEqual({ id: 'a', names: ['x'] })
  expect(await inside.optimum('abc')).toBe(3)
  const { carried: none } = carryTruth({ warnings: [], client: truth.client, optimum: truth.optimum } as never)
  expect(none).toEqual({ warnings: [], batches: [], properties: {} })
  const asked: unknown[] = []
  const context = unpackContext({ params: { a: 1 } } as never, async (...all) => void asked.push(all) as never)
  await context.claimOf!('id', { b: 2 })
  expect([context.params, asked]).toEqual([{ a: 1 }, [['claimOf', 'id', { b: 2 }]]])
})
