import { availableParallelism } from 'node:os'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { AskedSweep } from '../sweep/sweep-run.js'
import { runSweep } from './sweep-command.js'

const sweeps = vi.hoisted(() => ({ asked: [] as unknown[][], order: [] as unknown[], fails: false }))
vi.mock('../sweep/trial-processes.js', () => ({
  usualMegabytes: 4096,
  trialProcesses(options: unknown) {
    sweeps.order.push(options)
    return {
      warm: (megabytes: number) => sweeps.order.push(`warm ${megabytes}`),
      close: async () => void sweeps.order.push('closed'),
    }
  },
}))
vi.mock('../sweep/sweep-run.js', () => ({
  async sweepFile(path: string, { processes, ...asked }: AskedSweep) {
    expect(processes).toHaveProperty('close')
    sweeps.order.push('run')
    sweeps.asked.push([path, asked])
    if (sweeps.fails) throw new Error('no room')
    return 4
  },
}))
beforeEach(() => {
  sweeps.asked.length = 0
  sweeps.order.length = 0
  sweeps.fails = false
})
const usual = { quiet: false, json: false, parquet: false, resume: false, retryFailed: false }

describe('a sweep', () => {
  test('begins its processes before it reads the file, and ends them whatever comes of it', async () => {
    expect(await runSweep(['s.yaml'])).toBe(4)
    expect(sweeps.order).toEqual([{ most: availableParallelism() }, 'warm 4096', 'run', 'closed'])
    expect(sweeps.asked).toEqual([['s.yaml', usual]])
    sweeps.fails = true
    await expect(runSweep(['s.yaml'])).rejects.toThrow('no room')
    expect(sweeps.order.at(-1)).toBe('closed')
  })

  test.each([
    ['--resume', { resume: true }],
    ['--retry-failed', { retryFailed: true }],
    ['--queue=redis://there', { queue: 'redis://there' }],
  ])('%s: there may be nothing for them to do, and they wait', async (flag, asked) => {
    await runSweep(['s.yaml', flag])
    expect(sweeps.order.slice(1)).toEqual(['run', 'closed'])
    expect(sweeps.asked).toEqual([['s.yaml', { ...usual, ...asked }]])
  })

  test('does what its flags say', async () => {
    const flags = ['--workers', '3', '--seed', '0', '--seeds', '2', '--out', 'o', '--data-dir', 'd']
    await runSweep(['s.yaml', ...flags, '--quiet', '--json', '--parquet'])
    const asked = { workers: 3, seed: 0, seeds: 2, out: 'o', dataDir: 'd', quiet: true, json: true, parquet: true }
    expect(sweeps.asked).toEqual([['s.yaml', { ...usual, ...asked }]])
    expect(sweeps.order[0]).toEqual({ most: 3 })
  })

  test('takes no plug-ins, and needs a file', async () => {
    await expect(runSweep(['s.yaml', '--plugin', 'p.mjs'])).rejects.toThrow('--plugin was given')
    await expect(runSweep([])).rejects.toThrow('missing: the file of a sweep')
    expect(sweeps.order).toEqual([])
  })
})
