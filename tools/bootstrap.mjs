// Makes a fresh clone ready to run: installs when node_modules is absent or older than the lock file, then builds.
// Uses nothing but Node, because it runs before anything is installed. `npm install` rather than `npm ci`: the latter
// refuses lock files written on a platform where other platforms' optional binaries could not be resolved.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const shell = process.platform === 'win32'
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell })
  if (done.error) console.error(`bootstrap: ${command} could not be started: ${done.error.message}`)
  if (done.status !== 0) {
    console.error(`bootstrap: "${command} ${args.join(' ')}" failed (exit code ${done.status})`)
    process.exit(done.status ?? 1)
  }
}

const stamp = `${root}node_modules/.package-lock.json`
const fresh = existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs
if (!fresh) {
  console.error('bootstrap: installing dependencies')
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'])
}
run('npm', ['run', '--silent', 'build:ts'])
