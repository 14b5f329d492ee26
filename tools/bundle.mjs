// Makes the dist/ that tsc wrote into what is shipped: a few bundles in place of a file per source, and of the type
// declarations those that an entry leads to. Run before packing; `node tools/build-ts.mjs --clean` brings the other back.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What somebody outside names: the entries of package.json and the scripts that worker threads start with. */
export function entriesOf(/** @type {{ exports: Record<string, { default: string }> }} */ about) {
  const doors = Object.values(about.exports).map(({ default: path }) => path.replace(/^\.\/dist\//, ''))
  return [...doors, 'node/threads/client-worker.js', 'node/threads/job-worker.js']
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

async function main() {
  const dist = join(root, 'dist')
  const entries = entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const kept = declarationsOf(entries, (path) => readFileSync(join(dist, path), 'utf8'))
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.js$/, ''), join(dist, path)])),
    platform: 'neutral',
    // Packages and Node's own modules stay where they are.
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(id),
  })
  const made = mkdtempSync(join(tmpdir(), 'overhear-bundle-'))
  await bundle.write({
    dir: made,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await bundle.close()
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = name.replaceAll('\\', '/')
    if (path.endsWith('.js') || (path.endsWith('.d.ts') && !kept.has(path))) rmSync(join(dist, name))
  }
  cpSync(made, dist, { recursive: true })
  rmSync(made, { recursive: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
