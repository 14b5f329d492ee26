import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

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
  expect(overhear('--help').stdout).toContain('overhear demo')
  expect(overhear('dmo')).toMatchObject({ status: 2, stdout: '' })
  expect(overhear('dmo').stderr).toBe(
    'overhear: unknown command: "dmo" (did you mean "demo"?); known: bench, data, demo, list\n',
  )
})

test.each([
  [['demo', '--rounds', 'ten'], '--rounds is "ten"; a whole number from 1 is needed'],
  [['demo', '--rounds', '0'], '--rounds is "0"'],
  [['demo', '--round', '3'], "unknown option '--round'"],
  [['demo', 'extra'], "unexpected argument 'extra'"],
])('%j is wrong usage: exit code 2', (args, message) => {
  const { status, stderr, stdout } = overhear(...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('--json prints one document and nothing else, the same for any number of workers', () => {
  const [one, two] = ['1', '2'].map((workers) => overhear('demo', '--json', '--rounds', '3', '--workers', workers))
  expect(one!.status).toBe(0)
  expect(JSON.parse(one!.stdout)).toMatchObject({ rounds: 3, clients: [{ id: '0', records: 512 }, {}, {}, {}, {}] })
  expect(two!.stdout).toBe(one!.stdout)
  expect(overhear('demo', '--json', '--rounds', '3', '--seed', '2').stdout).not.toBe(one!.stdout)
  expect(overhear('demo', '--quiet', '--rounds', '3').stderr).toBe('')
})

test.each([
  [['demo', '--rounds', '1000000'], { rounds: expect.toSatisfy((n: number) => n > 0) }],
  [['bench'], { workloads: expect.any(Array), torch: null }],
])('%j ends cleanly at Ctrl-C with what is there: exit code 130', async (args, there) => {
  const child = spawn(process.execPath, ['bin/overhear.mjs', ...args, '--json'], { cwd: root })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  await new Promise<void>((resolve) => child.stderr.once('data', () => resolve())) // the first line of progress
  child.kill('SIGINT')
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect(status).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject(there)
})
