// Whole audits in two checkouts, interleaved: by the clock, processor time, and how busy the cores were. Both must be built
// (npm run build:ts). `node bench/audit.mjs --other DIR [--runs N] [--only default,medical] [--workers N] [--data-dir DIR]`;
// without --other this checkout alone. Both read the scenarios of the other, trained once and with nothing held back, as audits
// were before there were repeats; `--was` says that the other is so old that it knows no other way. `trainings` is the default
// audit of this checkout as it is. Minima count.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: 'default,medical,secure-sums' },
    was: { type: 'boolean' },
    workers: { type: 'string', default: String(availableParallelism()) },
    'data-dir': { type: 'string' },
  },
})

const single = ['--set', 'repeats=1', '--set', 'heldBack=0', '--set', 'secondsPerAttack=3000']

/** @param {string} name @param {string} root */
function argumentsOf(name, root) {
  if (name === 'trainings') return ['--set', 'repeats=10']
  const file = join(values.other ?? here, 'scenarios', `${name}.yaml`)
  return [file, ...(values.was && root === values.other ? single.slice(-2) : single)]
}

const work = mkdtempSync(join(tmpdir(), 'overhear-audits-'))
let count = 0

/**
 * One audit in a process of its own.
 * @param {string} root @param {readonly string[]} args
 * @returns {{ wall: number, cpu: number, attacks: number }} milliseconds; those of all jobs, as their results have them
 */
function once(root, args) {
  const out = join(work, String(count++))
  const rest = ['--out', out, '--workers', values.workers, '--quiet', '--json']
  const data = values['data-dir'] === undefined ? [] : ['--data-dir', values['data-dir']]
  // The times of the one child of a shell that has no other: its own tell of nothing but waiting.
  const program = `
    const { spawnSync } = require('node:child_process')
    const start = performance.now()
    const { status, stderr } = spawnSync(process.execPath, ${JSON.stringify(['bin/overhear.mjs', 'audit', ...args, ...rest, ...data])}, { cwd: ${JSON.stringify(root)}, encoding: 'utf8', maxBuffer: 1 << 29 })
    if (status !== 0) { console.error(stderr); process.exit(1) }
    console.log(performance.now() - start)`
  const { stdout, stderr, status } = spawnSync(
    '/bin/sh',
    ['-c', '"$0" -e "$1" || exit 1; times', process.execPath, program],
    {
      encoding: 'utf8',
    },
  )
  const [wall = '', , children = ''] = stdout.trim().split('\n')
  if (status !== 0 || !/^\d/.test(wall)) throw new Error(`${root}: audit ${args.join(' ')} failed: ${stderr}`)
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0)
  const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')
  const attacks = lines.reduce((sum, line) => sum + (JSON.parse(line).result?.millis ?? 0), 0)
  rmSync(out, { recursive: true })
  return { wall: Number(wall), cpu: 1000 * cpu, attacks }
}

const roots = [...(values.other === undefined ? [] : [values.other]), here]
for (const name of values.only.split(',')) {
  /** @type {Record<string, { wall: number, cpu: number, attacks: number }>} */
  const least = {}
  for (let run = 0; run < Number(values.runs); run++) {
    for (const root of name === 'trainings' ? [here] : roots) {
      const one = once(root, argumentsOf(name, root))
      const best = least[root] ?? one
      least[root] = {
        wall: Math.min(best.wall, one.wall),
        cpu: Math.min(best.cpu, one.cpu),
        attacks: Math.min(best.attacks, one.attacks),
      }
    }
  }
  for (const [root, { wall, cpu, attacks }] of Object.entries(least)) {
    const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(2).padStart(7)
    const share = Math.round((100 * cpu) / (wall * Number(values.workers)))
    console.log(`${name.padEnd(12)} wall ${seconds(wall)} s  cpu ${seconds(cpu)} s  cores ${share} %  ${root}`)
    console.log(`${''.padEnd(12)} attacks, as their results say ${seconds(attacks)} s`)
  }
}
rmSync(work, { recursive: true })
