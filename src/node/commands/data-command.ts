/** `overhear data`: where datasets are looked for, and whether their files are here and whole. */
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { find } from '../../registry.js'
import { textTable } from '../../report/text-table.js'
import { dataFolders, type FileState, type FolderOptions, fileState } from '../files/dataset-files.js'
import { enterPlugins } from '../files/plugin-file.js'
import { print, printJson } from '../print.js'
import { commonFlags, parseNamed } from './arguments.js'

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
  const { values, name } = parseNamed(args, commonFlags)
  await enterPlugins(values.plugin ?? [], values['trust-plugins'])
  const dataDir = values['data-dir']
  const options: FolderOptions = dataDir === undefined ? {} : { dataDir }
  if (name !== undefined) {
    const state = await datasetState(find<DatasetEntry>(datasets, name), options)
    await (values.json ? printJson(state) : print(described(state)))
    return 0
  }
  const states = await Promise.all(Object.values(datasets).map((entry) => datasetState(entry, options)))
  const rows = states.map((state) => [state.id, inAWord(state), state.title])
  await (values.json ? printJson(states) : print(textTable(['dataset', 'files', 'title'], rows)))
  return 0
}
