import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ImportPorts } from '../../transcript/imports/import-recording.js'
import { runImport } from './import-command.js'

const asked = vi.hoisted(() => ({ maps: [] as unknown[], files: [] as unknown[] }))
const printed = vi.hoisted((): string[] => [])
vi.mock('../../transcript/imports/import-recording.js', async (actual) => ({
  ...(await actual<typeof import('../../transcript/imports/import-recording.js')>()),
  async importRecording(map: unknown, { where }: ImportPorts & { readonly where: string }) {
    asked.maps.push([map, where])
    return { rounds: 3, warnings: ['one file is odd', 'so is another'] }
  },
  async proposeMap(files: readonly string[]) {
    asked.files.push([...files].sort())
    const map = { rounds: [{}, {}], clients: [{}], model: { kind: 'mlp' }, parameters: [{}, {}, {}, {}] }
    return { map, asks: ['the activation', 'the loss'] }
  },
}))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))
const complained = vi.spyOn(console, 'error').mockImplementation(() => {})

let folder = ''
let source = ''
let out = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-import-command-'))
  source = join(folder, 'source')
  out = join(folder, 'out')
  mkdirSync(join(source, 'round-1'), { recursive: true })
  for (const name of ['round-1/a.npz', 'round-2.npz']) writeFileSync(join(source, name), '')
  for (const list of [asked.maps, asked.files, printed]) list.length = 0
  complained.mockClear()
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a first call proposes a map beside the folder that is to be made, and says what to look at', async () => {
  expect(await runImport(['npz', source, '--out', `${out}/`])).toBe(0)
  expect(asked.files).toEqual([[join('round-1', 'a.npz'), 'round-2.npz']])
  const path = `${out}.import.json`
  expect(printed[0]!.split('\n')).toEqual([
    'proposed: 2 rounds, 1 clients, model mlp, 4 arrays',
    '  look at the activation',
    '  look at the loss',
    `change ${path} where it is wrong; then`,
    `  overhear import npz ${source} --out ${out}/ --map ${path}`,
  ])
  expect(readFileSync(path, 'utf8')).toMatch(/^\{\n "rounds": \[.*\}\n$/s)
  expect(existsSync(out)).toBe(false)
  await expect(runImport(['npz', source, '--out', out])).rejects.toThrow(
    `${path} is there already; give it by --map ${path}, or move it away`,
  )
})

test('one file may be proposed for, and JSON holds the proposal', async () => {
  expect(await runImport(['npz', join(source, 'round-2.npz'), '--out', out, '--json'])).toBe(0)
  expect(asked.files).toEqual([['round-2.npz']])
  expect(JSON.parse(printed[0]!)).toMatchObject({
    map: `${out}.import.json`,
    asks: ['the activation', 'the loss'],
    proposal: { model: { kind: 'mlp' } },
  })
  expect(printed).toHaveLength(1)
})

test('with a map it is imported into an empty folder; each warning is told, and what to do next', async () => {
  const map = join(folder, 'map.json')
  writeFileSync(map, '{"map":1}')
  mkdirSync(out)
  expect(await runImport(['npz', source, '--out', out, '--map', map])).toBe(0)
  expect(complained.mock.calls).toEqual([['warning: one file is odd'], ['warning: so is another']])
  expect(printed).toEqual([`3 rounds in ${out}\nnext: overhear audit --transcript ${out}`])
  expect(asked.maps).toEqual([[{ map: 1 }, map]])
  await runImport(['npz', source, '--out', join(folder, 'new'), '--map', map, '--json'])
  expect(JSON.parse(printed[1]!)).toEqual({
    transcript: join(folder, 'new'),
    rounds: 3,
    warnings: ['one file is odd', 'so is another'],
  })
  expect([existsSync(join(folder, 'new')), printed.length]).toEqual([true, 2])
})

test('what cannot be is refused before anything is written', async () => {
  await expect(runImport(['npz', source])).rejects.toThrow('there is no folder to write to; give --out DIR')
  await expect(runImport(['npz', source, '--out', source, '--map', 'm'])).rejects.toThrow('is not empty')
  await expect(runImport(['npz', source, '--out', out, '--map', join(folder, 'm')])).rejects.toThrow(
    'm" cannot be read; a call without --map proposes one',
  )
  writeFileSync(join(folder, 'bad.json'), '{')
  await expect(runImport(['npz', source, '--out', out, '--map', join(folder, 'bad.json')])).rejects.toThrow('bad.json')
  expect(asked.maps).toEqual([])
})
