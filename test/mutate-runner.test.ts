import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs test files once more in a process that has run them before; what failed. */
const run = (child: ChildProcess, changed: readonly string[]) =>
  new Promise<unknown>((done, fail) => {
    child.once('exit', () => fail(new Error('it has ended')))
    child.on('message', (told: { at: string; failure?: { file: string } | null }) => {
      if (told.at !== 'end') return
      child.removeAllListeners()
      done(told.failure === null ? null : told.failure!.file)
    })
    child.send({ files: ['src/a.test.ts'], changed })
  })

test('a source that was changed between two runs is read again, also where there are several projects', async () => {
  const folder = mkdtempSync(join(root, 'runs-of-a-test-'))
  mkdirSync(join(folder, 'src'))
  const put = (path: string, text: string) => writeFileSync(join(folder, path), text)
  put(
    'vitest.config.mjs',
    `export default { test: { projects: [
      { test: { name: 'shared', include: ['src/*.test.ts'], pool: 'threads', isolate: false } },
      { test: { name: 'apart', include: ['test/*.test.ts'] } },
    ] } }`,
  )
  put('src/a.ts', 'export const a = 1')
  put(
    'src/a.test.ts',
    "import { expect, test } from 'vitest'\nimport { a } from './a.js'\ntest('a', () => expect(a).toBe(1))",
  )
  const program = join(root, 'tools/mutate/run-tests.mjs')
  const options = JSON.stringify({ root: folder, workers: 1, marks: false })
  const child = fork(program, [options], { cwd: folder, silent: true })
  try {
    expect(await run(child, [])).toBeNull()
    put('src/a.ts', 'export const a = 2')
    expect(await run(child, ['src/a.ts'])).toBe('src/a.test.ts')
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}, 120_000)
