import { beforeEach, expect, test, vi } from 'vitest'
import { type Job, startThread, type Thread } from './client-thread.js'
import type { Answer, Reply } from './client-worker.js'
import type { Ear, Opening } from './thread-line.js'

/** What became of the line, in order; `unsendable` throws where it is posted. */
const log = vi.hoisted((): string[] => [])
const heard = vi.hoisted(() => ({ ear: undefined as unknown, opening: undefined as unknown }))
vi.mock('./thread-line.js', () => ({
  openLine(opening: Opening, ear: Ear<Reply | Answer>) {
    Object.assign(heard, { ear, opening })
    return {
      post(request: unknown) {
        if (request === 'unsendable') throw new Error('it cannot be sent')
        log.push(`post ${request}`)
      },
      ref: (alive: boolean) => log.push(alive ? 'ref' : 'unref'),
      release: () => log.push('release'),
      end: async () => void log.push('end'),
    }
  },
}))
const ear = () => heard.ear as Ear<Reply | Answer>

let waiting: Job[] = []
let thread: Thread
beforeEach(() => {
  waiting = []
  log.length = 0
  thread = startThread({ place: 2, input: { enrolment: 'e' } as never, take: () => waiting.shift() })
})

/** A job that waits, and what comes of it. */
function job(request: string, answered?: Job['answered']): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const more = answered === undefined ? {} : { answered }
    waiting.push({ request: request as never, who: () => `client "${request}"`, resolve, reject, ...more })
  })
}
const failure = (of: Promise<unknown>): Promise<unknown> => of.catch((error: Error) => error.message)
const done = { updates: [] } as const

test('a thread takes one job at a time, however often it is woken, and keeps the process alive meanwhile', async () => {
  expect(heard.opening).toEqual({ role: 'clients', input: { enrolment: 'e' } })
  const [first, second] = [job('a'), job('b')]
  thread.wake()
  thread.wake()
  expect(log).toEqual(['ref', 'post a'])
  ear().message({ updates: ['of a'] } as never)
  expect(await first).toEqual({ updates: ['of a'] })
  expect(log).toEqual(['ref', 'post a', 'ref', 'post b'])
  ear().message(done)
  await second
  expect(log.slice(4)).toEqual(['unref'])
  thread.wake()
  expect(log.slice(5)).toEqual(['unref'])
})

test('answers that come before the reply and those that come with it are handed on', async () => {
  const places: number[] = []
  const own = job('a', ({ place }) => places.push(place))
  const deaf = job('b')
  thread.wake()
  ear().message({ place: 4, answer: new Uint8Array(1) } as never)
  ear().message({ done: true, answers: [{ place: 1 }, { place: 3 }] } as never)
  expect(await own).toMatchObject({ done: true })
  ear().message({ done: true, answers: [{ place: 9 }] } as never)
  await deaf
  expect(places).toEqual([4, 1, 3])
})

test('an error that the thread answers is that of its job alone', async () => {
  const [bad, good] = [failure(job('a')), job('b')]
  thread.wake()
  ear().message({ error: { code: 'E_VALUE', message: 'too large' } })
  ear().message(done)
  expect([await bad, await good]).toEqual(['too large', done])
})

test('what cannot be sent is the error of its job, and the next one is taken', async () => {
  const [bad, good] = [failure(job('unsendable')), job('b')]
  thread.wake()
  expect(await bad).toBe('it cannot be sent')
  expect(log).toEqual(['ref', 'ref', 'post b'])
  ear().message(done)
  await good
})

test('a thread that is lost at work says who was played, and rejects all that waits and comes', async () => {
  const [played, waits] = [failure(job('a')), failure(job('b'))]
  thread.wake()
  ear().lost('failed', new Error('stepped on'))
  ear().lost('ended with code 1')
  const why = 'internal: worker thread 2 failed while it played client "a": stepped on'
  expect(await Promise.all([played, waits])).toEqual([expect.stringContaining(why), expect.stringContaining(why)])
  const late = failure(job('c'))
  thread.wake()
  expect(await late).toContain(why)
  expect(log).toEqual(['ref', 'post a'])
  await thread.end()
  expect(log.slice(2)).toEqual(['end'])
})

test('one that is lost while idle says so', async () => {
  ear().lost('ended with code 3')
  const late = failure(job('a'))
  thread.wake()
  expect(await late).toMatch(/worker thread 2 ended with code 3 while idle($|;)/)
})

test('one that has run out of memory is no bug', async () => {
  const played = job('a').catch((error: unknown) => error)
  thread.wake()
  ear().lost('failed', Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }))
  expect(await played).toMatchObject({ code: 'E_INPUT' })
})

test('ended while idle it is let go of; at work it is ended, and takes no more', async () => {
  await thread.end()
  expect(log).toEqual(['release'])
  const refused = failure(job('a'))
  thread.wake()
  expect(await refused).toContain('the pool of worker threads was closed')

  log.length = 0
  thread = startThread({ place: 0, input: {} as never, take: () => waiting.shift() })
  const cut = failure(job('b'))
  thread.wake()
  await thread.end()
  expect(log).toEqual(['ref', 'post b', 'end'])
  ear().lost('ended with code 1')
  expect(await cut).toContain('the pool of worker threads was closed')
})

test('what is done while it ends is still its job’s, and nothing is begun after it', async () => {
  const [last, never] = [job('a'), failure(job('b'))]
  thread.wake()
  const ended = thread.end()
  ear().message(done)
  await ended
  expect(await last).toEqual(done)
  expect(log).toEqual(['ref', 'post a', 'end'])
  ear().lost('ended with code 1')
  expect(await never).toContain('was closed')
})
