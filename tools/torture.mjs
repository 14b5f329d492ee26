// `npm run torture -- --minutes N [--seed S] [--fuzz INPUTS]`: faults, kills and damage for so long, and so many mutated files,
// with a fresh seed that is printed; the same seed does the same again, but for the moments of kills.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, fuzz: { type: 'string' } },
})
const seed = values.seed ?? String(randomInt(1, 2 ** 31))
const env = {
  ...process.env,
  TORTURE_MINUTES: values.minutes ?? (values.fuzz === undefined ? '10' : '0'),
  TORTURE_SEED: seed,
  ...(values.fuzz !== undefined && { FUZZ_INPUTS: values.fuzz }),
}
console.log(`seed ${seed}: ${env.TORTURE_MINUTES} minutes of torture, ${values.fuzz ?? 'a few'} inputs of the fuzzer`)
const files = ['test/torture', ...(values.fuzz === undefined ? [] : ['test/fuzz'])]
const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--no-file-parallelism', '--disable-console-intercept']
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1
