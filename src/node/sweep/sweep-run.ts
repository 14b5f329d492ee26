/** A sweep from its file to its tables and page: what `overhear sweep` does once its flags are read. */
import { join } from 'node:path'
import { OverhearError } from '../../errors.js'
import { sweepPage } from '../../report/sweep-page.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { Crew } from '../../sweep/run-trials.js'
import { type SweepEvent, type SweepSummary, sweep } from '../../sweep/sweep.js'
import { type Drawn, drawnOf } from '../../sweep/trial-figures.js'
import type { TrialLine } from '../../sweep/trial-line.js'
import { defined } from '../commands/arguments.js'
import { fileStore } from '../files/file-store.js'
import { lockFolder } from '../files/folder-lock.js'
import { interruptible } from '../interrupt.js'
import { nodePorts, shownPath } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { type Progress, progress } from '../progress.js'
import { askedAddress } from '../queue/asked-queue.js'
import { labelOf, localCrew } from './local-crew.js'
import { loadSweep, type ReadySweep } from './sweep-file.js'
import { writeTables } from './sweep-outputs.js'
import { writeParquet } from './sweep-query.js'
import { openTrialLog, type TrialLogFile } from './trial-log-file.js'
import type { TrialProcesses } from './trial-processes.js'

/** What was asked for on the command line. */
export interface AskedSweep {
  readonly out?: string
  readonly dataDir?: string
  readonly workers?: number
  readonly seed?: number
  readonly seeds?: number
  readonly queue?: string
  readonly quiet: boolean
  readonly json: boolean
  readonly parquet: boolean
  readonly resume: boolean
  readonly retryFailed: boolean
  /** Worker processes of this machine, begun already or not. */
  readonly processes: TrialProcesses
}

export async function sweepFile(path: string, asked: AskedSweep): Promise<number> {
  const { quiet, dataDir, seed, seeds } = asked
  const ready = await loadSweep(path, {
    ports: nodePorts(defined({ dataDir })),
    quiet,
    ...defined({ dataDir, seed, seeds }),
  })
  const out = asked.out ?? join('runs', `sweep-${ready.plan.name}`)
  await fileStore(out).makeFolder('')
  const release = lockFolder(out)
  try {
    const log = await openTrialLog(out)
    try {
      refuseFinished(log, out, asked)
      return await interruptible((signal) => swept(ready, { asked, out, log, signal }))
    } finally {
      await log.close()
    }
  } finally {
    release()
  }
}

/** What is finished is not thrown away, and counts only where somebody says so. */
function refuseFinished(log: TrialLogFile, out: string, { resume, retryFailed }: AskedSweep): void {
  if (log.size === 0 || resume || retryFailed) return
  const found = `${out} holds ${log.size} finished trials`
  throw new OverhearError('E_INPUT', found, 'give --resume to go on with them, or take another --out')
}

interface Sweeping {
  readonly asked: AskedSweep
  readonly out: string
  readonly log: TrialLogFile
  readonly signal: AbortSignal
}

async function swept(ready: ReadySweep, { asked, out, log, signal }: Sweeping): Promise<number> {
  const { plan, axes, file, scenarioOf } = ready
  const limits = { seconds: file.secondsPerTrial, megabytes: file.megabytesPerWorker }
  const { queue, quiet, workers, dataDir, processes } = asked
  const crew = async (): Promise<Crew> =>
    queue === undefined
      ? localCrew({ limits, scenarioOf, processes, ...defined({ workers, dataDir }) })
      : queued(queue, { ready, limits, log, quiet })
  const run = sweep(plan, { log, crew, signal, retryFailed: asked.retryFailed })
  await follow(run, quiet)
  const summary = await run.result
  const [drawn, failures]: [Drawn[], Failure[]] = [[], []]
  async function* lines(): AsyncGenerator<TrialLine> {
    for (const { id, point } of summary.trials) {
      const line = await log.read(id)
      if (line === undefined) continue
      // It may have been kept by a sweep with other axes.
      const at = { ...point.shown }
      if (line.result !== null) drawn.push(drawnOf({ ...line, at }))
      else if (failures.length < mostTold) failures.push({ id, at, seed: line.seed, reason: line.reason })
      yield { ...line, at }
    }
  }
  await writeTables(out, axes, lines())
  await writePage(out, { name: plan.name, axes, drawn, total: summary.total, failed: summary.failed })
  if (asked.parquet) await writeParquet(out)
  const told = tell(summary, failures, out)
  await (asked.json ? printJson(told) : print(textOf(told)))
  if (!summary.complete) return 130
  return summary.failed > 0 ? 4 : 0
}

interface Queued {
  readonly ready: ReadySweep
  readonly limits: { readonly seconds: number; readonly megabytes: number }
  readonly log: TrialLogFile
  readonly quiet: boolean
}

async function queued(queue: string, { ready, limits, log, quiet }: Queued): Promise<Crew> {
  const address = await askedAddress(queue, quiet)
  const { queueCrew } = await import('../queue/index.js')
  const { data, scenarioOf } = ready
  const filesOf = (scenario: ScenarioInput) => data.marksOf({ params: {}, ...scenario.data })
  const placeOf = (sha256: string) => data.placeOf(sha256)
  return queueCrew({ address, limits, scenarioOf, filesOf, placeOf, isKept: (id) => log.state(id) === 'done' })
}

/** A page of small pictures beside the tables. */
async function writePage(out: string, picture: Parameters<typeof sweepPage>[0]): Promise<void> {
  const store = fileStore(out)
  await store.write('sweep.html.tmp', new TextEncoder().encode(sweepPage(picture)))
  await store.rename('sweep.html.tmp', 'sweep.html')
}

/** Failures that are told one by one. */
const mostTold = 20

type Failure = Pick<TrialLine, 'id' | 'at' | 'seed' | 'reason'>

const tell = ({ trials, complete, ...counts }: SweepSummary, failures: readonly Failure[], out: string) => ({
  ...counts,
  planned: trials.length,
  complete,
  failures,
  folder: shownPath(out),
})

function textOf({ name, planned, done, failed, before, complete, failures, folder }: ReturnType<typeof tell>): string {
  const known = before === 0 ? '' : `, ${before} of them before`
  return [
    `${name}: ${done} of ${planned} trials done, ${failed} failed${known}${complete ? '' : '; interrupted, --resume goes on'}`,
    ...failures.map(
      ({ at, seed, reason }) => `  failed: ${labelOf({ point: { shown: at, set: {} }, seed })}: ${reason}`,
    ),
    `  ${folder}: trials.jsonl, and trials, questions, scores and utility as CSV; sweep.html`,
  ].join('\n')
}

async function follow(events: AsyncIterable<SweepEvent>, quiet: boolean): Promise<void> {
  let bar: Progress | undefined
  let [ended, failed, before] = [0, 0, 0]
  try {
    for await (const event of events) {
      if (event.kind === 'planned') {
        before = event.finished
        bar ??= progress({ total: Math.max(1, event.total - event.finished), what: 'trials', quiet })
        continue
      }
      if (event.kind === 'ended') {
        ended++
        if (event.reason !== null) failed++
      }
      const known = before === 0 ? '' : `, ${before} before`
      bar?.tick(ended, `${failed} failed${known}; ${event.doing}`)
    }
  } finally {
    bar?.end()
  }
}
