import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import about from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))

function overhear(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['bin/overhear.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { stdout, stderr, status }
}

test('--help is enough to start, and an unknown command names the nearest', () => {
  expect(overhear('--help')).toMatchObject({ status: 0, stderr: '' })
  expect(overhear('--help').stdout).toContain('overhear audit')
  expect(overhear('audit', '--help').stdout).toContain('partition:')
  expect(overhear('--version')).toEqual({ status: 0, stderr: '', stdout: `${about.version}\n` })
  const lists = /overhear list (\S+)/.exec(overhear('--help').stdout)![1]!.split('|')
  for (const name of lists) expect(overhear('list', name)).toMatchObject({ status: 0 })
  expect(overhear('list').stderr).toContain(`known: ${lists.join(', ')}`)
  expect(overhear('adit')).toMatchObject({ status: 2, stdout: '' })
  expect(overhear('adit').stderr).toBe(
    'overhear: unknown command: "adit" (did you mean "audit"?); known: account, advise, attack, audit, bench, calibrate, compare, data, forecast, import, lint, list, query, report, reproduce, schema, serve, simulate, sweep, worker\n',
  )
})

test.each([
  [['audit', '--workers', 'ten'], '--workers is "ten"; a whole number from 1 is needed'],
  [['audit', '--workers', '0'], '--workers is "0"'],
  [['audit', '--worker', '3'], "unknown option '--worker'"],
  [['audit', 'one.yaml', 'two.yaml'], 'unexpected argument "two.yaml"'],
  [['audit', 'nowhere.yaml'], 'nowhere.yaml: there is no such file'],
  [['audit', '--observer', 'god'], 'unknown observer: "god"'],
  [['simulate', 'scenarios/default.yaml'], 'there is no folder to write to; give --out DIR'],
  [['attack', 'aia-modle'], 'unknown attack: "aia-modle" (did you mean "aia-model"?)'],
  [['attack', 'aia-model', '--set', 'form=x', '--transcript', '.'], 'unknown parameter of attack aia-model: "form"'],
  [['list', 'attack'], 'unknown list: "attack" (did you mean "attacks"?)'],
])('%j is wrong usage: exit code 2', (args, message) => {
  const { status, stderr, stdout } = overhear(...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('the list of attacks holds what the interface promises', () => {
  const { stdout, status } = overhear('list', 'attacks', '--json')
  expect(status).toBe(0)
  for (const one of JSON.parse(stdout) as Record<string, unknown>[]) {
    const keys = ['id', 'title', 'paper', 'target', 'needs', 'observers', 'oracle', 'beyond', 'params']
    expect(Object.keys(one)).toEqual(expect.arrayContaining(keys))
  }
})

test('bench ends cleanly at Ctrl-C with what is there: exit code 130', async () => {
  const child = spawn(process.execPath, ['bin/overhear.mjs', 'bench', '--json'], { cwd: root })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  await new Promise<void>((resolve) => child.stderr.once('data', () => resolve())) // the first line of progress
  child.kill('SIGINT')
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect(status).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ workloads: expect.any(Array), peers: {} })
})
