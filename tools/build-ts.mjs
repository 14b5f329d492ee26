// Compiles src/ to dist/, and bundles that into dist/bundle, from where it runs, and dist/page. tsc keeps its notes outside of dist/ and would
// trust them where dist/ is gone: then, and with `--clean`, which also clears away what sources that were moved have left
// behind, everything is compiled anew.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const clean = process.argv.includes('--clean')
if (clean) rmSync(`${root}dist`, { recursive: true, force: true })
const anew = clean || !existsSync(`${root}dist/index.js`)
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const args = [tsc, '-b', ...(anew ? ['--force'] : []), 'src', 'src/node', 'src/web']
const done = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = done.status ?? 1
if (done.status === 0) {
  await (await import('./bundle.mjs')).bundle()
  await (await import('./build-page.mjs')).buildPage()
}
