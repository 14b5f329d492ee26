import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parametersOf } from '../../models/index.js'
import { openTranscript } from '../../transcript/read-transcript.js'
import { openWriter } from '../../transcript/write-transcript.js'
import { fileStore } from './file-store.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a transcript goes to disk and comes back, and can be taken up', async () => {
  const manifest = {
    format: 'overhear-transcript/1' as const,
    model: { kind: 'linear' as const, inputs: 1, outputs: 1 },
    loss: 'mse' as const,
    protocol: { share: 'parameters' as const },
    clients: { count: 3 },
  }
  const round = (t: number) => ({
    round: t,
    participants: ['2'],
    global: Float64Array.of(t, 1),
    clients: new Map([['2', { kind: 'parameters' as const, theta: Float64Array.of(0.1, t) }]]),
  })
  const store = fileStore(join(folder, 'new', 'run'))
  await store.makeFolder('')
  for (const t of [0, 1]) await (await openWriter(store, manifest, { parametersOf })).append(round(t))
  const transcript = await openTranscript(store, { parametersOf })
  expect((await transcript.readRound(1)).clients.get('2')).toEqual(round(1).clients.get('2'))
  expect(readdirSync(join(folder, 'new', 'run')).sort()).toEqual(['rounds', 'rounds.jsonl', 'transcript.json'])
  expect(await store.list?.('rounds')).toHaveLength(2)
})

test('links may stay inside and not lead out; pipes and folders are no files', async () => {
  const inner = join(folder, 'in')
  mkdirSync(inner)
  writeFileSync(join(folder, 'secret'), 'x')
  writeFileSync(join(inner, 'own'), 'abc')
  symlinkSync(join(folder, 'secret'), join(inner, 'out'))
  symlinkSync(folder, join(inner, 'up'))
  symlinkSync('own', join(inner, 'alias'))
  mkdirSync(join(folder, 'in-another'))
  writeFileSync(join(folder, 'in-another', 'secret'), 'x')
  symlinkSync(join(folder, 'in-another'), join(inner, 'beside')) // a longer name that begins alike
  execFileSync('mkfifo', [join(inner, 'pipe')])
  const store = fileStore(inner)
  expect(await store.size('alias')).toBe(3)
  for (const path of ['out', 'up/secret', 'beside/secret']) {
    await expect(store.read(path)).rejects.toThrow(/leads out of its folder/)
    await expect(store.open(path)).rejects.toThrow(/leads out of its folder/)
    await expect(store.size(path)).rejects.toThrow(/leads out of its folder/)
  }
  await expect(store.read('../secret')).rejects.toThrow(/relative path/)
  await expect(store.open('pipe')).rejects.toThrow(/no regular file/)
  await expect(store.open('none')).rejects.toThrow(/no file "none"/)
  expect(await store.size('none')).toBeUndefined()
  const source = await store.open('own')
  expect(await source.read(1, 2)).toEqual(Uint8Array.of(98, 99))
  await expect(source.read(1, 3)).rejects.toThrow(/ends before byte 4/)
  await source.close?.()
})
