/** `overhear worker`: runs trials of sweeps that come through a queue. */
import { availableParallelism } from 'node:os'
import { harmless, OverhearError } from '../../errors.js'
import { interruptible } from '../interrupt.js'
import { print, printJson } from '../print.js'
import { readAddress, requireGuarded } from '../queue/queue-address.js'
import { queueName } from '../queue/queue-job.js'
import { serveQueue } from '../queue/queue-worker.js'
import { commonFlags, defined, parseFlags, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  queue: { type: 'string' },
  concurrency: { type: 'string' },
  lease: { type: 'string' },
  idle: { type: 'string' },
} as const

export async function runWorker(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, flags)
  if (values.plugin !== undefined) {
    throw new OverhearError('E_INPUT', '--plugin was given', 'a worker runs what the package brings alone')
  }
  const address = readAddress(values.queue === 'env' ? undefined : values.queue)
  const [concurrency, lease, idle] = (['concurrency', 'lease', 'idle'] as const).map((name) =>
    wholeNumber(name, values[name]),
  )
  const tell = (line: string): void => {
    if (!values.quiet) process.stderr.write(`${harmless(line)}\n`)
  }
  const warning = await requireGuarded(address)
  if (warning !== undefined) tell(warning)
  const size = concurrency ?? availableParallelism()
  tell(`serving ${queueName} at ${address.shown}, ${size} at a time`)
  return interruptible(async (signal) => {
    const options = { address, concurrency: size, lease: lease ?? 30, signal, tell }
    const trials = await serveQueue({ ...options, ...defined({ idle, dataDir: values['data-dir'] }) })
    await (values.json ? printJson({ trials }) : print(`${trials} trials done`))
    return signal.aborted ? 130 : 0
  })
}
