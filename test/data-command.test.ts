import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { describeWithShared, sharedFolder } from './shared.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
afterAll(() => rmSync(folder, { recursive: true }))

// Run from an empty folder with an empty cache, so that only what a test names is found.
function overhear(...args: string[]) {
  return spawnSync(process.execPath, [join(root, 'bin/overhear.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, OVERHEAR_DATA: '', XDG_CACHE_HOME: join(folder, 'cache') },
  })
}

test('list names datasets and partitions with their parameters', () => {
  const lists = ['datasets', 'partitions'].map((what) => JSON.parse(overhear('list', what, '--json').stdout))
  const ids = lists.map((rows: { id: string }[]) => rows.map(({ id }) => id))
  expect(ids[0]).toEqual(expect.arrayContaining(['cps-wages', 'medical', 'leaf-synthetic', 'csv']))
  expect(ids[1]).toEqual(['iid', 'contiguous', 'by-column', 'sizes', 'dirichlet', 'heterogeneous', 'adult-phd'])
  expect(lists[0].find((row: { id: string }) => row.id === 'medical')).toMatchObject({
    predicts: 'charges in dollars',
    sensitive: ['smoker', 'sex'],
    paper: 'aia',
    params: { encoding: { default: 'network', choices: ['network', 'linear'] } },
  })
  expect(overhear('list', 'partitions').stdout).toContain('heterogeneity = 0.4: h: 0 mixes')
})

test.each([
  [['list'], 'list of what?; known: attacks, datasets, partitions'],
  [['list', 'dataset'], 'unknown list: "dataset" (did you mean "datasets"?)'],
  [['data', 'medcal'], 'unknown dataset: "medcal" (did you mean "medical"?)'],
  [['data', 'adult', 'medical'], 'unexpected argument "medical"'],
  [['data', '--dir', 'x'], "unknown option '--dir'"],
])('%j is wrong usage: exit code 2', (args, message) => {
  const { status, stderr, stdout } = overhear(...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('data tells a missing file, where it was looked for and where it is to be had', () => {
  const state = JSON.parse(overhear('data', 'medical', '--json', '--data-dir', 'here').stdout)
  expect(state).toMatchObject({
    id: 'medical',
    ready: false,
    files: [{ file: 'medical/insurance.csv', state: 'missing', path: null }],
  })
  expect(state.folders[0]).toBe(join(folder, 'here'))
  const { stdout, status } = overhear('data', 'medical')
  expect(status).toBe(0)
  expect(stdout).toContain(join(folder, 'cache', 'overhear'))
  expect(stdout).toMatch(/missing[\s\S]*1,338 rows[\s\S]*To be had from the repository stedy/)
})

test('data tells a changed file from a whole one', () => {
  mkdirSync(join(folder, 'odd/medical'), { recursive: true })
  writeFileSync(join(folder, 'odd/medical/insurance.csv'), 'age\n1\n')
  const state = JSON.parse(overhear('data', 'medical', '--json', '--data-dir', 'odd').stdout)
  expect(state).toMatchObject({ ready: false, files: [{ state: 'changed' }] })
  const all = overhear('data', '--data-dir', 'odd')
  expect(all.status).toBe(0)
  const lines = all.stdout.split('\n')
  expect(lines.find((line) => line.startsWith('medical'))).toMatch(/^medical +changed/)
  expect(lines.find((line) => line.startsWith('cps-wages'))).toMatch(/^cps-wages +inside/)
  expect(lines.find((line) => line.startsWith('csv'))).toMatch(/^csv +yours/)
})

describeWithShared('with the shared data', () => {
  test('every dataset is whole', () => {
    const { stdout } = overhear('data', '--json', '--data-dir', `${sharedFolder()}/data`)
    const bad = (JSON.parse(stdout) as { id: string; ready: boolean | null }[]).filter(({ ready }) => ready === false)
    expect(bad.map(({ id }) => id)).toEqual([])
    const words = overhear('data', '--data-dir', `${sharedFolder()}/data`).stdout
    expect(words).toMatch(/^medical +whole /m)
    expect(words).not.toContain('missing')
  })
})
