/** What the tests of queues share: commands in processes of their own, a sweep to put into a queue, and what came of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach } from 'vitest'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const work = mkdtempSync(join(tmpdir(), 'overhear-queue-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

export const overhear = (cwd: string, ...args: string[]): Running => overhearIn({}, cwd, ...args)

/** With some variables of its environment set. */
export function overhearIn(env: Readonly<Record<string, string>>, cwd: string, ...args: string[]): Running {
  const child = spawn(process.execPath, [join(root, 'bin/overhear.mjs'), ...args], {
    cwd,
    env: { ...process.env, XDG_CACHE_HOME: join(work, 'cache'), OVERHEAR_DATA: '', ...env },
  })
  children.push(child)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr }))) }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 3000; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`not in a minute: ${what}`)
}

/** A table of the user's own beside the sweep, named from there: workers stand elsewhere, and have to fetch it. */
export function writeSweep(): void {
  const rows = Array.from(
    { length: 60 },
    (_, i) => `${20 + ((i * 7) % 40)},${8 + (i % 9)},${i % 3 === 0 ? 'yes' : 'no'},${5 + ((i * 13) % 17)}`,
  )
  writeFileSync(join(work, 'wages.csv'), `age,school,union,wage\n${rows.join('\n')}\n`)
  writeFileSync(
    join(work, 'sweep.yaml'),
    `name: killed
scenario:
  heldBack: 0
  repeats: 1
  data: { name: csv, params: { file: wages.csv, label: wage, sensitive: union }, auxiliary: 0.2 }
  partition: { name: iid, params: { clients: 2 } }
  models: [{ kind: linear }]
  training: { rounds: 100, batchSize: null, learningRate: 0.05 }
  knowledge: { targets: ["0"], sensitive: [union] }
  attacks: [last-returned]
  observers: [eavesdropper]
  controls: false
axes: { training.localEpochs: [1, 4] }
seeds: 3
`,
  )
}

export const sweepArgs = (out: string, ...more: string[]): string[] => [
  'sweep',
  'sweep.yaml',
  '--out',
  join(work, out),
  '--quiet',
  '--json',
  ...more,
]
export const tables = (out: string) =>
  ['trials', 'questions', 'scores', 'utility'].map((name) => readFileSync(join(work, out, `${name}.csv`), 'utf8'))
export const linesIn = (out: string): string[] => {
  const log = join(work, out, 'trials.jsonl')
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []
}
