import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { type AdviseEvent, type Attempted, type Attempts, asItIs, attempt, idOf, noAttempts } from './attempts.js'
import { confirm } from './confirm.js'
import type { Tried } from './tried.js'
import type { Change } from './what-if.js'

const scenario = readScenario({ data: { name: 'cps-wages' }, models: [{ kind: 'linear' }] })
const misfit = (id: string, error: Error = new OverhearError('E_VALUE', `${id} does not fit`)): Change => ({
  ...{ id, words: id },
  apply: () => {
    throw error
  },
})
const earlier = (seconds: number, repeats: number) => ({ seconds, repeats }) as Tried

/** At this time of the clock; nothing is ever trained. */
async function tries(
  state: Attempts,
  one: Partial<Attempted>,
  { now = 0, aborted = false, setup = new OverhearError('E_INPUT', 'no world') as Error } = {},
) {
  const events: AdviseEvent[] = []
  const found = await attempt(
    state,
    { changes: [misfit('a')], repeats: 3, until: 1000, ...one },
    {
      ...{ scenario, target: 0.05, signal: aborted ? AbortSignal.abort() : new AbortController().signal },
      ports: { portsFor: () => memoryPorts(), now: () => now },
      setupOf: () => Promise.reject(setup),
      emit: (event) => events.push(event),
    },
  )
  expect(found).toBeUndefined()
  return events
}

test('a variant is called by its changes', () => {
  expect([idOf([]), idOf([misfit('a')]), idOf([misfit('a'), misfit('b')])]).toEqual([asItIs, 'a', 'a+b'])
})

describe('a variant', () => {
  test('that cannot be trained is refused, with the reason, and the rest goes on', async () => {
    const state = noAttempts(5)
    expect(await tries(state, {})).toEqual([
      { kind: 'trying', id: 'a', number: 1, total: 5 },
      { kind: 'refused', id: 'a', why: 'a does not fit' },
    ])
    expect(await tries(state, { changes: [misfit('b'), misfit('c')] })).toMatchObject([
      { id: 'b+c', number: 2 },
      { why: 'b does not fit' },
    ])
    expect(state).toMatchObject({ begun: 2, missed: 0, trained: { trainings: 0, millis: 0 } })
    expect(state.refused.map(({ id }) => id)).toEqual(['a', 'b+c'])
    // More than were planned: the last is the last of all.
    const late = noAttempts(0)
    expect((await tries(late, {}))[0]).toMatchObject({ number: 1, total: 1 })
  })

  test('ends the search where something else goes wrong, or where the scenario itself cannot be trained', async () => {
    const stopped = new OverhearError('E_INTERRUPTED', 'stopped')
    await expect(tries(noAttempts(1), { changes: [misfit('a', stopped)] })).rejects.toBe(stopped)
    const fault = new TypeError('a fault')
    await expect(tries(noAttempts(1), { changes: [misfit('a', fault)] })).rejects.toBe(fault)
    await expect(tries(noAttempts(1), { changes: [] })).rejects.toThrow('no world')
  })

  test('is passed over where the others say that there is no time for it', async () => {
    // Ten trainings took five seconds: three take one and a half.
    const state = (): Attempts => ({ ...noAttempts(5), trained: { trainings: 10, millis: 5000 } })
    const passed = async (one: Partial<Attempted>, now = 0, from = state()) => {
      const events = await tries(from, one, { now })
      expect(events.length === 0).toBe(from.missed === 1)
      expect(from.begun).toBe(1 - from.missed)
      return from.missed === 1
    }
    expect(await passed({ until: 1500 })).toBe(false)
    expect(await passed({ until: 1499 })).toBe(true)
    expect(await passed({ until: 1500 }, 1)).toBe(true)
    expect(await passed({ until: 0 }, 5, noAttempts(5))).toBe(false) // nothing is known yet
    const known = state()
    known.latest.set('a', earlier(2, 4)) // half a second each, as the others
    expect(await passed({ until: 1500 }, 0, known)).toBe(false)
    const slow = state()
    slow.latest.set('a', earlier(2, 2)) // a second each
    expect(await passed({ until: 2999 }, 0, slow)).toBe(true)
    const quick = state()
    quick.latest.set('a', earlier(2, 2))
    quick.confirmed.set('a', earlier(1, 10)) // a tenth: the later audit counts
    expect(await passed({ until: 300 }, 0, quick)).toBe(false)
  })

  test('is passed over once somebody has stopped the search', async () => {
    const state = noAttempts(5)
    expect(await tries(state, {}, { aborted: true })).toEqual([])
    expect([state.missed, state.begun]).toEqual([1, 0])
  })
})

describe('the finalists', () => {
  const one = (id: string, size: number, more: Partial<Tried> = {}): Tried =>
    ({ id, worst: { size }, rungs: [], open: [], useLost: 0, changes: [], cost: {}, repeats: 3, seconds: 1, sure: 0, ...more }) as unknown as Tried // biome-ignore format: a line
  async function finalists(...all: Tried[]) {
    const state = noAttempts(9)
    for (const tried of all) state.latest.set(tried.id, tried)
    const looked: string[] = []
    const variants = [[], ...all.filter(({ id }) => id !== asItIs).map(({ id }) => [misfit(id)])]
    const found = await confirm(state, variants, {
      ...{ scenario, target: 0.05, repeats: 10, until: 1e9 },
      ports: { portsFor: () => memoryPorts(), now: () => 0 },
      setupOf: () => Promise.reject(new OverhearError('E_INPUT', 'no world')),
      emit: (event) => event.kind === 'trying' && looked.push(event.id),
    })
    expect(found).toBeNull()
    return looked
  }

  test('are the four safest, the safest first', async () => {
    const all = [0.4, 0.1, 0.3, 0.2, 0.5].map((size) => one(`s${size}`, size))
    expect(await finalists(...all)).toEqual(['s0.1', 's0.2', 's0.3', 's0.4'])
    expect(await finalists()).toEqual([])
  })

  test('have the scenario as it is among them only where it keeps to the target', async () => {
    expect(await finalists(one(asItIs, 0.06), one('a', 0.5))).toEqual(['a'])
    await expect(finalists(one(asItIs, 0.05), one('a', 0.5))).rejects.toThrow('no world')
  })
})
