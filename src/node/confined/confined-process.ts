/** A process of its own for code that is not trusted: it sees no file, starts nothing, and lives for one question. */
import { type ChildProcess, fork } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { internal, OverhearError } from '../../errors.js'
import { fromRoot } from '../package-root.js'
import type { CarriedError, FromProcess, Task, ToProcess } from './confined-messages.js'
import type { Answers } from './confined-view.js'
import { moduleText } from './module-texts.js'

/** A process whose code is loaded. */
export interface Confined {
  /** Does one thing, and answers what is asked meanwhile. What `tick` throws stops it. */
  act(task: Task, answers: Answers, tick?: (done: number, total: number) => void): Promise<unknown>
  end(): void
}

/** What a confined process refused, in its words. */
export class Refused extends Error {
  constructor(readonly error: CarriedError) {
    super(error.message)
  }
}

const living = new Set<ChildProcess>()
let heard: (pid: number, alive: boolean) => void = () => {}

/** Tells somebody who outlives this thread which processes it started: nobody else could end them. */
export function tellProcesses(to: typeof heard): void {
  heard = to
}

/** Ends all that were started by this thread. */
export function endConfined(): void {
  for (const one of living) one.kill('SIGKILL')
}
process.once('exit', endConfined)

/** Flags that leave a process no files but the package's own code, no other processes, no threads, and no code from text. */
function flags(): string[] {
  const known = process.allowedNodeEnvironmentFlags
  const confining = ['--permission', '--experimental-permission'].find((flag) => known.has(flag))
  if (confining === undefined) {
    const found = `this Node (${process.version}) cannot confine a plug-in`
    throw new OverhearError('E_INPUT', found, 'use Node 20.19 or later, or --trust-plugins for code that you trust')
  }
  const readable = ['dist/', 'package.json'].map((path) => `--allow-fs-read=${fileURLToPath(fromRoot(path))}`)
  return [
    confining,
    ...readable,
    ...['--experimental-vm-modules', '--disallow-code-generation-from-strings', '--no-warnings'],
  ]
}

const script = fromRoot('dist/bundle/node/confined/confined-child.js')

/** Starts a process and loads plug-ins in it, the one that matters last; what it says of that one. */
export async function openConfined(
  files: readonly string[],
): Promise<{ readonly confined: Confined; readonly loaded: unknown }> {
  const child = fork(fileURLToPath(script), [], {
    execArgv: flags(),
    env: {},
    cwd: fileURLToPath(fromRoot('.')),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  living.add(child)
  if (child.pid !== undefined) heard(child.pid, true)
  child.once('exit', () => {
    living.delete(child)
    if (child.pid !== undefined) heard(child.pid, false)
  })
  const confined = speakingTo(child)
  try {
    return { confined, loaded: await confined.act({ do: 'load', files }, {}) }
  } catch (error) {
    confined.end()
    throw error
  }
}

function speakingTo(child: ChildProcess): Confined {
  let current: { resolve(value: unknown): void; reject(error: Error): void } | undefined
  let answers: Answers = {}
  let tick: ((done: number, total: number) => void) | undefined
  let gone: string | undefined
  const send = (message: ToProcess): void => {
    if (child.connected) child.send(message, () => {})
  }
  const settle = (how: (one: NonNullable<typeof current>) => void): void => {
    const one = current
    current = undefined
    if (one !== undefined) how(one)
  }
  const lost = (how: string): void => {
    gone = how
    settle(({ reject }) => reject(new Refused({ code: '', message: `its process ${how}` })))
  }
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') resolve()
      else if (message.kind === 'ask') void answer(message)
      else if (message.kind === 'done') settle((one) => one.resolve(message.value))
      else if (message.kind === 'failed') settle((one) => one.reject(new Refused(message.error)))
      else {
        try {
          tick?.(message.done, message.total)
        } catch (error) {
          settle((one) => one.reject(error as Error))
          child.kill('SIGKILL')
        }
      }
    })
    child.once('exit', (code, signal) => {
      lost(signal === null ? `ended with code ${code}` : `was ended by ${signal}`)
      resolve()
    })
    child.once('error', (error) => {
      lost(`could not be started: ${error.message}`)
      resolve()
    })
  })
  const answer = async ({ id, to, given }: FromProcess & { readonly kind: 'ask' }): Promise<void> => {
    try {
      const all: Answers = { ...answers, source: moduleText as Answers[string] }
      if (!Object.hasOwn(all, to)) throw internal(`nothing answers to ${to}`)
      send({ kind: 'answer', id, value: await all[to]!(...(given as never[])) })
    } catch (error) {
      send({ kind: 'answer', id, error: (error as Error).message })
    }
  }
  return {
    async act(task, own, onTick) {
      await ready
      if (gone !== undefined) throw new Refused({ code: '', message: `its process ${gone}` })
      answers = own
      tick = onTick
      return new Promise((resolve, reject) => {
        current = { resolve, reject }
        send({ kind: 'task', task })
      })
    },
    end: () => void child.kill('SIGKILL'),
  }
}
