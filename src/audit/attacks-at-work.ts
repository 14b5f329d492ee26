/** Attacks at work: jobs are added as trainings end, each result is kept as it comes, and a signal stops them all. */
import { OverhearError } from '../errors.js'
import { kernelHash } from '../numeric/engine/kernel-bytes.js'
import type { StopSignal } from '../scenario/running.js'
import type { Finished } from './assemble.js'
import type { AttackResult } from './attack-result.js'
import { keptFolder, runTasks, type Task } from './audit-tasks.js'
import { openResultLog } from './folder/result-log.js'
import type { AuditPorts, JobPool, RunFolder } from './ports.js'

export interface Attacking {
  readonly run: RunFolder
  readonly hash: string
  /** An attack that takes longer is stopped; null: none is. */
  readonly seconds: number | null
  readonly options: {
    readonly ports: AuditPorts
    readonly signal?: StopSignal
    readonly resume?: boolean
    readonly repair?: boolean
  }
  emit(event: AttackedEvent): void
}

/** An attack is finished, one of so many. */
export interface AttackedEvent {
  readonly kind: 'attacked'
  readonly done: number
  readonly total: number
  readonly result: AttackResult
}

export interface Attacked {
  readonly finished: readonly Finished[]
  readonly complete: boolean
}

export interface AttacksAtWork {
  /** Trains plants in the threads that attack; undefined where these do not train. */
  readonly plant: JobPool['plant']
  /** Runs what is not finished yet. */
  add(tasks: readonly Task[]): void
  /** Waits for those that were added, and hands over what they found; undefined where one was given up. */
  settled(): Promise<readonly Finished[] | undefined>
  /** Waits for all of them; an interruption keeps what is finished. */
  end(): Promise<Attacked>
  /** Gives up on those that are not finished. */
  stop(): Promise<void>
}

export async function beginAttacking({ run, hash, seconds, options, emit }: Attacking): Promise<AttacksAtWork> {
  const { ports, signal, repair = false, resume = repair } = options
  if (!resume) await run.forget?.(keptFolder)
  const log = await openResultLog(run.folder(''), 'results.jsonl', { fresh: !resume, repair })
  const pool = ports.threads.jobs({ secondsPerJob: seconds })
  const close = (): void => void pool.close()
  signal?.addEventListener('abort', close)
  if (signal?.aborted) await pool.close()
  const finished: Finished[] = []
  const parts: Promise<Finished[]>[] = []
  let total = 0
  const stop = async (): Promise<void> => {
    signal?.removeEventListener('abort', close)
    await pool.close()
    await Promise.allSettled(parts)
  }
  return {
    plant: pool.plant,
    add(tasks) {
      total += tasks.length
      const part = runTasks(tasks, {
        pool,
        log,
        context: { hash, version: ports.versions.overhear, kernelHash },
        onFinished(one) {
          finished.push(one)
          emit({ kind: 'attacked', done: finished.length, total, result: one.result })
        },
      })
      // Heard at the end, unless the training fails first.
      part.catch(() => {})
      parts.push(part)
    },
    async settled() {
      const all = await Promise.allSettled(parts)
      return all.every(({ status }) => status === 'fulfilled') ? finished : undefined
    },
    async end() {
      try {
        return { finished: (await Promise.all(parts)).flat(), complete: true }
      } catch (error) {
        if (!(error instanceof OverhearError && error.code === 'E_INTERRUPTED')) throw error
        return { finished, complete: false }
      } finally {
        await stop()
      }
    },
    stop,
  }
}
