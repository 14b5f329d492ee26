/** Twenty-four hostile attack files: none is taken as one of the package's own, and as a plug-in none gets or changes anything. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackResult } from '../../src/audit/attack-result.js'
import type { AuditDocument } from '../../src/audit/document.js'
import { foreignNames, wrongImports } from '../../tools/layers.mjs'
import { reachingOut } from '../../tools/reach.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'overhear-hostile-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const files = ['blind', 'known'].flatMap((folder) =>
  readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `${folder}/${name}`),
)
const textOf = (file: string): string => readFileSync(join(here, file), 'utf8')
/** Files that bring more than attacks, or do not load without a machine around them. */
const refused = ['blind/02-kept-by-plant.mjs']
const taken = files.filter((file) => !refused.includes(file))
const honest = ['last-returned', 'aia-model', 'lmra-ols', 'label-mean']
const canary = join(work, 'canary')

/** One target and one observer: each run of a plug-in's attack has a process of its own. */
const scenario = `name: hostile
heldBack: 0
repeats: 1
data: { name: cps-wages, params: { wage: log }, rows: 240, auxiliary: 0.2 }
partition: { name: heterogeneous, params: { clients: 4, heterogeneity: 0.4, attribute: union } }
models: [{ kind: linear }]
training: { rounds: 6, batchSize: 16, learningRate: 0.05 }
knowledge: { targets: ["0"], sensitive: [union] }
observers: [server]
controls: false
secondsPerAttack: null
`

const start = (...args: string[]) =>
  spawnSync(process.execPath, ['bin/overhear.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, OVERHEAR_CANARY: canary },
  })

function audit(name: string, attacks: readonly string[], ...more: string[]) {
  const path = join(work, `${name}.yaml`)
  writeFileSync(path, `${scenario}attacks: [${attacks.join(', ')}]\n`)
  const args = ['audit', path, '--out', join(work, name), '--workers', '1', '--json', '--quiet', '--allow-untested']
  return start(...args, ...more)
}

/** Processes of a group that are not dead yet. */
const livingIn = (group: number): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || !existsSync(`/proc/${pid}/stat`)) return false
    const [state, , own] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return Number(own) === group && state !== 'Z'
  })

const resultsOf = (stdout: string): AttackResult[] =>
  (JSON.parse(stdout) as AuditDocument).observers.flatMap(({ attacks: own }) => own)
const timeless = (all: readonly AttackResult[]): unknown =>
  JSON.parse(JSON.stringify(all, (key, value: unknown) => (key === 'millis' ? 0 : value)))

test('there are twenty-four', () => {
  expect(files.filter((file) => file.startsWith('blind/'))).toHaveLength(12)
  expect(files.filter((file) => file.startsWith('known/'))).toHaveLength(12)
})

describe('as one of the package, its text is refused', () => {
  test.each(files)('%s', (file) => {
    // As somebody would write it there: the doors by the paths of their files.
    const text = textOf(file).replaceAll("'overhear/plugin'", "'./attack.js'")
    const sources = { 'attacks/hostile.ts': text }
    expect([...wrongImports(sources), ...foreignNames(sources), ...reachingOut(sources)]).not.toEqual([])
  })
})

describe('as a plug-in', () => {
  const ids = taken.flatMap((file) => [
    ...new Set([...textOf(file).matchAll(/'((?:blind|known)-[a-z][a-z-]+)'/g)].map(([, id]) => id!)),
  ])
  let alone: AttackResult[] = []
  let beside: AttackResult[] = []
  beforeAll(() => {
    const clean = audit('alone', honest)
    expect([clean.status, clean.stderr]).toEqual([0, ''])
    alone = resultsOf(clean.stdout)
    const all = taken.flatMap((file) => ['--plugin', join(here, file)])
    const { status, stdout, stderr } = audit('beside', [...ids, ...honest], ...all)
    expect([status, stderr]).toEqual([0, ''])
    beside = resultsOf(stdout)
  })

  test('none changes what another finds', () => {
    expect(alone.filter(({ status }) => status === 'claimed').length).toBeGreaterThan(2)
    expect(timeless(beside.filter(({ attack }) => honest.includes(attack)))).toEqual(timeless(alone))
  })

  test('every one of them has run', () => {
    expect(ids.length).toBeGreaterThanOrEqual(24)
    for (const id of ids) expect(beside.map(({ attack }) => attack)).toContain(id)
  })

  test('none got what it tried for, or what it says counts for nothing', () => {
    const got = beside.flatMap(({ attack, status, oracle, details }) => {
      const { got: ways = 0, taken: read = false, asked = null, found = 0, by = null, passed = 0 } = details
      const some = ways !== 0 || read !== false || asked !== null || found !== 0 || by !== null || passed !== 0
      return status === 'claimed' && ids.includes(attack) && (some || oracle) ? [{ attack, details }] : []
    })
    expect(got).toEqual([])
    expect(existsSync(canary)).toBe(false)
  })

  test('on a recording, where plants of their own are handed the truth, none keeps it', () => {
    const planting = taken.filter((file) => /\bplant\(/.test(textOf(file)))
    expect(planting).toHaveLength(4)
    const given = { transcript: 'transcript', knowledge: 'knowledge.json', truth: 'truth' }
    const files = Object.entries(given).flatMap(([flag, name]) => [`--${flag}`, join(work, 'alone', name)])
    const plugins = planting.flatMap((file) => ['--plugin', join(here, file)])
    const more = ['--out', join(work, 'recording'), '--workers', '1', '--json', '--quiet', '--allow-untested']
    const { status, stdout, stderr } = start('audit', ...files, ...plugins, ...more)
    expect([status, stderr]).toEqual([0, ''])
    const own = resultsOf(stdout).filter(({ attack }) => ids.includes(attack))
    const planted = own.filter(({ controls }) => (controls?.planted.status ?? 'none') !== 'none')
    expect(new Set(planted.map(({ attack }) => attack)).size).toBe(4)
    for (const { details } of own) expect(details.got ?? 0).toBe(0)
    expect(existsSync(canary)).toBe(false)
  })

  test.each(refused)('%s is refused when it is loaded', (file) => {
    const { status, stderr } = audit('refused', honest, '--plugin', join(here, file))
    expect(status).toBe(2)
    expect(stderr).toContain('where it is confined')
  })
})

test.skipIf(!existsSync('/proc/self/stat'))('one that never ends is stopped, and its process with it', async () => {
  const plugin = join(work, 'endless.mjs')
  const about = `id: 'endless', title: 'goes on', target: 'model', needs: ['exchanges', 'target'], params: {}`
  const attack = `{ ${about}, run() { for (;;) {} }, plant: { none: '' }, shuffle: { none: '' } }`
  writeFileSync(
    plugin,
    `import { defineAttack } from 'overhear/plugin'
export default { name: 'endless', attacks: [defineAttack(${attack})] }`,
  )
  const path = join(work, 'endless.yaml')
  writeFileSync(path, `${scenario.replace('null', '2')}attacks: [endless, last-returned]\n`)
  const args = ['bin/overhear.mjs', 'audit', path, '--out', join(work, 'endless'), '--plugin', plugin, '--quiet']
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore', detached: true })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(4)
  await expect.poll(() => livingIn(child.pid!), { timeout: 10_000 }).toEqual([])
})
