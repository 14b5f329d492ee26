import { describe, expect, test } from 'vitest'
import type { StopSignal } from '../scenario/running.js'
import { type Crew, type Outcome, runTrials } from './run-trials.js'
import type { Trial } from './trial.js'
import type { Ending } from './trial-line.js'

const trial = (number: number, effort: number): Trial => ({
  id: `t${number}`,
  number,
  seed: 1,
  effort,
  point: { shown: {}, set: {} },
})
const result = { hash: '', level: '', tested: 0, notTested: 0, questions: [], scores: [], utility: [] }
const done: Outcome = { kind: 'done', result, seconds: 1, worker: 'w' }

interface Made {
  readonly size?: number
  answer?(trial: Trial, attempt: number): Outcome | Promise<Outcome>
  finish?(trial: Trial): Promise<void>
}

/** Runs trials on a crew that answers as told; what was begun, and what each ended in. */
async function run(trials: readonly Trial[], { size = 1, answer = () => done, finish }: Made = {}) {
  const begun: string[] = []
  const attempts = new Map<string, number>()
  const endings: [string, Ending][] = []
  const kept: string[] = []
  const crew: Crew = {
    size,
    async run(one) {
      const attempt = (attempts.get(one.id) ?? 0) + 1
      attempts.set(one.id, attempt)
      return answer(one, attempt)
    },
    kept: async ({ id }) => void kept.push(id),
    close: async () => {},
  }
  const ended = runTrials(trials, {
    crew,
    attempts: 2,
    begun: ({ id }) => void begun.push(id),
    async finish(one, ending) {
      await finish?.(one)
      endings.push([one.id, ending])
    },
  })
  await ended
  return { begun, attempts, endings: new Map(endings), count: endings.length, kept }
}

describe('trials on a crew', () => {
  test('are begun the longest first, then in the order of the sweep', async () => {
    const { begun } = await run([trial(0, 1), trial(1, 5), trial(2, 1), trial(3, 9)])
    expect(begun).toEqual(['t3', 't1', 't0', 't2'])
  })

  test('run once each, as many at a time as there are workers', async () => {
    let [now, most] = [0, 0]
    const many = Array.from({ length: 20 }, (_, i) => trial(i, i % 3))
    const { attempts, count, kept } = await run(many, {
      size: 3,
      async answer() {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setTimeout(resolve, 1))
        now--
        return done
      },
    })
    expect([most, count, new Set(kept).size]).toEqual([3, 20, 20])
    expect([...attempts.values()].every((n) => n === 1)).toBe(true)
  })

  test('are tried again where a worker was lost, and given up with the reason', async () => {
    const { endings, attempts } = await run([trial(0, 0), trial(1, 0), trial(2, 0)], {
      answer({ number }, attempt) {
        if (number === 0) return { kind: 'lost', reason: 'it crashed' }
        if (number === 1) return attempt === 1 ? { kind: 'lost', reason: 'it hung' } : done
        return { kind: 'refused', reason: 'no such dataset' }
      },
    })
    expect(endings.get('t0')).toMatchObject({ result: null, reason: 'it crashed, 2 times', took: { attempts: 2 } })
    expect(endings.get('t1')).toMatchObject({ result, reason: null, took: { attempts: 2, worker: 'w' } })
    expect(endings.get('t2')).toMatchObject({ result: null, reason: 'no such dataset', took: { attempts: 1 } })
    expect(attempts.get('t2')).toBe(1)
  })

  test('end where one is stopped, without an ending for it', async () => {
    const { endings } = await run([trial(0, 2), trial(1, 1), trial(2, 0)], {
      answer: ({ number }) => (number === 1 ? { kind: 'stopped' } : done),
    })
    expect([...endings.keys()]).toEqual(['t0'])
  })

  test('end with the fault of whoever keeps them', async () => {
    let tries = 0
    const trials = Array.from({ length: 50 }, (_, i) => trial(i, 0))
    const full = run(trials, {
      async answer() {
        tries++
        await new Promise((resolve) => setTimeout(resolve, 1))
        return done
      },
      finish: async () => {
        throw new Error('the disk is full')
      },
    })
    await expect(full).rejects.toThrow('the disk is full')
    expect(tries).toBeLessThan(5)
  })

  test('one that was begun once only does not say how often', async () => {
    const crew = { size: 1, run: async () => ({ kind: 'lost', reason: 'gone' }) as const, close: async () => {} }
    const endings: Ending[] = []
    const finish = async (_: Trial, ending: Ending) => void endings.push(ending)
    await runTrials([trial(0, 0)], { crew, attempts: 1, finish })
    expect(endings).toMatchObject([{ reason: 'gone', took: { seconds: null, attempts: 1, worker: null } }])
    // What is lost while it is asked to stop did not fail.
    await runTrials([trial(0, 0)], { crew, attempts: 1, finish, signal: abortedAfter(0) })
    expect(endings).toHaveLength(1)
  })

  test('end once all that ended is kept', async () => {
    let kept = 0
    const finish = async () => {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      kept++
    }
    await run([trial(0, 0), trial(1, 0)], { size: 2, finish })
    expect(kept).toBe(2)
  })
})

/** A wish to stop that is there after it was looked at so often. */
function abortedAfter(looks: number): StopSignal {
  let seen = 0
  return {
    get aborted() {
      return seen++ > looks
    },
    addEventListener() {},
    removeEventListener() {},
  }
}
