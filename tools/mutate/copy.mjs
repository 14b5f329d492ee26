// A copy of the repository to break things in: sources of its own, built by itself, node_modules borrowed.
import { fork, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

/** @param {string} root @param {{ workers: number, stallSeconds: number, marks?: boolean }} options */
export function openCopy(root, { workers, stallSeconds, marks = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-mutate-'))
  const [tree, temporary, hits] = [join(folder, 'tree'), join(folder, 'tmp'), join(folder, 'hits')]
  for (const one of [temporary, hits]) mkdirSync(one, { recursive: true })
  for (const path of filesOf(root)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    cpSync(join(root, path), join(tree, path))
  }
  if (existsSync(join(root, 'dist')))
    cpSync(join(root, 'dist'), join(tree, 'dist'), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'dir')
  /** @param {string} path @param {RegExp} pattern @param {string} text */
  const replace = (path, pattern, text) => {
    const whole = join(tree, path)
    writeFileSync(whole, readFileSync(whole, 'utf8').replace(pattern, text))
  }
  // A variable that a mutant leaves unused is no mistake that types find.
  replace('tsconfig.base.json', /("noUnused\w+": )true/g, '$1false')
  // What tsc notes belongs to the copy, not to the borrowed node_modules.
  for (const room of ['src', 'src/node', 'src/web']) replace(`${room}/tsconfig.json`, /node_modules\/\.cache/, '.notes')
  const { UPDATE_DOCS: _, UPDATE_NUMBERS: __, ...inherited } = process.env
  const env = {
    ...inherited,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    NO_COLOR: '1',
    OVERHEAR_SHARED: process.env.OVERHEAR_SHARED ?? resolve(root, '../shared'),
    OVERHEAR_HITS: hits,
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
  /** A program to its end: null, or the first line of what it says of its failure. @param {string[]} args @returns {Promise<string | null>} */
  const ran = async (args) => {
    const child = spawn(process.execPath, args, { cwd: tree, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    const pid = /** @type {number} */ (child.pid)
    running.add(pid)
    const code = await new Promise((done) => child.once('close', done))
    running.delete(pid)
    return code === 0 ? null : (said.split('\n')[0] ?? '')
  }
  /** Runs tests, one list after another. @type {import('node:child_process').ChildProcess | undefined} */
  let runner
  const startRunner = () => {
    const program = fileURLToPath(new URL('./run-tests.mjs', import.meta.url))
    const child = fork(program, [JSON.stringify({ root: tree, workers, marks })], {
      cwd: tree,
      env,
      detached: true,
      silent: true,
    })
    running.add(/** @type {number} */ (child.pid))
    child.setMaxListeners(0)
    return child
  }
  const [bundled, before] = [join(tree, 'dist', 'bundle'), join(folder, 'bundle')]
  /** Written since the runner looked. @type {Set<string>} */
  const changed = new Set()
  return {
    tree,
    hits,
    /** @param {string} path */
    read: (path) => readFileSync(join(tree, path), 'utf8'),
    /** @param {string} path @param {string} text */
    write(path, text) {
      writeFileSync(join(tree, path), text)
      changed.add(path)
    },
    /** Compiles what has changed. @returns {Promise<string | null>} the first error of types */
    build: () =>
      ran([join('node_modules', 'typescript', 'bin', 'tsc'), '-b', 'src', 'src/node', 'src/web', '--pretty', 'false']),
    /** Makes the program that is started from what was compiled; `unbundle` brings back the one of before. */
    async bundle() {
      if (existsSync(bundled)) cpSync(bundled, before, { recursive: true })
      const error = await ran([join('tools', 'bundle.mjs')])
      if (error !== null) throw new Error(`the bundle could not be made: ${error}`)
    },
    unbundle() {
      if (!existsSync(before)) return
      rmSync(bundled, { recursive: true, force: true })
      renameSync(before, bundled)
    },
    /**
     * Tests in this order until one fails.
     * @param {readonly string[]} files @param {(file: string, seconds: number) => void} [passed]
     * @returns {Promise<Ended>}
     */
    test(files, passed) {
      runner ??= startRunner()
      const child = runner
      return new Promise((done) => {
        /** @type {string | null} */
        let file = null
        /** @param {Ended} ended @param {boolean} over */
        const end = (ended, over) => {
          clearTimeout(timer)
          child.removeAllListeners()
          if (over) {
            kill(/** @type {number} */ (child.pid))
            runner = undefined
          }
          done(ended)
        }
        const late = () => end({ how: 'stalled', file, name: null }, true)
        let timer = setTimeout(late, 1000 * stallSeconds)
        child.on('message', (/** @type {Told} */ told) => {
          clearTimeout(timer)
          timer = setTimeout(late, 1000 * stallSeconds)
          if (told.at === 'file') file = told.file
          if (told.at === 'done') passed?.(told.file, told.seconds)
          if (told.at !== 'end') return
          const { failure } = told
          if (failure === null) end({ how: 'passed', file: null, name: null }, false)
          else end({ how: 'failed', ...failure }, false)
        })
        child.once('exit', () => end({ how: 'crashed', file, name: null }, true))
        child.send({ files, changed: [...changed] })
        changed.clear()
      })
    },
    close() {
      for (const pid of running) kill(pid)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
/** @typedef {ReturnType<typeof openCopy>} Copy */
