// `npm run torture -- --minutes N [--seed S] [--fuzz INPUTS] [--findings FILE]`: faults, kills and damage for so long, and so many
// mutated files, with a fresh seed that is printed; the same seed does the same again, but for the moments of kills. What is found,
// and twice a minute how far it is, is added to a file at once: a run that is cut off still tells.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `npm run torture -- [--minutes N] [--seed S] [--fuzz INPUTS] [--findings FILE]
  --minutes   how long faults, kills and damage go on; 10 unless told, 0 with --fuzz
  --seed      the same does the same again, but for the moments of kills; a fresh one unless told
  --fuzz      so many mutated files on every door, a fiftieth of them through the command besides
  --findings  where findings and tallies are written as they come; torture-SEED.jsonl unless told`

const options = /** @type {const} */ ({
  minutes: { type: 'string' },
  seed: { type: 'string' },
  fuzz: { type: 'string' },
  findings: { type: 'string' },
  help: { type: 'boolean' },
})

function asked() {
  try {
    const { values } = parseArgs({ options })
    const wrong = /** @type {const} */ (['minutes', 'seed', 'fuzz']).find(
      (name) => !/^(\d+(\.\d+)?)?$/.test(values[name] ?? ''),
    )
    if (wrong !== undefined) throw new Error(`--${wrong} is "${values[wrong]}"; a number is needed`)
    return values
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n${usage}`)
    process.exit(2)
  }
}

const values = asked()
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const seed = values.seed ?? String(randomInt(1, 2 ** 31))
const findings = resolve(values.findings ?? `torture-${seed}.jsonl`)
const env = {
  ...process.env,
  TORTURE_MINUTES: values.minutes ?? (values.fuzz === undefined ? '10' : '0'),
  TORTURE_SEED: seed,
  TORTURE_FINDINGS: findings,
  ...(values.fuzz !== undefined && { FUZZ_INPUTS: values.fuzz }),
}
console.log(
  `seed ${seed}: ${env.TORTURE_MINUTES} minutes of torture, ${values.fuzz ?? 'a few'} inputs of the fuzzer; ${findings}`,
)
const files = ['test/torture', ...(values.fuzz === undefined ? [] : ['test/fuzz'])]
const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--no-file-parallelism', '--disable-console-intercept']
const child = spawn(process.execPath, args, { env, stdio: 'inherit' })
// The child is told too, by the terminal; what it had found by then is shown.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('close', (code) => {
  console.log(summary())
  process.exitCode = code ?? 1
})

/** The last tally of each part, and every finding. */
function summary() {
  if (!existsSync(findings)) return 'summary: nothing was counted'
  const lines = readFileSync(findings, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const tallies = new Map(lines.filter(({ kind }) => kind === 'tally').map((one) => [one.what, one]))
  const found = lines.filter(({ kind }) => kind === 'finding')
  return [
    `summary of seed ${seed}, ${found.length} findings`,
    ...[...tallies.values()].map((one) => `  ${JSON.stringify(one)}`),
    ...found.map(({ at, finding }) => `  ${at} ${finding}`),
  ].join('\n')
}
