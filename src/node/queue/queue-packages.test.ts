import { describe, expect, test } from 'vitest'
import { readAddress } from './queue-address.js'
import { connect, connectionOf, type Packages, queuePackages } from './queue-packages.js'

/** A server that answers, or says no with a word of its own. */
function redisThat(answers: { connect?: string; ping?: string; said?: string }) {
  const made: Record<string, unknown>[] = []
  const calls: string[] = []
  class Redis {
    said: (error: Error) => void = () => {}
    constructor(options: Record<string, unknown>) {
      made.push(options)
    }
    on(event: string, say: (error: Error) => void) {
      expect(event).toBe('error')
      this.said = say
    }
    async connect() {
      calls.push('connect')
      if (answers.said !== undefined) this.said(new Error(answers.said))
      if (answers.connect !== undefined) throw new Error(answers.connect)
    }
    async ping() {
      calls.push('ping')
      if (answers.ping !== undefined) throw new Error(answers.ping)
    }
    disconnect() {
      calls.push('disconnect')
    }
  }
  return { packages: { bullmq: {}, ioredis: { Redis } } as unknown as Packages, made, calls }
}
const refused = async (address: string, answers: Parameters<typeof redisThat>[0]) => {
  const { packages, calls, made } = redisThat(answers)
  const said = await connect(packages, readAddress(address)).then(
    () => 'connected',
    (error: Error) => error.message,
  )
  return { said, calls, again: (made[0]!.retryStrategy as (times: number) => unknown)(3) }
}

describe('a connection to a queue', () => {
  test('waits for the server, at first shortly and never longer than two seconds', () => {
    const { retryStrategy, ...options } = connectionOf(readAddress('redis://h:7/2'))
    expect(options).toEqual({ host: 'h', port: 7, db: 2, maxRetriesPerRequest: null, connectTimeout: 10_000 })
    expect([1, 2, 39, 40, 41, 1000].map(retryStrategy)).toEqual([50, 100, 1950, 2000, 2000, 2000])
  })

  test('says who it is, and is encrypted, where its address says so', () => {
    expect(connectionOf(readAddress('rediss://ann:secret@h'))).toMatchObject({
      username: 'ann',
      password: 'secret',
      tls: {},
    })
    expect(connectionOf(readAddress('redis://:secret@h'))).not.toHaveProperty('username')
  })

  test('of which nothing came yet is not tried again; one that was lost is', async () => {
    const { packages, made, calls } = redisThat({})
    await connect(packages, readAddress('redis://h'))
    expect(calls).toEqual(['connect', 'ping'])
    const { retryStrategy, ...options } = made[0]!
    expect(options).toEqual({
      ...{ host: 'h', port: 6379, db: 0, maxRetriesPerRequest: null, connectTimeout: 10_000 },
      lazyConnect: true,
    })
    expect((retryStrategy as (times: number) => unknown)(3)).toBe(150)
    expect(await refused('redis://h', { connect: 'closed' })).toEqual({
      said: 'the queue at redis://h:6379 cannot be used (closed); look whether it runs, and at its password',
      calls: ['connect', 'disconnect'],
      again: null,
    })
  })

  test('says what the server said, and where a certificate may be missing', async () => {
    const { said, calls } = await refused('rediss://h', { ping: 'closed', said: 'self-signed' })
    expect(said).toBe(
      'the queue at rediss://h:6379 cannot be used (self-signed); look whether it runs, and at its password; NODE_EXTRA_CA_CERTS has to name a certificate of its own',
    )
    expect(calls).toEqual(['connect', 'ping', 'disconnect'])
  })
})

test('packages that are there and broken say why, on one line', async () => {
  const broken = () => Promise.reject(new Error('no symbol\nat line 3'))
  await expect(queuePackages(broken)).rejects.toThrow(
    /^a queue needs bullmq and ioredis, which cannot be loaded \(no symbol\); run `npm install bullmq@[^@]+ ioredis@[^@]+`$/,
  )
  const found = {} as Packages
  expect(await queuePackages(async () => found)).toBe(found)
})
