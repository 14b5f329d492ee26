import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { baselineOf, performancePage } from '../tools/performance-page.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const row = {
  ...{ what: 'a step', unit: 'us', ratio: null, repetitions: 20 },
  ...{ best: null, way: null, peers: {} },
}
const result = {
  machine: {
    cpu: 'Abacus 3000',
    cores: 7,
    platform: 'linux x64',
    node: '20.1.0',
    overhear: '9.9.9',
    kernels: 'abcdef012345678',
    load: { before: 0.5, after: 1.25 },
    peakGflops: { f32: 57, f64: 28.5 },
  },
  libraries: { torch: { version: '1.13.1', blas: 'fast/libblas.so.3', productGflops: 81.23 } },
  workloads: [
    {
      ...{ ...row, name: 'mlp', ours: 20.24, peers: { torch: 176, jax: 17.8 }, best: 'jax', way: 'jit' },
      ...{ ratio: 0.8794, percentOfPeak: 61.4 },
    },
    {
      ...{ ...row, name: 'linear', ours: 1.5, peers: { torch: 120, jax: null }, best: 'torch', way: 'eager' },
      ...{ ratio: 80, percentOfPeak: 3, repetitions: 40 },
    },
    {
      ...{ ...row, name: 'run', unit: 's', ours: 1.1, peers: { torch: 1234.5 }, best: 'torch', way: 'eager' },
      ...{ ratio: 1122.27, percentOfPeak: null, scaled: 20 },
    },
    { ...row, name: 'svd', unit: 'ms', ours: 2, percentOfPeak: null },
  ],
}

test('the page has a line a workload: what is unknown shows, and what was scaled', () => {
  const page = performancePage(result)
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual([
    '| `mlp` | a step | 20.2 µs | 176 | 17.8 | - | JAX, jit | 0.879 | 61 % |',
    '| `linear` | a step | 1.5 µs | 120 | - | - | PyTorch, eager | 80 | 3 % |',
    '| `run` | a step | 1.1 s | 1,235 | - | - | PyTorch, eager | 1,122 | - |',
    '| `svd` | a step | 2 ms | - | - | - | - | - | - |',
  ])
  for (const fact of [
    'Abacus 3000, 7 cores',
    '1.25 after',
    'at most 57 GFLOP/s',
    'PyTorch 1.13.1',
    '(fast/libblas.so.3) reach 81.2',
    '20 to 40 on each side',
  ]) {
    expect(page).toContain(fact)
  }
  expect(page).not.toContain('busy')
  const load = { before: 1, after: 7.5 }
  expect(performancePage({ ...result, machine: { ...result.machine, load } })).toContain('The machine was busy')
  expect(page).toContain('`run`: they did one part in 20')
})

test('a baseline holds the ratios that are known and the speed of the peers', () => {
  expect(baselineOf(result)).toEqual({
    ratios: { mlp: 0.8794, linear: 80, run: 1122.27 },
    productGflops: { torch: 81 },
  })
})

test('docs/performance.md is what bench/measured.json and bench/audit.md give', () => {
  const measured = `${root}bench/measured.json`
  expect(existsSync(measured)).toBe(true)
  expect(readFileSync(`${root}docs/performance.md`, 'utf8')).toBe(
    performancePage(JSON.parse(readFileSync(measured, 'utf8')), readFileSync(`${root}bench/audit.md`, 'utf8')),
  )
})
