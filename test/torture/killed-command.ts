/** The command itself, killed at a random moment or starved of file handles, and taken up until it is done. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Rng } from '../../src/numeric/random/rng.js'
import { note } from './findings.js'
import type { Tally } from './torture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The exit codes that a command may end with, whatever happens to it. */
export const allowed: readonly (number | null)[] = [0, 2, 3, 4, 130]

interface Ended {
  readonly code: number | null
  readonly killed: boolean
  readonly stdout: string
  readonly stderr: string
}

interface Around {
  /** Milliseconds after which it is killed, or asked to stop. */
  readonly after?: number
  readonly signal?: NodeJS.Signals
  /** Files that it may have open. */
  readonly handles?: number
  /** Megabytes that its heaps may have. */
  readonly memory?: number
  /** Whether its clock jumps. */
  readonly jumping?: boolean
}

export function overhear(
  args: readonly string[],
  { after, signal = 'SIGKILL', handles, memory, jumping = false }: Around = {},
): Promise<Ended> {
  const limit = handles === undefined ? '' : `ulimit -n ${handles}; `
  const heap = memory === undefined ? '' : `--max-old-space-size=${memory} `
  const clock = jumping ? '--import ./test/torture/jumping-clock.mjs ' : ''
  const line = `${limit}ulimit -c 0; exec "$0" ${heap}${clock}bin/overhear.mjs "$@"`
  const child = spawn('sh', ['-c', line, process.execPath, ...args], { cwd: root })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const timer = after === undefined ? undefined : setTimeout(() => child.kill(signal), after)
  return new Promise((resolve) => {
    child.on('close', (code, by) => {
      clearTimeout(timer)
      resolve({ code, killed: by !== null, stdout, stderr })
    })
  })
}

/** All that does not depend on clocks and places. */
export const factsOf = (json: string): string =>
  JSON.stringify(JSON.parse(json), (key, value: unknown) => (key === 'millis' || key === 'report' ? 0 : value))

export interface Killing {
  readonly work: string
  readonly draws: Rng
  readonly tally: Tally
  /** What an audit that was left alone says, and how many milliseconds it took. */
  readonly whole: { readonly facts: string; readonly millis: number }
}

const scenario = 'test/scenarios/small.yaml'
export const auditArgs = (out: string): string[] => [
  'audit',
  scenario,
  '--out',
  out,
  '--workers',
  '2',
  '--json',
  '--quiet',
]

/** One audit that is ended up to three times, and then left alone. */
export async function killAudit({ work, draws, tally, whole }: Killing): Promise<void> {
  const out = join(work, `killed-${draws.integer(1e9)}`)
  tally.tries++
  let resume: string[] = []
  for (let k = draws.integer(3); k >= 0; k--) {
    const signal = draws.integer(3) === 0 ? 'SIGTERM' : 'SIGKILL'
    const starved = draws.integer(6) === 0 ? { handles: 20 + draws.integer(30) } : {}
    const narrow = draws.integer(5) === 0 ? { memory: 10 + draws.integer(10) } : {}
    const jumping = draws.integer(3) === 0
    const after = Math.floor(draws.uniform() * 1.1 * whole.millis)
    const ended = await overhear([...auditArgs(out), ...resume], { after, signal, jumping, ...starved, ...narrow })
    if (ended.killed) tally.kills++
    else if (ended.code !== 0) tally.faults++
    if (!ended.killed && !allowed.includes(ended.code))
      note(tally.losses, `exit ${ended.code}: ${ended.stderr.slice(0, 500)}`)
    resume = ['--resume']
  }
  const last = await overhear([...auditArgs(out), ...resume])
  if (last.code !== 0) note(tally.losses, `exit ${last.code}: ${last.stderr.slice(0, 500)}`)
  else if (factsOf(last.stdout) !== whole.facts) note(tally.unequal, `an audit in ${out}`)
  rmSync(out, { recursive: true, force: true })
}
