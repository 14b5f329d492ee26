/** `overhear reproduce`: tables and figures of the papers, measured here and shown beside theirs. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import { find } from '../../registry.js'
import { studyPage } from '../../report/study-page.js'
import { studyMarkdown, type ToldStudy } from '../../report/study-text.js'
import { cellsOf } from '../../studies/cells.js'
import { studies } from '../../studies/index.js'
import type { Study } from '../../studies/study.js'
import { fileStore } from '../files/file-store.js'
import { lockFolder } from '../files/folder-lock.js'
import { interruptible } from '../interrupt.js'
import { shownPath } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { progress } from '../progress.js'
import { askedAddress } from '../queue/asked-queue.js'
import { type CellCrew, localCells } from '../studies/cell-crew.js'
import { type CellLog, openCellLog } from '../studies/cell-log.js'
import { cellLimits, type Planned, runCells, secondsLeft, whyNot } from '../studies/reproduction.js'
import { toldStudy } from '../studies/told-study.js'
import { version } from '../version.js'
import { commonFlags, defined, parsePlaced, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  quick: { type: 'boolean' },
  workers: { type: 'string' },
  queue: { type: 'string' },
  seeds: { type: 'string' },
  resume: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parsePlaced<typeof flags>>['values']

export async function runReproduce(args: readonly string[]): Promise<number> {
  const { values, places } = parsePlaced(args, flags, ['a study, or "all" ("overhear list studies" shows them)'])
  const [name] = places as [string]
  if (values.plugin !== undefined) {
    throw new OverhearError('E_INPUT', '--plugin was given', 'studies run what the package brings alone')
  }
  const [workers, seed = 1, seeds] = (['workers', 'seed', 'seeds'] as const).map((flag) =>
    wholeNumber(flag, values[flag]),
  )
  const quick = values.quick ?? false
  const chosen = name === 'all' ? Object.values<Study>(studies) : [find<Study>(studies, name)]
  const out = values.out ?? join('runs', `reproduce-${name}${quick ? '-quick' : ''}`)
  const versions = { overhear: version, kernels: kernelHash }
  const planned: Planned[] = []
  for (const study of chosen) {
    planned.push({ study, cells: await cellsOf(study, { quick, seed, versions, ...defined({ seeds }) }) })
  }
  await fileStore(out).makeFolder('')
  const release = lockFolder(out)
  try {
    const log = await openCellLog(out)
    try {
      refuseFinished(log, out, values)
      return await interruptible((signal) => reproduced(planned, { values, out, log, signal, ...defined({ workers }) }))
    } finally {
      await log.close()
    }
  } finally {
    release()
  }
}

/** What is finished is not thrown away, and counts only where somebody says so. */
function refuseFinished(log: CellLog, out: string, { resume }: Flags): void {
  if (log.size === 0 || resume) return
  const found = `${out} holds ${log.size} finished cells`
  throw new OverhearError('E_INPUT', found, 'give --resume to go on with them, or take another --out')
}

interface Reproducing {
  readonly values: Flags
  readonly out: string
  readonly log: CellLog
  readonly signal: AbortSignal
  readonly workers?: number
}

async function reproduced(
  planned: readonly Planned[],
  { values, out, log, signal, workers }: Reproducing,
): Promise<number> {
  const { quick = false, quiet = false, 'data-dir': dataDir } = values
  const absent = new Map(planned.map(({ study }) => [study.id, whyNot(study, dataDir)]))
  const able = planned.filter(({ study }) => absent.get(study.id) === undefined)
  const left = able.flatMap(({ cells }) => cells).filter(({ id }) => log.read(id) === undefined).length
  if (!quiet) sayBefore(planned, { absent, left, seconds: secondsLeft(able, log, quick), workers })
  const bar = progress({ total: Math.max(1, left), what: 'cells', quiet })
  const crew = await crewFor(able, { values, log, ...defined({ workers, dataDir }) })
  const failures = await runCells(able, {
    log,
    quick,
    signal,
    crew,
    onEnd: (done, failed) => bar.tick(done + failed, `${failed} failed`),
  })
  bar.end()
  const told = planned.map((one) => toldStudy(one, { log, quick, failures, absent: absent.get(one.study.id) }))
  await writeAll(out, told)
  if (values.json) await printJson(told.length === 1 ? told[0] : told)
  else
    await print(
      [...told.map((one) => studyMarkdown(one)), `${shownPath(out)}: reproductions.html, reproductions.md`].join(
        '\n\n',
      ),
    )
  if (signal.aborted) {
    console.error('overhear: interrupted; what was finished is kept, --resume goes on')
    return 130
  }
  return told.some(({ run }) => run.trouble.length > 0) ? 4 : 0
}

interface Hiring {
  readonly values: Flags
  readonly log: CellLog
  readonly workers?: number
  readonly dataDir?: string
}

/** Processes of this machine, or whoever serves a queue. */
async function crewFor(able: readonly Planned[], { values, log, workers, dataDir }: Hiring): Promise<CellCrew> {
  const { queue, quiet = false } = values
  if (queue === undefined) return localCells({ limits: cellLimits, ...defined({ workers, dataDir }) })
  const address = await askedAddress(queue, quiet)
  const { queueCells } = await import('../queue/index.js')
  const data = [...new Set(able.flatMap(({ study }) => study.data))]
  const isKept = (id: string): boolean => log.read(id) !== undefined
  return queueCells({ address, data, limits: cellLimits, isKept, ...defined({ dataDir }) })
}

interface Before {
  readonly absent: ReadonlyMap<string, string | undefined>
  readonly left: number
  readonly seconds: number
  readonly workers: number | undefined
}

/** How much there is to do, and how long it may take. */
function sayBefore(
  planned: readonly Planned[],
  { absent, left, seconds, workers = availableParallelism() }: Before,
): void {
  for (const [id, why] of absent) if (why !== undefined) console.error(`overhear: ${id} is skipped: ${why}`)
  const lanes = Math.max(1, Math.min(workers, left))
  const minutes = Math.ceil(seconds / lanes / 60)
  const all = planned.reduce((sum, { cells }) => sum + cells.length, 0)
  console.error(
    `overhear: ${planned.length} ${planned.length === 1 ? 'study' : 'studies'}, ${left} of ${all} cells to run, about ${minutes} min with ${lanes} ${lanes === 1 ? 'worker' : 'workers'}`,
  )
}

/** A JSON file for each study, and one page and one text for all. */
async function writeAll(out: string, told: readonly ToldStudy[]): Promise<void> {
  const store = fileStore(out)
  const write = async (name: string, text: string): Promise<void> => {
    await store.write(`${name}.tmp`, new TextEncoder().encode(text))
    await store.rename(`${name}.tmp`, name)
  }
  for (const one of told) await write(`${one.study}.json`, `${JSON.stringify(one, null, 1)}\n`)
  await write('reproductions.html', studyPage(told))
  await write('reproductions.md', `${told.map((one) => studyMarkdown(one)).join('\n\n')}\n`)
}
