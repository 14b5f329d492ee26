/** `overhear import` as a user calls it: a proposal, a look at it, the transcript, an attack. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { captured as run } from './captured-command.js'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/imports/${name}`, import.meta.url))
let work = ''
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'overhear-import-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(work, { recursive: true, force: true })
})

test('from checkpoints of PyTorch to an attack', async () => {
  const source = join(work, 'weights')
  for (const round of [1, 2]) {
    mkdirSync(join(source, `round-${round}`), { recursive: true })
    for (const who of ['global', 'client-a', 'client-b']) {
      copyFileSync(fixture('checkpoint.pt'), join(source, `round-${round}`, `${who}.pt`))
    }
  }
  const out = join(work, 'transcript')
  const proposed = await run('import', 'torch', source, '--out', out)
  expect(proposed).toMatchObject({ code: 0, err: '' })
  expect(proposed.out).toContain('proposed: 2 rounds, 2 clients, model mlp, 4 arrays')
  expect(proposed.out).toContain('relu is taken; or tanh, sigmoid')
  expect(existsSync(out)).toBe(false)
  const path = `${out}.import.json`
  const map = JSON.parse(readFileSync(path, 'utf8')) as { model: object; protocol: object }
  writeFileSync(path, JSON.stringify({ ...map, protocol: { ...map.protocol, learningRate: 0.1 } }))
  expect((await run('import', 'torch', source, '--out', out)).err).toContain('is there already')
  const imported = await run('import', 'torch', source, '--out', out, '--map', path, '--json')
  expect(imported.code).toBe(0)
  expect(JSON.parse(imported.out)).toEqual({ transcript: out, rounds: 2, warnings: [] })
  const attack = await run('attack', 'last-returned', '--transcript', out, '--observer', 'server', '--json')
  expect(attack.code).toBe(0)
  expect(attack.out).toContain('"claimed"')
  expect((await run('import', 'torch', source, '--out', out, '--map', path)).err).toContain('is not empty')
})

test('a malicious pickle is refused, and nothing runs', async () => {
  const canary = '/tmp/overhear-canary'
  rmSync(canary, { force: true })
  copyFileSync(fixture('evil.pt'), join(work, 'round-1.pt'))
  const { code, err } = await run('import', 'torch', work, '--out', join(work, 'out'))
  expect(code).toBe(2)
  expect(err).toContain('the pickle asks for "posix.system"')
  expect(existsSync(canary)).toBe(false)
})

test.each([
  [['import'], 'missing: npz, safetensors or torch'],
  [['import', 'npz'], 'missing: the folder or file to import'],
  [['import', 'onnx', 'x'], 'unknown kind of import: "onnx"'],
  [['import', 'npz', 'x'], 'there is no folder to write to'],
  [['import', 'npz', '/nowhere', '--out', 'o'], '"/nowhere" is not there'],
  [['import', 'npz', '.', 'more', '--out', 'o'], 'unexpected argument "more"'],
])('%j is told what is missing', async (args, message) => {
  const { code, err } = await run(...args)
  expect(code).toBe(2)
  expect(err).toContain(message)
})
