// Bundles what tsc wrote to dist/ into dist/bundle: a few files that load quickly in place of one per source. The command,
// its worker threads and the doors of package.json all run from there, so that they share their tables. build-ts.mjs calls
// it; `node tools/bundle.mjs --ship` then leaves in dist/ what is shipped: the bundle, and type declarations that an entry
// leads to. `node tools/build-ts.mjs --clean` brings the rest back.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const out = join(dist, 'bundle')

/** Packages that are bundled too: their many files would take longer to find than to run. */
const inlined = ['zod', 'yaml', 'hono', '@hono/node-server']
/** Packages whose licences are told: these, and what the page is made of. */
const told = [...inlined, 'preact']

/** Whether it is one of them, or a part of one. @param {string} id */
const isInlined = (id) => inlined.some((name) => id === name || id.startsWith(`${name}/`))

/** What somebody outside names: the entries of package.json, as files below dist/. */
export function doorsOf(/** @type {{ exports: Record<string, { default: string }> }} */ about) {
  return Object.values(about.exports).map(({ default: path }) => path.replace(/^\.\/dist\/bundle\//, ''))
}

/** What the command starts with, worker threads, confined processes, trials of sweeps, and the worker of the page's lab. */
const scripts = [
  ...['node/cli.js', 'node/threads/thread-worker.js', 'node/confined/confined-child.js'],
  ...['node/sweep/trial-child.js', 'web/lab-worker.js'],
]

/**
 * Who is loaded together. The layers of tools/layers.mjs keep these apart: a group needs those above it alone. What only
 * one command needs stays in a file of its own.
 */
const groups = [
  // What the command needs before it knows what it is asked: small, and in need of nothing else.
  {
    name: 'open',
    test: /[\\/]dist[\\/](errors|params|papers|registry|transcript[\\/](store|json-pieces)|audit[\\/]figures)\.js$/,
  },
  ...['zod', 'yaml', 'hono'].map((name) => ({ name, test: new RegExp(`[\\\\/]node_modules[\\\\/]@?${name}[\\\\/]`) })),
  { name: 'numeric', test: rooms('numeric', 'models') },
  {
    name: 'world',
    // With what tells how long one takes, which threads ask too.
    test: new RegExp(
      `${
        rooms(
          ...['settings', 'transcript', 'data', 'partition', 'federation'],
          ...['defences', 'accounting', 'scenario', 'threat'],
        ).source
      }|[\\\\/]dist[\\\\/]node[\\\\/]threads[\\\\/]soon-done\\.js$`,
    ),
  },
  { name: 'audit', test: rooms('attacks', 'metrics', 'verdict', 'audit') },
  { name: 'sweep', test: rooms('sweep') },
  // The page of studies stays with them, in the file of their own that node/studies/index.js becomes.
  { name: 'report', test: /[\\/]dist[\\/]report[\\/](?!study-)/ },
  {
    name: 'basics',
    test: /[\\/]dist[\\/]node[\\/](files[\\/](file-store|machine-faults|make-folder|regular-file)|print|progress|show-progress|tell-parent|hour|arguments|interrupt|package-root|sweep[\\/]trial-processes)\.js$/,
  },
  {
    name: 'files',
    test: /[\\/]dist[\\/]node[\\/](files[\\/](setup-file|scenario-file|audit-file|dataset-files)|recording-ports|node-ports)\.js$/,
  },
  // Commands that need all of an audit anyway.
  {
    name: 'judging',
    test: /[\\/]dist[\\/]node[\\/](commands[\\/](attack|report|advise|simulate|calibrate|compare|forecast)-command|files[\\/]advice-file)\.js$/,
  },
  { name: 'primitives', test: /[\\/]dist[\\/]node[\\/]threads[\\/](key-line|native-primitives)\.js$/ },
  { name: 'queue', test: rooms('node[\\\\/]queue') },
  { name: 'trials', test: /[\\/]dist[\\/]node[\\/]sweep[\\/](?!trial-child|trial-processes)/ },
  { name: 'serve', test: rooms('node[\\\\/]serve', 'api') },
]

/** @param {readonly string[]} names */
function rooms(...names) {
  return new RegExp(`[\\\\/]dist[\\\\/](${names.join('|')})[\\\\/]`)
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g

/**
 * Type declarations that entries lead to, themselves included.
 * @param {readonly string[]} entries as paths of .js files @param {(path: string) => string} read
 */
export function declarationsOf(entries, read) {
  const seen = new Set(entries.map((path) => path.replace(/\.js$/, '.d.ts')))
  for (const path of seen) {
    for (const [, , to = ''] of read(path).matchAll(IMPORT)) {
      seen.add(posix.join(posix.dirname(path), to).replace(/\.js$/, '.d.ts'))
    }
  }
  return seen
}

const about = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Files below dist/ that are no part of the bundle, nor of the page. */
const compiled = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => !/^(bundle|page\/)/.test(path) && /\.(js|d\.ts)$/.test(path))

/** What a bundle is made of: the compiled code, the packages in it, and how it is made. */
function sourceHash() {
  const hash = createHash('sha256')
  const others = ['package.json', 'package-lock.json', 'tools/bundle.mjs'].map((path) => join(root, path))
  const scriptsIn = compiled().filter((path) => path.endsWith('.js'))
  for (const path of [...others, ...scriptsIn.sort().map((one) => join(dist, one))]) {
    const bytes = readFileSync(path)
    hash.update(`${path.slice(root.length)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** Makes dist/bundle, unless it is made of the same already. */
export async function bundle() {
  const [stamp, hash] = [join(out, 'made-of.txt'), sourceHash()]
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    input: Object.fromEntries([...doorsOf(about()), ...scripts].map((path) => [path.slice(0, -3), join(dist, path)])),
    platform: 'neutral',
    preserveEntrySignatures: 'allow-extension',
    // Node's own modules stay where they are, and packages that are not always there.
    external: (id) => /^[^./\\]/.test(id) && !/^[A-Za-z]:[\\/]/.test(id) && !isInlined(id),
  })
  // Beside it, and then moved into its place: whoever starts meanwhile finds a whole one.
  const fresh = `${out}-${process.pid}`
  await made.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    codeSplitting: { groups, includeDependenciesRecursively: false },
  })
  await made.close()
  writeFileSync(join(fresh, 'LICENCES.txt'), licences())
  writeFileSync(join(fresh, 'made-of.txt'), hash)
  rmSync(out, { recursive: true, force: true })
  renameSync(fresh, out)
}

/** What the makers of the packages ask to be said with them. */
const licences = () =>
  told.map((name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`).join('\n\n')

/** Functions, classes and what a file has at its top keep their names, so that a trace of errors can be read. */
const names = { function: true, class: true }
/** How shipped code is made small: without what only readers need, and what is never reached. */
const small = { module: true, compress: { keepNames: names }, mangle: { toplevel: false, keepNames: names } }

/** Leaves what is shipped, made small; studies stay as they are, whose cells are named after their text. */
async function ship() {
  const { minifySync } = await import('rolldown/utils')
  const chunks = join(out, 'chunks')
  for (const name of readdirSync(chunks).filter((one) => !one.startsWith('studies-'))) {
    const { code, errors } = minifySync(name, readFileSync(join(chunks, name), 'utf8'), small)
    if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
    writeFileSync(join(chunks, name), code)
  }
  const kept = declarationsOf(doorsOf(about()), (path) => readFileSync(join(dist, path), 'utf8'))
  for (const path of compiled()) {
    if (path.endsWith('.js') || !kept.has(path)) rmSync(join(dist, path))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await bundle()
  if (process.argv.includes('--ship')) await ship()
}
