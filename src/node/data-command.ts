/** `overhear data` and `overhear list`: what datasets and partitions there are, and whether their files are here. */
import { parseArgs } from 'node:util'
import type { DatasetEntry } from '../data/definition.js'
import { datasets } from '../data/index.js'
import { lookup, OverhearError } from '../errors.js'
import type { Param, Params } from '../params.js'
import { partitions } from '../partition/index.js'
import { dataFolders, type FileState, type FolderOptions, fileState } from './dataset-files.js'
import { textTable } from './table.js'

const flags = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  seed: { type: 'string' },
  'data-dir': { type: 'string' },
} as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: true })
  } catch (error) {
    throw new OverhearError('E_INPUT', (error as Error).message.split('. ')[0]!.toLowerCase(), 'see "overhear --help"')
  }
}

/** At most one name. */
function oneName(names: readonly string[]): string | undefined {
  if (names.length <= 1) return names[0]
  throw new OverhearError('E_INPUT', `unexpected argument "${names[1]}"`, 'one name at a time')
}

interface DatasetState {
  readonly id: string
  readonly title: string
  readonly origin: DatasetEntry['origin']
  /** Whether it can be loaded as it is; null for a file of the user's own. */
  readonly ready: boolean | null
  readonly folders: readonly string[]
  readonly files: readonly FileState[]
  readonly obtain: string | null
}

export async function datasetState(entry: DatasetEntry, options: FolderOptions): Promise<DatasetState> {
  const { id, title, origin, obtain = null } = entry
  const folders = origin === 'files' ? dataFolders(options) : []
  const files = await Promise.all((entry.files ?? []).map((file) => fileState(file, folders)))
  const own = origin === 'files' && files.length === 0
  const ready = own ? null : files.every(({ state }) => state === 'whole')
  return { id, title, origin, ready, folders, files, obtain }
}

const inAWord = ({ origin, ready, files }: DatasetState): string => {
  if (origin !== 'files') return 'inside'
  if (ready === null) return 'yours'
  if (ready) return 'whole'
  const bad = files.filter(({ state }) => state !== 'whole')
  if (bad.some(({ state }) => state === 'changed')) return 'changed'
  return bad.length === files.length ? 'missing' : 'part missing'
}

function described(state: DatasetState): string {
  const { id, title, origin, folders, files, obtain, ready } = state
  const head = `${id}: ${title}`
  if (origin === 'embedded') return `${head}\nIt is inside the package: nothing to get.`
  if (origin === 'generator') return `${head}\nIt is generated from the seed: nothing to get.`
  const places = folders.map((folder) => `  ${folder}`).join('\n')
  if (ready === null) return `${head}\nName it by "file": from here, or in one of\n${places}`
  const rows = files.map(({ file, state: found, path }) => [file, found, path ?? '-'])
  const content = files.map(({ file, content: what, sha256 }) => `  ${file}: ${what}\n    sha256 ${sha256}`).join('\n')
  return [
    head,
    `Looked for in\n${places}`,
    textTable(['file', 'state', 'found at'], rows),
    `What the files hold\n${content}`,
    ...(obtain === null ? [] : [`To be had from ${obtain}.`]),
  ].join('\n\n')
}

export async function runData(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args)
  const name = oneName(positionals)
  const dataDir = values['data-dir']
  const options: FolderOptions = dataDir === undefined ? {} : { dataDir }
  if (name !== undefined) {
    const state = await datasetState(lookup<DatasetEntry>(datasets, name, 'dataset'), options)
    console.log(values.json ? JSON.stringify(state) : described(state))
    return 0
  }
  const states = await Promise.all(Object.values(datasets).map((entry) => datasetState(entry, options)))
  const rows = states.map((state) => [state.id, inAWord(state), state.title])
  console.log(values.json ? JSON.stringify(states) : textTable(['dataset', 'files', 'title'], rows))
  return 0
}

function paramText([name, param]: [string, Param]): string {
  const usual = Array.isArray(param.default) ? param.default.join() : String(param.default)
  return `    ${name}${usual === '' ? '' : ` = ${usual}`}: ${param.doc}`
}

interface Listed {
  readonly id: string
  readonly title: string
  readonly paper: string | null
  readonly params: Params
}

const listings = {
  datasets: () =>
    Object.values<DatasetEntry>(datasets).map(
      ({ id, title, origin, tasks, predicts, sensitive, paper = null, params }) => {
        return { id, title, origin, tasks, predicts, sensitive, paper, params }
      },
    ),
  partitions: () =>
    Object.values(partitions).map(({ id, title, paper = null, params }) => ({ id, title, paper, params })),
} as const satisfies Readonly<Record<string, () => readonly Listed[]>>

export async function runList(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args)
  const what = oneName(positionals)
  if (what === undefined) {
    throw new OverhearError('E_INPUT', 'list of what?', `known: ${Object.keys(listings).join(', ')}`)
  }
  const rows = lookup<() => readonly Listed[]>(listings, what, 'list')()
  const text = ({ id, title, paper, params }: Listed): string => {
    const from = paper === null ? '' : ` [${paper}]`
    return [`${id}: ${title}${from}`, ...Object.entries(params).map(paramText)].join('\n')
  }
  console.log(values.json ? JSON.stringify(rows) : rows.map(text).join('\n'))
  return 0
}
