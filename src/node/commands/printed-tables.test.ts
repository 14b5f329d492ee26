import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printedBy } from '../../../test/printed-by.js'
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasetState, runData } from './data-command.js'
import { runForecast } from './forecast-command.js'
import { runList } from './list-command.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-printed-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const sums = '--clients 20 --per-round 20 --rounds 6 --signal 1e6 --share 0.999'.split(' ')

describe('a forecast', () => {
  test('of all clients in every round, at the largest numbers that are taken', async () => {
    const { value, out } = await printedBy(() => runForecast(sums))
    expect(value).toBe(0)
    expect(out.split('\n')[0]).toBe('20 clients, 20 of them at random in each of 6 rounds, a feature of signal 1000000:')
    // All sums are of the same clients: nobody is told apart.
    expect(out).toMatch(/^ {2}a client with the property is given away not within 6 rounds as a rule$/m)
  })

  test('says what was asked, and a tenth has the property unless told', async () => {
    const asked = '--clients 9 --per-round 3 --rounds 40 --signal 3'.split(' ')
    const json = async (...more: string[]) => JSON.parse((await printedBy(() => runForecast([...asked, ...more, '--json']))).out) // biome-ignore format: a line
    const usual = await json()
    expect(usual).toMatchObject({ clients: 9, perRound: 3, rounds: 40, signal: 3, share: 0.1 })
    expect(usual).not.toHaveProperty('client')
    expect(await json('--share', '0.1')).toEqual(usual)
    const { client } = await json('--client', '4')
    expect(client.id).toBe('4')
    expect(await json('--client', '4', '--seed', '1')).toEqual(await json('--client', '4'))
    expect((await json('--client', '4', '--seed', '9')).client).not.toEqual(client)
  })
}) // biome-ignore format: lines

describe('the files of a dataset', () => {
  const entry = (over: object): DatasetEntry =>
    ({ id: 'd', title: 'A title', origin: 'files', obtain: 'somewhere', ...over }) as unknown as DatasetEntry
  const file = (path: string, sha256?: string) => ({ path, content: 'rows', ...(sha256 !== undefined && { sha256 }) })
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

  test('are whole, changed or missing', async () => {
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), '')
    writeFileSync(join(folder, 'changed'), 'x')
    const state = async (over: object) => datasetState(entry(over), { dataDir: folder })
    const whole = await state({ files: [file('a', empty), file('b', empty)] })
    expect(whole).toMatchObject({ id: 'd', title: 'A title', origin: 'files', ready: true, obtain: 'somewhere' })
    expect(whole.folders[0]).toBe(folder)
    expect(whole.files[0]).toEqual({ file: 'a', content: 'rows', path: join(folder, 'a'), state: 'whole', sha256: empty }) // biome-ignore format: a line
    const bad = await state({ files: [file('a', empty), file('changed', empty), file('none-of-it', empty)] })
    expect([bad.ready, bad.files.map((one) => one.state)]).toEqual([false, ['whole', 'changed', 'missing']])
    expect(bad.files[2]!.path).toBeNull()
    expect((await state({ files: [file('a')] })).files[0]).toMatchObject({ state: 'unchecked', sha256: null })
    expect((await state({ files: [file('a')] })).ready).toBe(false)
  })

  test('are none of a table of one own, and of what is made', async () => {
    expect(await datasetState(entry({}), {})).toMatchObject({ ready: null, files: [] })
    const made = await datasetState({ ...entry({ origin: 'generator' }), obtain: undefined } as never, {})
    expect(made).toMatchObject({ ready: true, folders: [], files: [], obtain: null })
  })

  test('are told in a word each, or at length for one', async () => {
    mkdirSync(join(folder, 'medical'))
    writeFileSync(join(folder, 'medical/insurance.csv'), 'age\n1\n')
    const { out } = await printedBy(() => runData(['--data-dir', folder]))
    expect(out).toMatch(/^dataset +files +title$/m)
    for (const line of [/^cps-wages +inside /m, /^csv +yours /m, /^medical +changed /m, /^leaf-synthetic +inside /m])
      expect(out).toMatch(line)
    const one = async (name: string) => (await printedBy(() => runData([name, '--data-dir', folder]))).out
    expect(await one('cps-wages')).toMatch(/^cps-wages: .*\nIt is inside the package: nothing to get\.\n$/)
    expect(await one('leaf-synthetic')).toMatch(/\nIt is generated from the seed: nothing to get\.\n$/)
    expect(await one('csv')).toContain(`Name it by "file": from here, or in one of\n  ${folder}\n`)
    const medical = await one('medical')
    expect(medical).toMatch(/^medical: .*\n\nLooked for in\n {2}/)
    expect(medical).toMatch(/^medical\/insurance\.csv +changed +\S+insurance\.csv$/m)
    expect(medical).toMatch(/\n\nWhat the files hold\n {2}medical\/insurance\.csv: .*\n {4}sha256 [0-9a-f]{64}\n\nTo be had from .*\.\n$/) // biome-ignore format: a line
  })
})

describe('lists', () => {
  const listed = async (...args: string[]) => (await printedBy(() => runList(args))).out
  test('say what an attack needs and who can run it', async () => {
    const attacks = await listed('attacks')
    expect(attacks).toMatch(/^lmra-exact: .+ \[lmra\]/m)
    expect(attacks).toMatch(/^ {4}needs [\w, -]+; for [\w, -]+$/m)
    expect(attacks).toMatch(/\(.*beyond the papers.*\)$/m)
    expect(attacks).toMatch(/\(oracle.*\)$/m)
  })

  test('say how long a study takes', async () => {
    const studies = JSON.parse(await listed('studies', '--json')) as { id: string; where: string; seconds: { full: number; quick: number } }[] // biome-ignore format: a line
    const text = await listed('studies')
    const words = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)
    for (const { where, seconds } of studies) {
      expect(text).toContain(`    ${where}; takes about ${words(seconds.full)}, ${words(seconds.quick)} with --quick\n`)
    }
    expect(studies.some(({ seconds }) => seconds.quick < 120) && studies.some(({ seconds }) => seconds.full >= 120)).toBe(true) // biome-ignore format: a line
  })

  test('say what a setting is by default, and who obeys it', async () => {
    expect(await listed('settings')).toMatch(/^training\.rounds: .*\n {4}= \d+; obeyed by \w+/m)
    expect(await listed('partitions')).toMatch(/^ {4}clients = \d+: /m)
  })
})
