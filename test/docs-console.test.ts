import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs the lines that begin with "$ " in a shell where `npx overhear` is this clone, and gives what a reader would see. */
function played(block: string, folder: string): string {
  const commands = block.split('\n').filter((line) => line.startsWith('$ '))
  const PATH = `${join(folder, '.bin')}${delimiter}${process.env.PATH}`
  return commands
    .map((line) => {
      const run = spawnSync('sh', ['-c', `{ ${line.slice(2)}\n} 2>&1`], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, PATH },
      })
      return `${line}\n${run.stdout}`
    })
    .join('')
}

/** What differs with the version: the hash in the name of a run. */
const masked = (text: string): string => text.replace(/(runs\/[a-z-]+)-[0-9a-f]{12}/g, '$1-0123456789ab')

/** Pages whose commands are run, each in an empty folder with the scenarios that it shows, named by their first lines. */
const pages = ['getting-started', 'accounting', 'lint', 'sweeps']

test.each(pages)(
  'the commands in docs/%s.md print what it shows (else: UPDATE_DOCS=1 npx vitest run test/docs)',
  (page) => {
    const path = `${root}docs/${page}.md`
    const text = readFileSync(path, 'utf8')
    const folder = mkdtempSync(join(tmpdir(), 'overhear-started-'))
    try {
      const npx = join(folder, '.bin', 'npx')
      mkdirSync(join(folder, '.bin'))
      writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${root}bin/overhear.mjs' "$@"\n`)
      chmodSync(npx, 0o755)
      for (const [, scenario, name] of text.matchAll(/^```yaml\n(name: ([\w-]+)\n[\s\S]*?)^```$/gm)) {
        writeFileSync(join(folder, `${name}.yaml`), scenario!)
      }
      const fresh = text.replace(
        /(^```console\n)([\s\S]*?)(^```$)/gm,
        (_, open: string, block: string, close: string) => {
          return `${open}${masked(played(block, folder))}${close}`
        },
      )
      if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, fresh)
      else expect(text).toBe(fresh)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
