// Whether this tree could be released as it stands: `npm run release -- --check` builds dist/ anew, checks the changelog,
// the versions, the git tree and what the package would hold, and prints the commands that remain. It publishes nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'yaml'

/**
 * @typedef {{ name: string, version: string, license?: string, bin?: Record<string, string>, exports?: unknown,
 *   dependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Package
 * @typedef {{ path: string, size: number, mode: number }} PackedFile
 * @typedef {{ size: number, files: readonly PackedFile[] }} Packed as `npm pack --dry-run --json` tells it
 */

export const limits = { files: 400, bytes: 1_000_000 }

/** Faults of the section of CHANGELOG.md for a version. @param {string} changelog @param {string} version */
export function changelogFaults(changelog, version) {
  const lines = changelog.split('\n')
  const at = lines.findIndex((line) => line.startsWith('## ') && line.split(' ')[1] === version)
  if (at < 0) return [`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`]
  const heading = lines[at] ?? ''
  const date = /^## \S+ \((\d{4}-\d{2}-\d{2})\)$/.exec(heading)?.[1]
  const end = lines.findIndex((line, i) => i > at && line.startsWith('## '))
  const body = lines.slice(at + 1, end < 0 ? undefined : end)
  return [
    ...(date === undefined || !isDay(date) ? [`CHANGELOG.md: "${heading}" has no date; write (YYYY-MM-DD)`] : []),
    ...(body.some((line) => line.trim() !== '') ? [] : [`CHANGELOG.md: the section of ${version} is empty`]),
  ]
}

/** @param {string} date */
function isDay(date) {
  const day = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

/**
 * Where package.json, package-lock.json and CITATION.cff disagree.
 * @param {{ about: Package, lock: { version?: string, packages?: Record<string, Partial<Package>> }, citation: string }} files
 */
export function versionFaults({ about, lock, citation }) {
  const root = lock.packages?.[''] ?? {}
  const cited = /** @type {Record<string, unknown>} */ (parse(citation) ?? {})
  /** @type {[string, unknown, unknown][]} */
  const pairs = [
    ['version of package-lock.json', lock.version, about.version],
    ['version of the root in package-lock.json', root.version, about.version],
    ['version of CITATION.cff', cited.version, about.version],
    ['licence of CITATION.cff', cited.license, about.license],
    ['dependencies in package-lock.json', root.dependencies ?? {}, about.dependencies ?? {}],
    ['peer dependencies in package-lock.json', root.peerDependencies ?? {}, about.peerDependencies ?? {}],
  ]
  return pairs.flatMap(([what, found, wanted]) => {
    const [a, b] = [sorted(found), sorted(wanted)]
    return a === b ? [] : [`the ${what}: ${a}, but package.json says ${b}`]
  })
}

/** @param {unknown} value */
function sorted(value) {
  if (typeof value !== 'object' || value === null) return String(value)
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** @param {{ branch: string, status: string }} tree what git says of the branch and, by --porcelain, of the files */
export function treeFaults({ branch, status }) {
  const changed = status.split('\n').filter((line) => line !== '')
  return [
    ...(branch === 'main' ? [] : [`the branch is ${branch}, not main`]),
    ...(changed.length === 0 ? [] : [`the tree is not clean: ${changed.slice(0, 5).join(', ')}`]),
  ]
}

/**
 * What the package holds that it should not, or lacks.
 * @param {Packed} packed @param {Package} about @param {(path: string) => string} read the text of a file of the package
 */
export function packFaults(packed, about, read) {
  const { files, size } = packed
  const modes = new Map(files.map(({ path, mode }) => [path, mode]))
  /** @param {string} why @param {(path: string) => boolean} bad */
  const none = (why, bad) =>
    files.filter(({ path }) => bad(path)).map(({ path }) => `${path} is in the package: ${why}`)
  const needed = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']
  const bins = Object.values(about.bin ?? {}).map(plain)
  const entries = [...namesIn(about.exports), ...bins]
  return [
    ...(files.length > limits.files ? [`the package has ${files.length} files, more than ${limits.files}`] : []),
    ...(size > limits.bytes ? [`the package takes ${size} bytes, more than ${limits.bytes}`] : []),
    ...none('a source map', (path) => path.endsWith('.map')),
    ...none('notes of the compiler', (path) => path.endsWith('.tsbuildinfo')),
    ...none('a test', (path) => /(^|\/)(test|tests)\/|\.test\.[^/]+$/.test(path)),
    ...[...needed, ...entries].filter((path) => !modes.has(path)).map((path) => `${path} is not in the package`),
    ...bins.flatMap((path) => {
      const mode = modes.get(path)
      if (mode === undefined) return []
      const runs = (mode & 0o111) !== 0 && read(path).startsWith('#!')
      return runs ? [] : [`${path} cannot be executed: it needs the mode and a first line for the shell`]
    }),
    ...importFaults(new Set(modes.keys()), entries, read),
  ]
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"]+)\1/g
/** What is named from the root of the package, such as a worker. */
const ROOTED = /(['"])(dist\/[^'"]+\.js)\1/g

/**
 * Imports that lead out of the package, and compiled code to which no entry leads: it is there for tests alone.
 * @param {ReadonlySet<string>} there @param {readonly string[]} entries @param {(path: string) => string} read
 */
function importFaults(there, entries, read) {
  /** @type {string[]} */
  const faults = []
  const seen = new Set(entries)
  for (const path of seen) {
    if (!there.has(path) || !/\.([cm]?js|d\.[cm]?ts)$/.test(path)) continue
    for (const [, , to = ''] of read(path).matchAll(IMPORT)) {
      const target = posix.join(posix.dirname(path), path.endsWith('ts') ? to.replace(/\.([cm]?)js$/, '.d.$1ts') : to)
      if (!there.has(target) && !target.endsWith('/'))
        faults.push(`${path} needs ${target}, which is not in the package`)
      seen.add(target)
    }
    for (const [, , target = ''] of read(path).matchAll(ROOTED)) if (there.has(target)) seen.add(target)
  }
  /** @param {string} text */
  const hasCode = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|export \{\s*\};?/g, '').trim() !== ''
  const unused = [...there].filter((path) => /^dist\/.*\.js$/.test(path) && !seen.has(path) && hasCode(read(path)))
  return [...faults, ...unused.map((path) => `${path} is in the package, but nothing in it leads there`)]
}

/** @param {string} path */
const plain = (path) => posix.normalize(path)

/** Every path in an "exports" of package.json. @param {unknown} exported @returns {string[]} */
function namesIn(exported) {
  if (typeof exported === 'string') return [plain(exported)]
  if (typeof exported !== 'object' || exported === null) return []
  return [...new Set(Object.values(exported).flatMap(namesIn))]
}

/** What remains to be done by hand, as commands. @param {Package} about */
export function commands({ name, version }) {
  return [
    `git tag -a v${version} -m "${name} ${version}"`,
    `git push origin main v${version}`,
    'npm publish', // builds anew by itself
  ]
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function output(command, args, cwd) {
  const shell = process.platform === 'win32' && command === 'npm'
  const done = spawnSync(command, args, { cwd, shell, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (done.status === 0) return done.stdout
  throw new Error(`"${command} ${args.join(' ')}" failed: ${done.error?.message ?? done.stderr}`)
}

function main() {
  if (!process.argv.includes('--check')) {
    console.error('usage: npm run release -- --check')
    return 2
  }
  const root = fileURLToPath(new URL('..', import.meta.url))
  const read = (/** @type {string} */ path) => readFileSync(`${root}${path}`, 'utf8')
  /** @type {Package} */
  const about = JSON.parse(read('package.json'))
  output(process.execPath, ['tools/build-ts.mjs', '--clean'], root)
  const [packed] = JSON.parse(output('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], root))
  const git = (/** @type {string[]} */ ...args) => output('git', args, root).trim()
  const faults = [
    ...changelogFaults(read('CHANGELOG.md'), about.version),
    ...versionFaults({ about, lock: JSON.parse(read('package-lock.json')), citation: read('CITATION.cff') }),
    ...treeFaults({ branch: git('rev-parse', '--abbrev-ref', 'HEAD'), status: git('status', '--porcelain') }),
    ...packFaults(packed, about, read),
  ]
  console.log(`${about.name} ${about.version}: ${packed.files.length} files, ${packed.size} bytes packed`)
  for (const fault of faults) console.error(`release: ${fault}`)
  if (faults.length > 0) return 1
  console.log(`ready; to release:\n${commands(about).join('\n')}`)
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main()
