import { availableParallelism } from 'node:os'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { queueName } from '../queue/queue-job.js'
import type { QueueWorkerOptions } from '../queue/queue-worker.js'
import { runWorker } from './worker-command.js'

const served = vi.hoisted(() => ({ options: [] as unknown[], during: (): void => {} }))
const printed = vi.hoisted((): string[] => [])
vi.mock('../queue/queue-worker.js', () => ({
  async serveQueue(options: QueueWorkerOptions) {
    served.options.push(options)
    options.tell('a trial\u001b[31m is done')
    served.during()
    return 5
  },
}))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))
const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
const told = (): string[] => write.mock.calls.map(([text]) => String(text))
const here = 'redis://127.0.0.1:7001'
beforeEach(() => {
  served.options.length = 0
  printed.length = 0
  served.during = () => {}
  write.mockClear()
})

describe('a worker', () => {
  test('says what it serves and how many at a time, then what it did, and in the end how much', async () => {
    expect(await runWorker(['--queue', here])).toBe(0)
    expect(told()).toEqual([
      `serving ${queueName} at ${here}, ${availableParallelism()} at a time\n`,
      'a trial\\u001b[31m is done\n',
    ])
    expect(printed).toEqual(['5 trials done'])
    expect(served.options).toMatchObject([{ concurrency: availableParallelism(), lease: 30, address: { port: 7001 } }])
    expect(served.options[0]).not.toHaveProperty('idle')
    expect(served.options[0]).not.toHaveProperty('dataDir')
  })

  test('does what its flags say, silently where it is asked to be', async () => {
    const flags = ['--concurrency', '3', '--lease', '9', '--idle', '60', '--data-dir', 'd', '--quiet', '--json']
    expect(await runWorker(['--queue', here, ...flags])).toBe(0)
    expect(served.options).toMatchObject([{ concurrency: 3, lease: 9, idle: 60, dataDir: 'd' }])
    expect([told(), printed]).toEqual([[], ['{"trials":5}']])
  })

  test('finds the address in the environment, and warns of a password in the clear', async () => {
    vi.stubEnv('OVERHEAR_QUEUE', 'redis://:secret@8.8.8.8')
    try {
      for (const args of [[], ['--queue', 'env']]) await runWorker(args)
    } finally {
      vi.unstubAllEnvs()
    }
    expect(served.options).toMatchObject([{ address: { host: '8.8.8.8' } }, { address: { host: '8.8.8.8' } }])
    expect(told()[0]).toMatch(/^the queue at redis:\/\/8\.8\.8\.8:6379 has .* in the clear\n$/)
  })

  test('that is interrupted says so by its exit code', async () => {
    served.during = () => process.listeners('SIGINT').at(-1)!('SIGINT')
    expect(await runWorker(['--queue', here])).toBe(130)
    expect(printed).toEqual(['5 trials done'])
  })

  test('takes no plug-ins', async () => {
    await expect(runWorker(['--queue', here, '--plugin', 'p.mjs'])).rejects.toThrow('--plugin was given')
    expect(served.options).toEqual([])
  })
})
