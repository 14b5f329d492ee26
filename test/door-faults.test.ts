import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../src/node/cli.js'
import { machineFault } from '../src/node/files/machine-faults.js'
import { readRows } from '../src/node/files/table-rows.js'
import { interruptible } from '../src/node/interrupt.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const small = 'test/scenarios/small.yaml'
const work = mkdtempSync(join(tmpdir(), 'overhear-faults-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const at = (name: string): string => join(work, name)
const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})

/** The exit code of a command in this process, and what it complained of. */
async function overhear(...args: string[]): Promise<{ status: number; err: string }> {
  complaints.mockClear()
  const status = await main([...args, '--quiet'])
  return { status, err: complaints.mock.calls.flat().join('\n') }
}

const table = (rows: readonly string[]): string => `age,smoker,hospital,charges\n${rows.join('\n')}\n`
const people = Array.from(
  { length: 90 },
  (_, i) => `${20 + (i % 40)},${i % 3 ? 'no' : 'yes'},h${i % 3},${(i * 7) % 50}`,
)
const scenarioOf = (file: string): string => `name: own
heldBack: 0
data: { name: csv, params: { file: ${file}, label: charges, sensitive: smoker, client: hospital } }
partition: { name: by-column }
models: [{ kind: linear }]
training: { rounds: 3, learningRate: 0.01 }
knowledge: { targets: all }
`
/** A scenario over a table, in a folder of its own. */
function own(name: string, text: string | Uint8Array, file = 'people.csv'): string {
  mkdirSync(at(name))
  writeFileSync(at(`${name}/${file}`), text)
  writeFileSync(at(`${name}/s.yaml`), scenarioOf(file))
  return at(`${name}/s.yaml`)
}

describe('a place that cannot be written is exit code 2, with what to do', () => {
  beforeAll(() => {
    writeFileSync(at('file'), '')
    mkdirSync(at('closed'))
    chmodSync(at('closed'), 0o500)
  })
  test.each([
    ['a file', () => at('file'), 'is there already, and no folder; take another place'],
    ['below a file', () => at('file/below'), 'lies below something that is no folder'],
    ['a name too long', () => at('x'.repeat(300)), 'has a name that is too long'],
    ['where there are no folders', () => '/proc/x', 'cannot be made'],
    ['where there are no folders, deeper', () => '/proc/x/y/z', 'cannot be made'],
  ])('%s', async (_, out, why) => {
    for (const args of [
      ['simulate', small, '--out', out()],
      ['audit', small, '--out', out()],
    ]) {
      const { status, err } = await overhear(...args)
      expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(why) })
    }
  })

  test.skipIf(process.getuid?.() === 0)('no permission', async () => {
    const { status, err } = await overhear('simulate', small, '--out', at('closed/run'))
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('permission denied') })
  })

  test('what the system says of files and memory is no bug of ours; anything else is', () => {
    const fault = (code: string) => machineFault(Object.assign(new Error('x'), { code, path: '/a/b' }))
    for (const [code, words] of [
      ['ENOSPC', '/a/b cannot be written: the disk is full; make room'],
      ['EMFILE', 'too many files are open; raise the limit'],
      ['ERR_WORKER_OUT_OF_MEMORY', 'more memory than there is'],
      ['ERR_WORKER_INIT_FAILED', 'take fewer --workers'],
    ] as const) {
      expect(fault(code)).toMatchObject({ name: 'OverhearError', message: expect.stringContaining(words) })
    }
    for (const make of [() => new Array(-1), () => 'x'.repeat(2 ** 30)]) {
      try {
        make()
        expect.unreachable()
      } catch (error) {
        expect(machineFault(error)).toMatchObject({ code: 'E_VALUE' })
      }
    }
    const bug = new TypeError('undefined is not a function')
    expect(machineFault(bug)).toBe(bug)
  })

  test('a command that nobody listens to any more still ends with its own code', () => {
    const long = at('long.yaml')
    writeFileSync(long, readFileSync(small, 'utf8').replace('rounds: 12', 'rounds: 1e9'))
    const given = ['bin/overhear.mjs', 'simulate', long, '--out', at('long'), '--quiet']
    // When the time is up its pipes are closed, and then it is asked to stop.
    expect(spawnSync(process.execPath, given, { cwd: root, timeout: 6000 }).status).toBe(130)
  })

  test.skipIf(!existsSync('/dev/full'))(
    'output that cannot be written is a fault, and who reads no more is none',
    () => {
      const run = (line: string) => spawnSync('sh', ['-c', line], { cwd: root, encoding: 'utf8' })
      const full = run(`"${process.execPath}" bin/overhear.mjs list attacks --json > /dev/full`)
      expect(full).toMatchObject({ status: 2, stderr: expect.stringContaining('the output cannot be written') })
      // With fewer Node itself does not start.
      for (const handles of [20, 22, 24]) {
        const starved = run(`ulimit -n ${handles}; "${process.execPath}" bin/overhear.mjs list attacks --json`)
        expect([0, 2]).toContain(starved.status)
      }
      const headed = run(`"${process.execPath}" bin/overhear.mjs list attacks --json | head -c 10; exit 0`)
      expect(headed).toMatchObject({ stderr: '', stdout: '[{"id":"la' })
    },
  )
})

describe('a scenario that is none', () => {
  const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 9 }, (_, i) => {
    const [name, before] = ['bcdefghij'[i]!, 'abcdefghi'[i]!]
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
  }).join('\n')}\n`
  test.each([
    ['empty', '', 'is empty; a scenario is needed'],
    ['comments alone', '# nothing\n', 'is without any setting'],
    ['a bomb of aliases', bomb, 'not YAML that can be read'],
    ['brackets in brackets', `a: ${'['.repeat(100_000)}`, 'not YAML that can be read'],
    [
      'a huge client',
      'data: { name: toy-least-squares, params: { clients: 1000000000 } }\nmodels: [{ kind: linear }]\n',
      'at most',
    ],
    [
      'a huge picture book',
      'data: { name: tiny-images, params: { records: 1000000000 } }\nmodels: [{ kind: softmax }]\n',
      'at most',
    ],
    [
      'many inputs',
      'data: { name: metaclass-synthetic, params: { inputs: 100000000 } }\nmodels: [{ kind: linear }]\n',
      'at most',
    ],
    [
      'many clusters',
      'data: { name: leaf-synthetic, params: { clusters: 100000000 } }\nmodels: [{ kind: softmax }]\n',
      'at most',
    ],
  ])('%s', async (name, text, why) => {
    const path = at(`${name}.yaml`)
    writeFileSync(path, text)
    const { status, err } = await overhear('simulate', path, '--out', at(`${name}-run`))
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(why) })
  })

  test('a folder and a pipe are no files', async () => {
    const folder = await overhear('simulate', work, '--out', at('never'))
    expect(folder).toEqual({ status: 2, err: expect.stringContaining('is a folder') })
    execFileSync('mkfifo', [at('pipe'), at('pipe.csv'), at('pipe.mjs')])
    const pipe = await overhear('simulate', at('pipe'), '--out', at('never'))
    expect(pipe).toEqual({ status: 2, err: expect.stringContaining('is a pipe') })
    writeFileSync(at('piped.yaml'), scenarioOf('pipe.csv'))
    const rows = await overhear('simulate', at('piped.yaml'), '--out', at('never-2'))
    expect(rows).toEqual({ status: 2, err: expect.stringContaining('pipe.csv is a pipe') })
    const code = await overhear('simulate', small, '--out', at('never'), '--plugin', at('pipe.mjs'))
    expect(code).toEqual({ status: 2, err: expect.stringContaining('is a pipe') })
  })
})

describe('a table of somebody', () => {
  test('lies beside the scenario; where it is nowhere, it is said where it was looked for', async () => {
    expect(await overhear('simulate', own('beside', table(people)), '--out', at('beside/run'))).toMatchObject({
      status: 0,
    })
    rmSync(at('beside/people.csv'))
    const { err } = await overhear('simulate', at('beside/s.yaml'), '--out', at('beside/again'))
    expect(err).toContain(`people.csv (your own csv file) is not in ${process.cwd()}, `)
  })

  test('says where a value is missing or endless', async () => {
    for (const [name, cell, why] of [
      ['nan', 'NaN', '1 of 90 rows miss a value, the first in row 12, column "age"'],
      ['empty', '', '1 of 90 rows miss a value, the first in row 12, column "age"'],
      ['endless', 'inf', 'an infinite number stands in row 12, column "age"'],
    ] as const) {
      const rows = people.map((row, i) => (i === 11 ? row.replace(/^\d+/, cell) : row))
      const { status, err } = await overhear('simulate', own(name, table(rows)), '--out', at(`${name}/run`))
      expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(why) })
    }
  })

  test('over a limit is refused with the limit and how to raise it', async () => {
    const bomb = gzipSync(table(Array.from({ length: 40_000 }, () => '1,no,h1,2')))
    expect(bomb.length).toBeLessThan(3000)
    const path = own('bomb', bomb, 'people.csv.gz')
    for (const [key, most, what] of [
      ['ROWS', 1000, 'rows'],
      ['BYTES', 100_000, 'bytes of text'],
      ['COLUMNS', 3, 'columns'],
      ['CELLS', 9999, 'cells'],
    ] as const) {
      vi.stubEnv(`OVERHEAR_MAX_${key}`, String(most))
      const { status, err } = await overhear('simulate', path, '--out', at(`bomb/${key}`))
      const words = `holds more than ${most} ${what}; at most ${most} are read; set OVERHEAR_MAX_${key}`
      expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(words) })
      vi.unstubAllEnvs()
    }
    vi.stubEnv('OVERHEAR_MAX_ROWS', 'many')
    expect((await overhear('simulate', path, '--out', at('bomb/word'))).err).toContain('OVERHEAR_MAX_ROWS is "many"')
    vi.unstubAllEnvs()
  })

  test('is given up where somebody asks to stop', async () => {
    const path = at('long.csv.gz')
    writeFileSync(path, gzipSync(table(Array.from({ length: 100_000 }, () => '1,no,h1,2'))))
    const reading = interruptible(async () => {
      const rows = readRows(path)
      process.emit('SIGTERM')
      return rows
    })
    await expect(reading).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    expect((await readRows(path)).rows).toBe(100_000)
  })

  test('one client and one round are remarked on', async () => {
    const path = own('lonely', table(people.map((row) => row.replace(/h\d/, 'h0'))))
    const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      expect(await main(['simulate', path, '--out', at('lonely/run'), '--set', 'training.rounds=1'])).toBe(0)
      const lines = said.mock.calls.join('')
      expect(lines).toContain('there is one client:')
      expect(lines).toContain('there is one round:')
    } finally {
      said.mockRestore()
    }
  })
})

describe('what a terminal is told', () => {
  test('neither escapes nor marks of direction of a name reach it', async () => {
    const odd = 'a\u001b[31m\u202eb\u2066'
    const { err } = await overhear('simulate', small, '--out', at('odd'), '--set', `name=${odd}`)
    expect(err).toContain('"a\\u001b[31m\\u202eb\\u2066')
    for (const one of odd.replace(/[\w[]/g, '')) expect(err).not.toContain(one)
  })

  test('an older Node is refused in one line', () => {
    const text = readFileSync(join(root, 'bin/overhear.mjs'), 'utf8')
    cpSync(join(root, 'bin/overhear.mjs'), at('old.mjs'))
    writeFileSync(at('old.mjs'), text.replaceAll('process.versions.node', '"18.20.1"'))
    const { status, stderr } = spawnSync(process.execPath, [at('old.mjs')], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'overhear: this is Node 18.20.1; 20.19 or later is needed\n',
    })
  })
})
