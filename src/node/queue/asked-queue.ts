/** The queue that `--queue` names, and attacks through it. */
import type { AuditThreads } from '../../audit/ports.js'
import { OverhearError } from '../../errors.js'
import { type QueueAddress, readAddress, requireGuarded } from './queue-address.js'

/** Its address; `env` is its name in the environment: then no list of processes shows a password. */
export async function askedAddress(queue: string, quiet: boolean): Promise<QueueAddress> {
  const address = readAddress(queue === 'env' ? undefined : queue)
  const warning = await requireGuarded(address)
  if (warning !== undefined && !quiet) process.stderr.write(`${warning}\n`)
  return address
}

export interface AskedJobs {
  readonly queue?: string | undefined
  readonly plugin?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
  readonly 'data-dir'?: string | undefined
}

/** Who runs the attacks of an audit: nobody but this machine's threads unless a queue is named. */
export async function askedJobs(values: AskedJobs): Promise<{ readonly jobs?: AuditThreads['jobs'] }> {
  const { queue, plugin = [], quiet = false, 'data-dir': dataDir } = values
  if (queue === undefined) return {}
  if (plugin.length > 0)
    throw new OverhearError('E_INPUT', '--queue and --plugin were given', 'workers run what the package brings alone')
  const { queueAttacks } = await import('./index.js')
  const address = await askedAddress(queue, quiet)
  return { jobs: queueAttacks({ address, ...(dataDir !== undefined && { dataDir }) }) }
}
