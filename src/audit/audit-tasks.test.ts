import { describe, expect, test } from 'vitest'
import { resultWith } from '../../test/audit-results.js'
import type { AttackResult } from './attack-result.js'
import { runTasks, type Task, tasksFor } from './audit-tasks.js'
import type { Job } from './plan-jobs.js'
import type { JobPoolHooks, JobRequest } from './ports.js'
import { readScenario } from './read-scenario.js'

const taskOf = (job: Partial<Job>, model: string | null = null): Task => ({
  planned: {
    job: { attack: 'dlg', params: {}, observer: 'server', target: '0', seed: 1, controls: false, ...job },
    alsoFor: ['malicious-server'],
  },
  paths: { transcript: 't' },
  model,
})

/** A pool that counts, and a log in memory. */
function stubs(finished = new Map<string, AttackResult>()) {
  const ran: JobRequest[] = []
  const claimed = new Map<string, AttackResult>()
  return {
    ran,
    finished,
    pool: {
      run: async (request: JobRequest) => {
        ran.push(request)
        return resultWith({ attack: request.job.attack, target: request.job.target })
      },
      close: async () => {},
    },
    log: {
      finished,
      claimed,
      addClaim: async (hash: string, result: AttackResult) => void claimed.set(hash, result),
      add: async (hash: string, result: AttackResult) => void finished.set(hash, result),
    },
  }
}

describe('the jobs of an audit', () => {
  const tasks = [taskOf({ target: '0' }), taskOf({ target: '1' }), taskOf({ attack: 'blr' }, 'mlp-8')]

  test('give their results in the order of the tasks, under the name of their model', async () => {
    const { pool, log, ran } = stubs()
    const done: string[] = []
    const onFinished = ({ result }: { result: AttackResult }) => done.push(result.attack)
    const all = await runTasks(tasks, { pool, log, context: 1, onFinished })
    expect(all.map(({ result: { attack, target, model } }) => [attack, target, model])).toEqual([
      ['dlg', '0', null],
      ['dlg', '1', null],
      ['blr', '0', 'mlp-8'],
    ])
    expect(all[0]!.planned.alsoFor).toEqual(['malicious-server'])
    expect([ran.length, log.finished.size]).toEqual([3, 3])
    expect(done.sort()).toEqual(['blr', 'dlg', 'dlg'])
  })

  test('that are in the log are not run again; with another context they are', async () => {
    const first = stubs()
    const before = await runTasks(tasks, { ...first, context: { hash: 'a' } })
    const again = stubs(first.finished)
    expect(await runTasks(tasks, { ...again, context: { hash: 'a' } })).toEqual(before)
    expect(again.ran).toEqual([])
    const more = stubs(first.finished)
    await runTasks([...tasks, taskOf({ seed: 2 })], { ...more, context: { hash: 'a' } })
    expect(more.ran.map(({ job }) => job.seed)).toEqual([2])
    const other = stubs(first.finished)
    await runTasks(tasks, { ...other, context: { hash: 'b' } })
    expect(other.ran).toHaveLength(3)
  })

  test('whose controls were cut off are handed their claim when they are run again', async () => {
    const { log, pool, ran } = stubs()
    const claim = resultWith({ attack: 'dlg' })
    const crash = async (_: JobRequest, hooks: JobPoolHooks = {}) => {
      hooks.onClaimed?.(claim)
      throw new Error('a crash')
    }
    await expect(runTasks([taskOf({}, 'mlp-8')], { pool: { ...pool, run: crash }, log, context: 1 })).rejects.toThrow()
    await runTasks([taskOf({}, 'mlp-8')], { pool, log, context: 1 })
    expect(ran.map(({ claimed }) => claimed)).toEqual([{ ...claim, model: 'mlp-8' }])
    expect(log.finished.size).toBe(1)
  })

  test('that ran out of time are no finished ones: they are run again', async () => {
    const { log, finished, pool, ran } = stubs()
    const stopped = resultWith({ status: 'failed', error: { code: 'E_TIME', message: 'stopped' } })
    const [first] = await runTasks([taskOf({})], { pool: { ...pool, run: async () => stopped }, log, context: 1 })
    expect([first!.result.error?.code, finished.size]).toEqual(['E_TIME', 0])
    await runTasks([taskOf({})], { pool, log, context: 1 })
    expect([ran.length, finished.size]).toEqual([1, 1])
    // One that an earlier version kept is run again as well.
    const [hash] = finished.keys()
    finished.set(hash!, stopped)
    await runTasks([taskOf({})], { pool, log, context: 1 })
    expect(ran.length).toBe(2)
  })

  test('are told apart by their model', async () => {
    const { pool, log, ran } = stubs()
    for (const model of ['linear', 'linear#2']) await runTasks([taskOf({}, model)], { pool, log, context: 1 })
    expect(ran).toHaveLength(2)
  })

  test('keep what is finished when one is interrupted', async () => {
    const { pool, log } = stubs()
    const kept: AttackResult[] = []
    let release = (): void => {}
    const others = new Promise<void>((resolve) => {
      release = resolve
    })
    const run = async (request: JobRequest) => {
      if (request.job.attack !== 'blr') return pool.run(request)
      await others
      throw new Error('interrupted')
    }
    const onFinished = ({ result }: { result: AttackResult }): void => {
      if (kept.push(result) === 2) release()
    }
    const options = { log, pool: { ...pool, run }, context: 1, onFinished }
    await expect(runTasks(tasks, options)).rejects.toThrow('interrupted')
    expect(kept.map(({ target }) => target).sort()).toEqual(['0', '1'])
    expect(log.finished.size).toBe(2)
  })
})

test('a simulated federation: each job reads the files of its own target', () => {
  const scenario = readScenario({
    heldBack: 0,
    data: { name: 'cps-wages' },
    models: [{ kind: 'linear' }],
    attacks: ['dlg'],
    observers: ['server'],
  })
  const utility = { model: 'linear', rounds: 1, trainLoss: null, heldOutLoss: null, metric: null, value: null }
  const trained = {
    repeat: 0,
    model: 0,
    name: 'linear',
    folder: '',
    targets: ['2', '0'],
    clients: ['0', '1', '2'],
    seats: ['1'],
  }
  const tasks = tasksFor({ scenario, run: 'run', repeats: 1, trained: { ...trained, utility, without: new Map() } })
  expect(tasks.map(({ planned, paths, model }) => [planned.job.target, paths, model])).toEqual([
    ['2', { transcript: 'run/transcript', knowledge: 'run/knowledge.json', truth: 'run/truth' }, 'linear'],
    ['0', { transcript: 'run/transcript', knowledge: 'run/knowledge-0.json', truth: 'run/truth' }, 'linear'],
  ])
  expect(tasks.map(({ kept }) => kept)).toEqual(['run/kept', 'run/kept'])
  expect(tasks[0]!.live).toMatchObject({ model: 0, checkpoints: 'run/checkpoints' })
})
