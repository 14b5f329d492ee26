// Who may import whom inside src/, and the functions that check it. The arrow: left of the transcript writes, right reads.
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { codeOf, lineAt } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

/** Files at the root of src that everybody may import; they themselves import only each other. */
export const openFiles = ['errors.ts', 'params.ts', 'papers.ts', 'registry.ts']

const belowAudit = [
  'settings',
  'numeric',
  'models',
  'transcript',
  'data',
  'accounting',
  'partition',
  'federation',
  'defences',
  'threat',
  'scenario',
  'attacks',
  'metrics',
  'verdict',
]
const atTheDoors = [
  'api',
  'settings',
  'accounting',
  'audit',
  'report',
  'scenario',
  'threat',
  'data',
  'partition',
  'federation',
  'defences',
  'models',
  'numeric',
  'transcript',
]

/**
 * For each folder of src (and the door) the folders it may import besides itself and the open files; with "type " before
 * the name only by `import type`.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const mayImport = {
  numeric: [],
  settings: [],
  models: ['numeric'],
  transcript: ['numeric', 'settings'],
  data: ['numeric'],
  accounting: ['numeric'],
  partition: ['numeric', 'data'],
  federation: ['settings', 'numeric', 'models', 'data', 'partition', 'transcript'],
  defences: ['numeric', 'models', 'transcript', 'federation', 'accounting'],
  scenario: ['settings', 'numeric', 'models', 'data', 'partition', 'federation', 'defences', 'transcript'],
  threat: ['numeric', 'transcript'],
  attacks: ['numeric', 'models', 'type transcript', 'type threat'],
  metrics: ['numeric', 'models', 'type attacks', 'type transcript'],
  verdict: ['numeric'],
  audit: belowAudit,
  sweep: ['settings', 'numeric', 'transcript', 'data', 'scenario', 'audit'],
  studies: [...belowAudit, 'audit'],
  report: ['audit', 'metrics', 'sweep', 'studies', 'numeric'],
  api: ['type audit'],
  // Attacks of plug-ins run in processes of this machine.
  node: [...atTheDoors, 'attacks', 'sweep', 'studies'],
  web: atTheDoors,
  doors: [...belowAudit, 'audit'],
  'index.ts': [...belowAudit, 'audit', 'report'],
}

/** Folders whose files import no package: it could read what they may not see. */
export const withoutPackages = ['threat', 'attacks']

const FROM =
  /\b(?:import|export)\s*(type\s+(?!from\b))?(?:[\w$]+\s*,?\s*)?(?:\*\s*(?:as\s+[\w$]+\s*)?|\{[^{}]*\}\s*)?from\s*(['"])( *)\2/dg
const BARE = /\bimport\s*\(?\s*(['"])( *)\1/dg

/** @typedef {{ specifier: string, to: string | undefined, typeOnly: boolean }} Import */

/**
 * What a file imports; `to` is the path in src of a relative import or of one by the package's own name, and begins with
 * "../" for a path outside.
 * @param {string} path @param {string} text @param {Sources} [sources] to tell .tsx from .ts
 * @returns {Import[]}
 */
export function importsOf(path, text, sources = {}) {
  const code = codeOf(text)
  /** @type {Import[]} */
  const found = []
  for (const [pattern, group] of /** @type {const} */ ([
    [FROM, 3],
    [BARE, 2],
  ])) {
    for (const match of code.matchAll(pattern)) {
      const specifier = text.slice(...(match.indices?.[group] ?? [0, 0]))
      const typeOnly = pattern === FROM && match[1] !== undefined
      found.push({ specifier, to: resolve(path, specifier, sources), typeOnly })
    }
  }
  return found
}

/** @param {string} path @param {string} specifier @param {Sources} sources */
function resolve(path, specifier, sources) {
  const own = /^overhear(?:\/(.+))?$/.exec(specifier)
  if (own)
    return own[1] === undefined
      ? 'index.ts'
      : /^(?:node|web)$/.test(own[1])
        ? `${own[1]}/index.ts`
        : `doors/${own[1]}.ts`
  if (!specifier.startsWith('.')) return undefined
  const plain = posix.join(posix.dirname(path), specifier)
  const stem = plain.replace(/\.js$/, '')
  return [`${stem}.ts`, `${stem}.tsx`, `${stem}.d.ts`].find((name) => name in sources) ?? plain.replace(/\.js$/, '.ts')
}

/** @param {string} path */
const layerOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path)

/** Imports that the table does not allow, as "attacks/leak.ts -> metrics/score.ts". @param {Sources} sources */
export function wrongImports(sources, table = mayImport) {
  /** @type {string[]} */
  const wrong = []
  for (const [path, text] of Object.entries(sources)) {
    const layer = layerOf(path)
    const open = openFiles.includes(layer)
    const row = table[layer]
    if (!open && row === undefined && !path.endsWith('.d.ts')) {
      wrong.push(`${path}: "${layer}" has no row in tools/layers.mjs`)
      continue
    }
    for (const { specifier, to, typeOnly } of importsOf(path, text, sources)) {
      // A URL, an absolute path or an escape may lead anywhere.
      if (/[%?#\\]|^\/|^(?!node:)[a-z][\w+.-]*:/i.test(specifier)) wrong.push(`${path} -> ${specifier} (no plain path)`)
      else if (to === undefined && withoutPackages.includes(layer)) wrong.push(`${path} -> ${specifier} (no packages)`)
      if (to === undefined || openFiles.includes(to)) continue
      const target = layerOf(to)
      const fits = !to.startsWith('../') && !open
      if (fits && (target === layer || row?.includes(target))) continue
      if (fits && row?.includes(`type ${target}`)) {
        if (!typeOnly) wrong.push(`${path} -> ${to} (types only)`)
      } else wrong.push(`${path} -> ${to}`)
    }
  }
  return wrong
}

/** Circles of imports, type-only ones included, as "a.ts -> b.ts -> a.ts": at least one of each knot. @param {Sources} sources */
export function importCycles(sources) {
  /** @type {string[]} */
  const cycles = []
  /** @type {Set<string>} */
  const done = new Set()
  /** @type {string[]} */
  const way = []
  /** @param {string} path */
  const visit = (path) => {
    if (way.includes(path)) {
      cycles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
      return
    }
    if (done.has(path)) return
    way.push(path)
    const targets = importsOf(path, sources[path] ?? '', sources).flatMap(({ to }) => (to === undefined ? [] : [to]))
    for (const to of new Set(targets)) if (to in sources) visit(to)
    way.pop()
    done.add(path)
  }
  for (const path of Object.keys(sources).sort()) visit(path)
  return cycles
}

const builtins = new Set(builtinModules)
const BROWSER = /(?:\b(?:globalThis|self)\s*\??\.\s*|(?<![\w$]|(?<!\.\.)\.))(document|window|navigator)\b/g

/** Node modules outside node/ and names of the browser outside web/, as "audit/a.ts:3: window". @param {Sources} sources */
export function foreignNames(sources) {
  /** @type {string[]} */
  const foreign = []
  for (const [path, text] of Object.entries(sources)) {
    if (layerOf(path) !== 'node') {
      for (const { specifier } of importsOf(path, text)) {
        if (specifier.startsWith('node:') || builtins.has(specifier)) foreign.push(`${path} -> ${specifier}`)
      }
    }
    if (layerOf(path) !== 'web') {
      const code = codeOf(text)
      for (const match of code.matchAll(BROWSER)) foreign.push(`${path}:${lineAt(code, match.index)}: ${match[1]}`)
    }
  }
  return foreign
}
