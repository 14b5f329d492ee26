import { afterEach, describe, expect, test } from 'vitest'
import type { Job } from '../../audit/plan-jobs.js'
import type { JobPool, JobRequest } from '../../audit/ports.js'
import { jobPool } from './job-pool.js'

/** A worker that does what the attack's id says. */
const stub = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    const acts = {
      echo: (job) => ({ kind: 'done', result: { attack: job.attack, target: job.target, thread: threadId } }),
      refuse: () => ({ kind: 'error', code: 'E_INPUT', message: 'no such thing' }),
      spin: () => { for (;;); },
      crash: () => { throw new TypeError('stepped on') },
      leave: () => process.exit(7),
      sleep: () => undefined,
      tick: (job) => {
        parentPort.postMessage({ kind: 'tick', done: 1, total: 2 })
        return acts.echo(job)
      },
      regret: (job) => {
        parentPort.postMessage(acts.echo(job))
        // Later: an error thrown at once may be heard before the answer.
        setTimeout(() => { throw new Error('too late') }, 100)
      },
    }
    parentPort.on('message', ({ job, plant }) => {
      if (plant?.slow) return setTimeout(() => parentPort.postMessage({ kind: 'planted', reply: { kind: 'slow' } }), 1500)
      if (plant !== undefined) return parentPort.postMessage({ kind: 'planted', reply: { kind: plant.run } })
      if (job === undefined) return // it is told its role first
      const reply = acts[job.attack](job)
      if (reply !== undefined) parentPort.postMessage(reply)
    })
  `)}`,
)
const request = (attack: string, target = '0'): JobRequest => ({
  job: { attack, target, params: { from: 'dlg' }, observer: 'server', seed: 4, controls: false } as Job,
  paths: { transcript: 'nowhere' },
})

let pool: JobPool
afterEach(() => pool.close())
const open = (workers: number, secondsPerJob: number | null = null): JobPool => {
  pool = jobPool({ workers, secondsPerJob, script: stub })
  return pool
}
/** A thread by its number. */
const thread = async (one: Promise<unknown>): Promise<number> => ((await one) as { thread: number }).thread

describe('a pool of jobs', () => {
  test('answers each job with its own result, whoever ran it, and uses no more threads than asked for', async () => {
    const { run } = open(2)
    const targets = Array.from({ length: 9 }, (_, i) => String(i))
    const results = await Promise.all(targets.map((target) => run(request('echo', target))))
    expect(results.map(({ target }) => target)).toEqual(targets)
    expect(new Set(results.map((one) => (one as unknown as { thread: number }).thread)).size).toBeLessThanOrEqual(2)
  })

  test('begins with the longest of those that wait, by what was guessed', async () => {
    const { run } = open(1)
    const order: (string | null)[] = []
    const efforts = [1, 0, 5, 1, 3]
    await Promise.all(
      efforts.map(async (effort, i) => {
        const { target } = await run({ ...request('echo', `${effort} ${i}`), effort })
        order.push(target)
      }),
    )
    expect(order).toEqual(['5 2', '3 4', '1 0', '1 3', '0 1'])
  })

  test('trains before it attacks, for as long as it takes', async () => {
    const { run, plant } = open(1, 1)
    const order: string[] = []
    const asked = [
      run({ ...request('echo', 'attack'), effort: 1e9 }).then(({ target }) => order.push(target!)),
      plant!({ run: 'first' } as never).then(({ kind }) => order.push(kind)),
      plant!({ slow: true } as never).then(({ kind }) => order.push(kind)),
    ]
    await Promise.all(asked)
    expect(order).toEqual(['first', 'slow', 'attack'])
    await pool.close()
    await expect(plant!({ run: 'late' } as never)).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
  })

  test('trains nothing where code of others runs', () => {
    pool = jobPool({ workers: 1, secondsPerJob: null, script: stub, plugins: ['theirs.mjs'] })
    expect(pool.plant).toBeUndefined()
  })

  test('stops a job that never yields at its time, says so, and goes on in a new thread', async () => {
    const { run } = open(1, 1.5)
    const [late, next] = await Promise.all([run(request('spin')), run(request('echo'))])
    expect(late).toEqual({
      attack: 'spin',
      status: 'failed',
      oracle: false,
      observer: 'server',
      model: null,
      target: '0',
      params: { from: 'dlg' },
      seed: 4,
      findings: [],
      warnings: [],
      details: {},
      millis: 1500,
      error: { code: 'E_TIME', message: 'stopped after 1.5 s; set secondsPerAttack higher in the scenario' },
    })
    expect(next).toMatchObject({ attack: 'echo' })
  })

  test('marks an oracle that is out of time as one', async () => {
    const { run } = jobPool({ workers: 1, secondsPerJob: 0.01, script: new URL('data:text/javascript,for(;;);') })
    expect(await run(request('model-oracle'))).toMatchObject({ oracle: true, error: { code: 'E_TIME' } })
  })

  test('a limit is over with its job: the thread lives on', async () => {
    const { run } = open(1, 1.5)
    const before = await thread(run(request('echo')))
    await new Promise((resolve) => setTimeout(resolve, 1600))
    expect(await thread(run(request('echo')))).toBe(before)
  })

  test('rejects with the error that a worker reports, and the thread lives', async () => {
    const { run } = open(1)
    const before = await thread(run(request('echo')))
    await expect(run(request('refuse'))).rejects.toMatchObject({ code: 'E_INPUT', message: 'no such thing' })
    expect(await thread(run(request('echo')))).toBe(before)
  })

  test.each([
    ['crash', /^internal: a worker thread died: TypeError: stepped on/],
    ['leave', /^internal: a worker thread ended with code 7/],
  ])('%s: a worker that dies is an internal error, and the next job gets another', async (attack, message) => {
    const { run } = open(1)
    const [first, second] = await Promise.allSettled([run(request(attack)), run(request('echo'))])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'E_INTERNAL' } })
    expect(String((first as PromiseRejectedResult).reason.message)).toMatch(message)
    expect(second).toMatchObject({ status: 'fulfilled' })
  })

  test.each(['spin', 'crash'])('%s: what was handed to its thread ahead is done by another, once', async (attack) => {
    const { run } = open(1, 1.5)
    const first = run({ ...request(attack), effort: 9 }).catch((error: Error) => error)
    const targets = ['1', '2', '3', '4', '5']
    const rest = await Promise.all(targets.map((target) => run(request('echo', target))))
    expect(rest.map(({ target }) => target)).toEqual(targets)
    expect(new Set(rest.map((one) => (one as unknown as { thread: number }).thread)).size).toBe(1)
    await first
  })

  test('a thread that dies while idle gets no more work', async () => {
    const { run } = open(1)
    const dead = await thread(run(request('regret')))
    await new Promise((resolve) => setTimeout(resolve, 400))
    // On a busy machine it may still be dying: then this job dies with it, and the next one must not.
    expect(await thread(run(request('echo')).catch(() => run(request('echo'))))).not.toBe(dead)
  })

  test('hands on how far a job is', async () => {
    const ticks: number[][] = []
    await open(1).run(request('tick'), { onTick: (...tick) => ticks.push(tick) })
    expect(ticks).toEqual([[1, 2]])
  })

  test('closed, rejects what runs, what waits and what comes', async () => {
    const { run, close } = open(1)
    const ahead = Array.from({ length: 4 }, () => run(request('spin')))
    const all = Promise.allSettled([run(request('sleep')), run(request('spin')), run(request('echo')), ...ahead])
    await close()
    for (const one of await all) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'E_INTERRUPTED' } })
    }
    await expect(run(request('echo'))).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
  })
})
