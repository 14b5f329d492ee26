/** BullMQ and ioredis, which queues are made of: loaded only here and only when a queue is asked for. */
import { OverhearError } from '../../errors.js'
import { peerDependencies } from '../version.js'
import type { QueueAddress } from './queue-address.js'

export type Redis = import('ioredis').Redis
/** What is used of them. */
export interface Packages {
  readonly bullmq: Pick<typeof import('bullmq'), 'Queue' | 'Worker' | 'WaitingError' | 'UnrecoverableError'>
  readonly ioredis: Pick<typeof import('ioredis'), 'Redis'>
}

const load = async (): Promise<Packages> => {
  const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')])
  return { bullmq, ioredis }
}
type Load = typeof load

/** The packages; an error that says how to get them where they are not there. */
export async function queuePackages(from: Load = load): Promise<Packages> {
  try {
    return await from()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ERR_MODULE_NOT_FOUND' ? 'are not installed' : `cannot be loaded (${message.split('\n')[0]})`
    const names = ['bullmq', 'ioredis'].map((name) => `${name}@${peerDependencies[name]}`)
    throw new OverhearError(
      'E_INPUT',
      `a queue needs bullmq and ioredis, which ${why}`,
      `run \`npm install ${names.join(' ')}\``,
    )
  }
}

/** What connections are made with: requests wait until the server is there again, however long that takes. */
export function connectionOf({ host, port, db, username, password, tls }: QueueAddress) {
  return {
    ...{ host, port, db, maxRetriesPerRequest: null, connectTimeout: 10_000 },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { tls }),
    retryStrategy: (times: number) => Math.min(50 * times, 2000),
  }
}

/** A connection of one's own, once the server has answered; one that cannot be reached, or refuses, is an error. */
export async function connect({ ioredis }: Packages, address: QueueAddress): Promise<Redis> {
  let reached = false
  const { retryStrategy, ...options } = connectionOf(address)
  const redis = new ioredis.Redis({
    ...options,
    lazyConnect: true,
    retryStrategy: (times: number) => (reached ? retryStrategy(times) : null),
  })
  let why = ''
  redis.on('error', (error: Error) => {
    why = error.message
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    redis.disconnect()
    const found = `the queue at ${address.shown} cannot be used (${why === '' ? (error as Error).message : why})`
    const ours = address.tls === undefined ? '' : '; NODE_EXTRA_CA_CERTS has to name a certificate of its own'
    throw new OverhearError('E_INPUT', found, `look whether it runs, and at its password${ours}`)
  }
  reached = true
  return redis
}
