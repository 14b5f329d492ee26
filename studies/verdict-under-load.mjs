// Whether a busy machine changes an audit: the same scenario alone and beside so many busy processes, compared but for times.
//   npm run build:ts && node studies/verdict-under-load.mjs [--busy 20] [--repeats 5] [--seed 1] [--scenario FILE]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { options, print } from './figures.mjs'

/** @typedef {import('../dist/index.js').AuditDocument} AuditDocument */

const values = options({ busy: 20, repeats: 5, seed: 1, scenario: '' })
const command = fileURLToPath(new URL('../bin/overhear.mjs', import.meta.url))

/** What an audit says, without what a clock says; and the seconds it took. @returns {Promise<[AuditDocument, number]>} */
async function audited() {
  const out = mkdtempSync(join(tmpdir(), 'overhear-load-'))
  const scenario = values.scenario === '' ? [] : [String(values.scenario)]
  const args = ['--repeats', String(values.repeats), '--seed', String(values.seed), '--out', join(out, 'run')]
  const start = performance.now()
  const child = spawn(process.execPath, [command, 'audit', ...scenario, ...args, '--json', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (/** @type {Buffer} */ part) => {
    text += part
  })
  await new Promise((resolve) => child.on('close', resolve))
  rmSync(out, { recursive: true })
  const document = JSON.parse(text, (key, value) => (key === 'millis' || key === 'report' ? undefined : value))
  return [document, (performance.now() - start) / 1000]
}

const [alone, quietSeconds] = await audited()
const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
try {
  const [beside, busySeconds] = await audited()
  const words = (/** @type {AuditDocument} */ { questions }) => questions.map(({ level }) => level)
  print(`alone ${quietSeconds.toFixed(0)} s, beside ${values.busy} busy processes ${busySeconds.toFixed(0)} s\n`)
  print(
    `words: ${isDeepStrictEqual(words(alone), words(beside)) ? 'the same' : 'DIFFERENT'} (${words(alone).length})\n`,
  )
  print(`everything but times: ${isDeepStrictEqual(alone, beside) ? 'the same' : 'DIFFERENT'}\n`)
} finally {
  for (const one of busy) one.kill()
}
