import { expect, test } from 'vitest'
import { type SweepEvent, type SweepPlan, sweep } from './sweep.js'

type State = 'done' | 'failed'
interface World {
  readonly batches: readonly (readonly number[])[]
  readonly seeds?: readonly number[]
  readonly states?: Map<string, State>
  readonly score?: boolean
  readonly retryFailed?: boolean
  readonly signal?: object
  /** What becomes of a trial by its value. */
  outcome?(x: number): object
}

/** A sweep over values of x, in batches. */
async function swept({ batches, seeds = [1], states = new Map(), score = false, outcome = () => ({ kind: 'done', result: {}, seconds: 1, worker: 'w' }), ...more }: World) {
  const told: unknown[] = []
  const ran: number[] = []
  let [crews, closed, at] = [0, 0, 0]
  const lines = new Map<string, { result: unknown }>()
  const point = (x: number) => ({ shown: { x }, set: { 'training.rounds': x } })
  const plan = {
    name: 'p',
    base: { data: { name: 'd' }, seed: 0, models: [{ kind: 'linear' }] },
    versions: { overhear: '1', kernels: 'k' },
    filesOf: async () => ({}),
    source: { total: batches.flat().length, next: () => batches[at++]?.map(point), tell: (scores: unknown) => told.push(scores) },
    ...{ seeds, attempts: 2 },
    ...(score && { score: (result: { x: number }) => (result.x < 0 ? null : result.x) }),
  } as unknown as SweepPlan
  const log = {
    state: (id: string) => states.get(id),
    add: async (line: { id: string; result: unknown }) => {
      states.set(line.id, line.result === null ? 'failed' : 'done')
      lines.set(line.id, line)
    },
    read: async (id: string) => lines.get(id),
  }
  const crew = async () => {
    crews++
    return {
      size: 1,
      doing: () => 'busy',
      run: async ({ point: { shown } }: { point: { shown: { x: number } } }) => {
        ran.push(shown.x)
        const found = outcome(shown.x) as { kind: string }
        return found.kind === 'done' ? { ...found, result: { x: shown.x } } : found
      },
      close: async () => void closed++,
    }
  }
  const run = sweep(plan, { log, crew, ...more } as never)
  const events: SweepEvent[] = []
  for await (const event of run) events.push(event)
  return { summary: await run.result, events, told, ran, crews, closed, states }
} // biome-ignore format: lists

test('every point with every seed, once; what is finished is not run again', async () => {
  const first = await swept({ batches: [[1, 2], [2, 3]], seeds: [1, 2] }) // biome-ignore format: a list
  expect(first.ran.sort()).toEqual([1, 1, 2, 2, 3, 3])
  expect(first.summary).toMatchObject({ name: 'p', total: 8, done: 6, failed: 0, before: 0, complete: true })
  expect(first.summary.trials.map(({ number, seed, point }) => [number, seed, point.shown.x])).toEqual([[0, 1, 1], [1, 2, 1], [2, 1, 2], [3, 2, 2], [6, 1, 3], [7, 2, 3]]) // biome-ignore format: a line
  expect([first.crews, first.closed]).toEqual([1, 1])
  expect(first.events.filter(({ kind }) => kind === 'planned')).toEqual([
    { kind: 'planned', total: 8, finished: 0 },
    { kind: 'planned', total: 8, finished: 0 },
  ])
  expect(first.events.find(({ kind }) => kind === 'begun')).toMatchObject({ doing: 'busy' })
  expect(first.events.find(({ kind }) => kind === 'ended')).toMatchObject({ doing: 'busy', reason: null })
  const again = await swept({ batches: [[1, 2, 3]], seeds: [1, 2], states: first.states })
  expect([again.ran, again.crews, again.summary.before, again.summary.complete]).toEqual([[], 0, 6, true])
})

test('what failed is tried again only where that is asked for', async () => {
  const lost = (x: number) => (x === 2 ? { kind: 'lost', reason: 'gone' } : { kind: 'done', seconds: 1, worker: 'w' })
  const first = await swept({ batches: [[1, 2]], outcome: lost })
  expect(first.ran).toEqual([2, 2, 1])
  expect(first.summary).toMatchObject({ done: 1, failed: 1, complete: true })
  expect(first.events.find((one) => one.kind === 'ended' && one.reason !== null)).toMatchObject({ reason: 'gone, 2 times' }) // biome-ignore format: a line
  expect((await swept({ batches: [[1, 2]], states: new Map(first.states) })).ran).toEqual([])
  const retried = await swept({ batches: [[1, 2]], states: new Map(first.states), retryFailed: true })
  expect([retried.ran, retried.summary.done, retried.summary.before]).toEqual([[2], 2, 1])
})

test('a search is told the mean over the seeds of each point', async () => {
  expect((await swept({ batches: [[1, 2], [3]], seeds: [1, 2], score: true })).told).toEqual([[1, 2], [3]]) // biome-ignore format: a list
  expect((await swept({ batches: [[-1, 2]], score: true })).told).toEqual([[null, 2]])
  const failing = (x: number) => ({ kind: x === 1 ? 'refused' : 'done', reason: 'r', seconds: 1, worker: 'w' })
  expect((await swept({ batches: [[1, 2]], score: true, outcome: failing })).told).toEqual([[null, 2]])
  expect((await swept({ batches: [[1]] })).told).toEqual([[]])
})

test('where it is asked to stop it does, and is not complete', async () => {
  const stopped = await swept({ batches: [[1]], signal: { aborted: true, addEventListener: () => undefined } })
  expect([stopped.ran, stopped.summary.complete, stopped.crews]).toEqual([[], false, 0])
  const late = { aborted: false, addEventListener: (_: string, stop: () => void) => stop() }
  const during = await swept({
    batches: [[1], [2]],
    signal: late,
    outcome: () => {
      late.aborted = true
      return { kind: 'stopped' }
    },
  })
  expect([during.ran, during.summary.complete, during.told]).toEqual([[1], false, []])
  expect(during.closed).toBe(2)
})

test('where it is asked to stop before its crew is there, the crew is closed at once', async () => {
  let looks = 0
  const signal = {
    get aborted() {
      return ++looks > 1
    },
    addEventListener: () => undefined,
  }
  const { ran, closed } = await swept({ batches: [[1]], signal })
  expect([ran, closed]).toEqual([[], 2])
})

test('trials that are not begun yet are not begun any more', async () => {
  const signal = { aborted: false, addEventListener: () => undefined }
  const { ran, summary } = await swept({
    batches: [[1, 2]],
    signal,
    outcome: () => {
      signal.aborted = true
      return { kind: 'done', seconds: 1, worker: 'w' }
    },
  })
  expect([ran, summary.done, summary.complete]).toEqual([[2], 1, false])
})
