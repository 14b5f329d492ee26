/** From what the page asks for to the arguments of an audit, and the folder of its run. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { StartRequest } from '../../api/requests.js'
import { OverhearError } from '../../errors.js'
import { parseYaml } from '../files/scenario-file.js'
import { aboutUpload, importUpload, recordingAt } from './about-upload.js'
import { type RunList, scenarioFile, startFile } from './run-list.js'
import { fileOf, readForPage } from './scenario-form.js'
import { slugOf } from './table-scenario.js'
import type { Uploads } from './uploads.js'

/** What is kept of a start, so that it can be resumed: arguments besides the folder. */
const started = z.strictObject({ args: z.array(z.string()) })

export interface Starting {
  readonly runs: RunList
  readonly uploads: Uploads
  /** Arguments for every audit: those that the server was given. */
  readonly always: readonly string[]
}

export interface Started {
  readonly id: string
  readonly args: readonly string[]
}

export async function prepareStart(request: StartRequest, { runs, uploads, always }: Starting): Promise<Started> {
  if ('yaml' in request) {
    const scenario = readForPage(parseYaml(request.yaml, 'the scenario'))
    const file = fileOf(scenario)
    if (file !== null) uploads.path(file)
    const { id, folder } = newRun(runs, scenario.name)
    writeFileSync(join(folder, scenarioFile), request.yaml, { mode: 0o600 })
    if (file !== null) await uploads.into(file, folder)
    return keep(id, folder, [join(folder, scenarioFile)], always)
  }
  const { recording, table } = request
  let path = uploads.path(recording)
  const about = await aboutUpload(recording, path)
  if (about.kind === 'table')
    throw new OverhearError('E_INPUT', `${recording} is a table`, 'start a scenario that names it')
  const data = table === undefined ? [] : tableArgs(table, uploads)
  const { id, folder } = newRun(runs, slugOf(recording))
  if (about.kind === 'arrays') {
    const made = join(folder, 'imported')
    await importUpload(path, made)
    path = made
  }
  const paths = recordingAt(path)!
  const known = table === undefined ? { '--knowledge': paths.knowledge, '--truth': paths.truth } : {}
  const flags = Object.entries(known).flatMap(([flag, one]) => (one === undefined ? [] : [flag, resolve(one)]))
  return keep(id, folder, ['--transcript', resolve(paths.transcript), ...flags, ...data], always)
}

/** The same audit again in the same folder: what is finished there counts. */
export function prepareResume(id: string, { runs, always }: Starting): Started {
  const folder = runs.folder(id)
  const file = join(folder, startFile)
  if (!existsSync(file)) {
    throw new OverhearError('E_INPUT', `${id} was not started from a page`, 'resume it by "overhear audit --resume"')
  }
  const { args } = started.parse(JSON.parse(readFileSync(file, 'utf8')))
  return { id, args: [...args, '--out', folder, '--resume', ...always] }
}

/** The recording that an audit of the page is of; null where it is of none. */
export function startedTranscript(folder: string): string | null {
  const file = join(folder, startFile)
  if (!existsSync(file)) return null
  const read = started.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  const at = read.success ? read.data.args.indexOf('--transcript') : -1
  return at < 0 ? null : (read.data!.args[at + 1] ?? null)
}

function keep(id: string, folder: string, args: readonly string[], always: readonly string[]): Started {
  writeFileSync(join(folder, startFile), `${JSON.stringify({ args })}\n`, { mode: 0o600 })
  return { id, args: [...args, '--out', folder, ...always] }
}

/** A folder of its own, named after what is audited and when. */
function newRun(runs: RunList, name: string): { id: string; folder: string } {
  const [day, time] = new Date().toISOString().replace(/[-:]/g, '').split(/[T.]/)
  const id = `${name}-${day}-${time}-${randomBytes(2).toString('hex')}`
  const folder = resolve(runs.place(id))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return { id, folder }
}

function tableArgs(
  { upload, label, client, sensitive = [] }: NonNullable<Extract<StartRequest, { recording: string }>['table']>,
  uploads: Uploads,
): string[] {
  const wanted = ['--data', resolve(uploads.path(upload)), `--label=${label}`, `--client-column=${client}`]
  return [...wanted, ...sensitive.map((one) => `--sensitive=${one}`)]
}
