import { afterEach, describe, expect, test } from 'vitest'
import type { JobState } from '../../api/answers.js'
import { eventStream } from './event-stream.js'

const job = (id: string, state = 'running') => ({ id, state }) as JobState
const told = (...jobs: JobState[]): string => jobs.map((one) => `event: job\ndata: ${JSON.stringify(one)}\n\n`).join('')

/** Timers that are rung by hand. */
const timers = new Map<object, { readonly ring: () => void; readonly every: number; unref: boolean }>()
const { setInterval: set, clearInterval: clear } = globalThis
function byHand(): void {
  globalThis.setInterval = ((ring: () => void, every: number) => {
    const one = { ring, every, unref: false }
    const timer = {
      unref: () => {
        one.unref = true
      },
    }
    timers.set(timer, one)
    return timer
  }) as unknown as typeof set
  globalThis.clearInterval = ((timer: object) => void timers.delete(timer)) as typeof clear
}
const open: AbortController[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.abort()
  Object.assign(globalThis, { setInterval: set, clearInterval: clear })
  timers.clear()
})

function listening(id?: string, states: readonly JobState[] = []) {
  byHand()
  const gone = new AbortController()
  open.push(gone)
  const takes = new Set<(one: JobState) => void>()
  const response = eventStream(
    { req: { raw: { signal: gone.signal } } } as never,
    {
      jobs: {
        follow: (take: (one: JobState) => void) => {
          takes.add(take)
          return () => takes.delete(take)
        },
        get: (wanted: string) => states.find((one) => one.id === wanted) ?? null,
      },
      runs: {
        list: () => [{ job: null }, ...states.map((one) => ({ job: one }))],
        folder: (wanted: string) => (wanted === 'none' ? expect.unreachable('there is no such run') : wanted),
      },
    } as never,
    id,
  )
  const reader = response.body!.getReader()
  const say = (one: JobState): void => {
    for (const take of takes) take(one)
  }
  const ring = (every: number): void => {
    for (const timer of timers.values()) if (timer.every === every) timer.ring()
  }
  const next = async (): Promise<string | undefined> => {
    const { value } = await reader.read()
    return value === undefined ? undefined : new TextDecoder().decode(value)
  }
  return { response, reader, next, say, ring, gone, followers: takes }
}

describe('a stream of states', () => {
  test('begins with those of now, and says every change once', async () => {
    const { response, next, say, ring } = listening(undefined, [job('a'), job('b', 'done')])
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect([await next(), await next(), await next()]).toEqual([': hello\n\n', told(job('a')), told(job('b', 'done'))])
    expect([...timers.values()].map(({ every, unref }) => [every, unref])).toEqual([[200, true], [15_000, true]]) // biome-ignore format: a list
    for (const state of ['waiting', 'running', 'done']) say(job('a', state))
    say(job('c'))
    ring(200)
    ring(200)
    ring(15_000)
    expect([await next(), await next(), await next()]).toEqual([told(job('a', 'done')), told(job('c')), ': alive\n\n'])
  })

  test('of one run says nothing of others', async () => {
    const { next, say, ring } = listening('a', [job('a'), job('b')])
    expect([await next(), await next()]).toEqual([': hello\n\n', told(job('a'))])
    say(job('b', 'done'))
    say(job('a', 'done'))
    ring(200)
    ring(15_000)
    expect([await next(), await next()]).toEqual([told(job('a', 'done')), ': alive\n\n'])
    const quiet = listening('c')
    expect(await quiet.next()).toBe(': hello\n\n')
    expect(() => listening('none')).toThrow('there is no such run')
  })

  test('ends where nobody listens any more', async () => {
    const left = listening()
    left.gone.abort()
    expect([left.followers.size, timers.size]).toEqual([0, 0])
    expect(await left.next()).toBe(': hello\n\n')
    expect((await left.reader.read()).done).toBe(true)
    const hungUp = listening()
    await hungUp.reader.cancel()
    expect([hungUp.followers.size, timers.size]).toEqual([0, 0])
    hungUp.gone.abort()
  })

  test('is one of 256 at most', () => {
    const streams = Array.from({ length: 256 }, () => listening())
    expect(() => listening()).toThrow('256 pages listen already; close some')
    streams[0]!.gone.abort()
    streams[0]!.gone.abort()
    listening()
    expect(() => listening()).toThrow('256 pages listen already')
  })
})
