import { afterAll, describe, expect, test } from 'vitest'
import { readSweep } from '../../sweep/sweep-schema.js'
import { trialProcesses, usualMegabytes } from './trial-processes.js'

const script = new URL('../../../test/fixtures/odd-trial.mjs', import.meta.url)
const limits = { seconds: 20, megabytes: 300 }
const task = (name: string) => ({ scenario: { name } as never })

describe('processes for trials', () => {
  const processes = trialProcesses({ script })
  afterAll(() => processes.close())
  const levelOf = async (name: string): Promise<string> => {
    const outcome = await processes.run(task(name), limits, name)
    return outcome.kind === 'done' ? outcome.result.level : `${outcome.kind}`
  }

  test('serve one trial after another', async () => {
    const [one, two] = [await levelOf('good'), await levelOf('good')]
    expect(one).toMatch(/^good 1 by \d+$/)
    expect(two).toBe(one)
  })

  test('that crash are replaced, and the loss is told with its reason', async () => {
    const before = await levelOf('good')
    expect(await processes.run(task('crash'), limits)).toEqual({
      kind: 'lost',
      reason: 'its worker was ended by SIGKILL',
    })
    const after = await levelOf('good')
    expect(after).toMatch(/^good/)
    expect(after).not.toBe(before)
    const ended = await processes.run(task('exit'), limits)
    expect(ended).toEqual({ kind: 'lost', reason: 'its worker ended with code 7 (out of luck)' })
  })

  test('that hang are ended in their time', async () => {
    const outcome = await processes.run(task('hang'), { ...limits, seconds: 0.3 })
    expect(outcome).toEqual({ kind: 'lost', reason: 'it took longer than 0.3 s' })
    expect(await levelOf('good')).toMatch(/^good/)
  })

  test.runIf(process.platform === 'linux')('that take too much memory are ended, buffers counted', async () => {
    const outcome = await processes.run(task('memory'), limits)
    expect(outcome).toEqual({ kind: 'lost', reason: 'its worker took more memory than 300 MB' })
  })

  test('tell a wrong trial from a broken one', async () => {
    expect(await processes.run(task('refused'), limits)).toEqual({ kind: 'refused', reason: 'no such thing' })
    expect(await processes.run(task('broken'), limits)).toEqual({ kind: 'lost', reason: 'TypeError: x' })
  })

  test('are no more than they may be, and send ahead what is not lost with the one before it', async () => {
    const own = trialProcesses({ script, most: 1 })
    const of = async (name: string): Promise<string> => {
      const outcome = await own.run(task(name), limits, name)
      return outcome.kind === 'done' ? outcome.result.level : outcome.kind
    }
    const first = await of('good')
    expect(await Promise.all([of('good'), of('good'), of('good')])).toEqual([first, first, first])
    const [crashed, ahead, later] = await Promise.all([of('crash'), of('good'), of('good')])
    expect([crashed, ahead === first, later === ahead]).toEqual(['lost', false, true])
    expect(ahead).toMatch(/^good/)
    await own.close()
  })

  test('send nothing ahead to one that has not answered, and stop what waits', async () => {
    const own = trialProcesses({ script, most: 2 })
    const hanging = own.run(task('hang'), limits)
    for (let i = 0; i < 3; i++) expect((await own.run(task('good'), limits)).kind).toBe('done')
    const second = own.run(task('hang'), limits)
    const [ahead, waits] = [own.run(task('good'), limits), own.run(task('good'), limits)]
    await own.close()
    const outcomes = await Promise.all([hanging, second, ahead, waits])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stopped', 'stopped', 'stopped', 'stopped'])
  })

  test('begun early serve whoever has their limit; with another one they are replaced', async () => {
    expect(readSweep({ name: 'x', scenario: 'y.yaml' }, 'z.yaml').megabytesPerWorker).toBe(usualMegabytes)
    const own = trialProcesses({ script, most: 2 })
    own.warm(limits.megabytes)
    const all = await Promise.all([1, 2].map(() => own.run(task('good'), limits)))
    expect(new Set(all.map((one) => one.kind === 'done' && one.worker)).size).toBe(2)
    expect((await own.run(task('good'), { ...limits, megabytes: 200 })).kind).toBe('done')
    await own.close()
  })

  test('say what they do, and stop at once when they are closed', async () => {
    const own = trialProcesses({ script })
    const hanging = own.run(task('hang'), limits, 'rounds=3 seed 1')
    expect(own.doing()).toBe('1: rounds=3 seed 1')
    await own.close()
    expect(await hanging).toEqual({ kind: 'stopped' })
    expect(await own.run(task('good'), limits)).toEqual({ kind: 'stopped' })
  })
})
