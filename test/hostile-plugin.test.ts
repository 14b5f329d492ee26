import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttackResult } from '../src/audit/attack-result.js'
import type { AuditDocument } from '../src/audit/document.js'
import { mendShared } from '../src/audit/shared-intact.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'overhear-hostile-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const hostile = ['square-root', 'lists', 'numbers', 'then', 'text', 'memory'].map((name) => `hostile-${name}`)

let results: AttackResult[] = []
let alone: AttackResult[] = []
beforeAll(() => {
  const small = readFileSync(join(root, 'test/scenarios/small.yaml'), 'utf8')
  const audit = (name: string, attacks: readonly string[], ...more: string[]): AttackResult[] => {
    const path = join(work, `${name}.yaml`)
    writeFileSync(path, small.replace(/^attacks: .*$/m, `attacks: [${attacks.join(', ')}]`))
    // One thread for all attacks: what one spoils the next would feel.
    const args = ['audit', path, '--out', join(work, name), '--workers', '1', '--json', '--quiet', '--allow-untested']
    const { stdout, stderr, status } = spawnSync(process.execPath, ['bin/overhear.mjs', ...args, ...more], {
      cwd: root,
      encoding: 'utf8',
    })
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    return (JSON.parse(stdout) as AuditDocument).observers.flatMap(({ attacks: own }) => own)
  }
  const honest = ['last-returned', 'aia-model', 'lmra-ols']
  alone = audit('alone', honest)
  // Where a plug-in is trusted, and for the package's own attacks, threads are what holds them.
  results = audit('beside', [...hostile, ...honest], '--plugin', 'test/fixtures/hostile-attacks.mjs', '--trust-plugins')
})

test('no attack changes what another finds', () => {
  const timeless = (all: readonly AttackResult[]): unknown =>
    JSON.parse(JSON.stringify(all, (key, value: unknown) => (key === 'millis' ? 0 : value)))
  expect(timeless(results.filter(({ attack }) => !hostile.includes(attack)))).toEqual(timeless(alone))
  expect(alone.filter(({ status }) => status === 'claimed').length).toBeGreaterThan(2)
})

test('none gets what it tries for, or what it says counts for nothing', () => {
  for (const id of hostile) {
    const own = results.filter(({ attack, status }) => attack === id && status !== 'not-applicable')
    expect(own.length).toBeGreaterThan(0)
    for (const { status, details, error } of own) {
      if (status === 'failed') expect(error!.message).toContain('changed what all share')
      else expect({ id, got: details.got }).toEqual({ id, got: 0 })
    }
  }
  const failed = new Set(results.filter(({ status }) => status === 'failed').map(({ attack }) => attack))
  expect([...failed].sort()).toEqual(['hostile-lists', 'hostile-numbers'])
})

test('what was changed is put back, and named', () => {
  expect(mendShared()).toBeUndefined()
  const { sqrt } = Math
  Math.sqrt = () => 0
  expect(mendShared()).toBe('Math, sqrt')
  expect(Math.sqrt).toBe(sqrt)
  Object.assign(Array.prototype, { theirs: 1 })
  expect(mendShared()).toBe('Array.prototype, theirs')
  expect('theirs' in []).toBe(false)
  const { map } = Array.prototype
  Object.defineProperty(Array.prototype, 'map', { get: () => map, configurable: true })
  expect(mendShared()).toBe('Array.prototype, map')
  expect(mendShared()).toBeUndefined()
})
