// A copy of the repository to break things in: sources of its own, built by itself, node_modules borrowed.
import { fork, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {import('./run-tests.mjs').Told} Told */

/**
 * @typedef {object} Ended
 * @property {'passed' | 'failed' | 'stalled' | 'crashed'} how
 * @property {string | null} file The test file that failed or did not end.
 * @property {string | null} name
 */

/** Files of a repository as they lie there, ignored ones aside. @param {string} root */
export function filesOf(root) {
  const listed = spawnSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`)
  return [...new Set(listed.stdout.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path))).sort()
}

/** @param {string} root @param {{ workers: number, stallSeconds: number }} options */
export function openCopy(root, { workers, stallSeconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-mutate-'))
  const [tree, temporary] = [join(folder, 'tree'), join(folder, 'tmp')]
  mkdirSync(temporary, { recursive: true })
  for (const path of filesOf(root)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    cpSync(join(root, path), join(tree, path))
  }
  if (existsSync(join(root, 'dist')))
    cpSync(join(root, 'dist'), join(tree, 'dist'), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'dir')
  // A variable that a mutant leaves unused is no mistake that types find.
  const base = join(tree, 'tsconfig.base.json')
  writeFileSync(base, readFileSync(base, 'utf8').replace(/("noUnused\w+": )true/g, '$1false'))
  const { UPDATE_DOCS: _, UPDATE_NUMBERS: __, ...inherited } = process.env
  const env = {
    ...inherited,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    NO_COLOR: '1',
    OVERHEAR_SHARED: process.env.OVERHEAR_SHARED ?? resolve(root, '../shared'),
  }
  /** @type {Set<number>} */
  const running = new Set()
  /** @param {number} pid */
  const kill = (pid) => {
    try {
      process.kill(-pid, 'SIGKILL') // the group: vitest's workers and what they started
    } catch {} // it has ended by itself
    running.delete(pid)
  }
  return {
    tree,
    /** @param {string} path */
    read: (path) => readFileSync(join(tree, path), 'utf8'),
    /** @param {string} path @param {string} text */
    write: (path, text) => writeFileSync(join(tree, path), text),
    /** Compiles what has changed. @returns {Promise<string | null>} the first error of types */
    async build() {
      const args = [
        join('node_modules', 'typescript', 'bin', 'tsc'),
        '-b',
        'src',
        'src/node',
        'src/web',
        '--pretty',
        'false',
      ]
      const child = spawn(process.execPath, args, { cwd: tree, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      child.stdout.on('data', (chunk) => (said += chunk))
      child.stderr.on('data', (chunk) => (said += chunk))
      const pid = /** @type {number} */ (child.pid)
      running.add(pid)
      const code = await new Promise((done) => child.once('close', done))
      running.delete(pid)
      return code === 0 ? null : (said.split('\n')[0] ?? '')
    },
    /** Tests in this order until one fails. @param {readonly string[]} files @returns {Promise<Ended>} */
    test(files) {
      const program = fileURLToPath(new URL('./run-tests.mjs', import.meta.url))
      const order = JSON.stringify({ root: tree, files, workers })
      const child = fork(program, [order], { cwd: tree, env, detached: true, silent: true })
      const pid = /** @type {number} */ (child.pid)
      running.add(pid)
      return new Promise((done) => {
        /** @type {string | null} */
        let file = null
        /** @param {Ended} ended */
        const end = (ended) => {
          clearTimeout(timer)
          kill(pid)
          done(ended)
        }
        const late = () => end({ how: 'stalled', file, name: null })
        let timer = setTimeout(late, 1000 * stallSeconds)
        child.on('message', (/** @type {Told} */ told) => {
          clearTimeout(timer)
          timer = setTimeout(late, 1000 * stallSeconds)
          if (told.at === 'file') file = told.file
          if (told.at !== 'end') return
          const { failure } = told
          end(failure === null ? { how: 'passed', file: null, name: null } : { how: 'failed', ...failure })
        })
        child.once('exit', () => end({ how: 'crashed', file, name: null }))
      })
    },
    close() {
      for (const pid of running) kill(pid)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
/** @typedef {ReturnType<typeof openCopy>} Copy */
