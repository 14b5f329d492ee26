import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { captured } from './captured-command.js'
import { describeWithShared, sharedFolder } from './shared.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'overhear-reproduce-'))
const folder = join(work, 'below')
mkdirSync(folder)
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** In a process of its own, in an empty folder; `during` may tell it to stop. */
async function overhear(args: readonly string[], during?: (kill: () => void) => void) {
  // Nothing is found by chance: neither beside the folder nor in the user's own.
  const env = { ...process.env, OVERHEAR_DATA: '', XDG_CACHE_HOME: work }
  const child = spawn(process.execPath, [`${root}bin/overhear.mjs`, ...args], { cwd: folder, env })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  during?.(() => child.kill('SIGINT'))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, out, err }
}

test('list studies: what each is, of which paper, and what it takes', async () => {
  const { code, out } = await captured('list', 'studies', '--json')
  const listed = JSON.parse(out) as { id: string; seconds: object }[]
  expect(code).toBe(0)
  expect(listed.map(({ id }) => id)).toContain('lmra-table-1')
  for (const one of listed) {
    expect(one).toMatchObject({ title: expect.any(String), paper: expect.any(String), where: expect.any(String) })
    expect(one.seconds).toEqual({ quick: expect.any(Number), full: expect.any(Number) })
  }
  expect((await captured('list', 'studies')).out).toMatch(/^ {4}Table 1; takes about .* with --quick$/m)
})

test.each([
  [[], 'missing: a study, or "all"'],
  [['lmra-tabel-1'], 'unknown study: "lmra-tabel-1" (did you mean "lmra-table-1"?)'],
  [['all', '--seeds', '0'], '--seeds is "0"'],
  [['all', '--plugin', 'x.mjs'], 'studies run what the package brings alone'],
])('reproduce %j is wrong usage: exit code 2', async (args, message) => {
  const { code, err } = await captured('reproduce', ...args)
  expect(code).toBe(2)
  expect(err).toContain(message)
})

test('a study whose data are not here is skipped and says so: exit code 4', async () => {
  const { code, out, err } = await overhear(['reproduce', 'labels-figure-6-6', '--quick', '--json', '--out', 'none'])
  expect(code).toBe(4)
  expect(err).toContain('labels-figure-6-6 is skipped: the files of dataset "salary" are not in')
  const told = JSON.parse(out) as { rows: unknown[]; claims: { holds: unknown }[]; run: { trouble: string[] } }
  expect(told.rows).toEqual([])
  expect(told.claims.every(({ holds }) => holds === null)).toBe(true)
  expect(told.run.trouble[0]).toContain('overhear data salary')
})

describeWithShared('with the data', () => {
  test('Ctrl-C keeps what is finished, --resume runs the rest and nothing twice', async () => {
    const args = ['reproduce', 'labels-figure-6-6', '--quick', '--seeds', '1', '--workers', '1', '--out', 'one']
    const data = ['--data-dir', `${sharedFolder()}/data`]
    const log = join(folder, 'one', 'cells.jsonl')
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
    let watch: NodeJS.Timeout | undefined
    const cut = await overhear([...args, ...data], (kill) => {
      watch = setInterval(() => {
        if (lines().length === 0) return
        // Once: a second signal ends it at once.
        clearInterval(watch)
        kill()
      }, 5)
    })
    clearInterval(watch)
    expect(cut.code).toBe(130)
    expect(cut.err).toContain('what was finished is kept, --resume goes on')
    const kept = lines()
    expect(kept).toHaveLength(1)
    expect((await overhear([...args, ...data])).err).toContain('holds 1 finished cells; give --resume')
    const rest = await overhear([...args, ...data, '--resume', '--json'])
    expect(rest.code).toBe(0)
    expect(rest.err).toContain('1 of 2 cells to run')
    expect(lines()[0]).toBe(kept[0])
    expect(lines()).toHaveLength(2)
    const told = JSON.parse(rest.out) as { study: string; paper: string; rows: { ours: { n: number }; name: string }[] }
    expect(told).toMatchObject({ study: 'labels-figure-6-6', paper: 'labels' })
    expect(told.rows.every(({ ours }) => ours.n === 1)).toBe(true)
    expect(told.rows.map(({ name }) => name)).toContain('raw, MAE, Moore-Penrose (MP), epoch 0')
    const page = readFileSync(join(folder, 'one', 'reproductions.html'), 'utf8')
    expect(page).toContain('<svg')
    expect(page).toContain('K times the auxiliary shares')
    expect(readFileSync(join(folder, 'one', 'reproductions.md'), 'utf8')).toContain('| raw, MAE | epoch 0 |')
  })
})
