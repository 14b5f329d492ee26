import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests of functions: they share a thread's modules, which saves two fifths of the processor time. */
const acrossRooms = [
  'test/pinned-!(study-runs).test.ts', // that one stands in for modules, which those who share a thread would meet
  'test/{attack-contract,budgets,determinism,docs-kubernetes,door,held-back,label-units,layers,page-palette}.test.ts',
  'test/{papers,per-record,performance-page,protocol-zoo,same-numbers,settings,shared,sources,sum-attacks}.test.ts',
  'test/{vector-j,vectors}.test.ts',
]
const parts = ['src/**/*.test.ts', ...acrossRooms]
/** Tests of whole processes, or of what belongs to a process: each file has one of its own. */
const wholes = ['test/**/*.test.ts']
const commands = ['src/node/**/*.test.ts']

export default defineConfig({
  test: {
    setupFiles: ['./test/setup.ts'],
    reporters: ['default', './tools/reporter.mjs'],
    // Every core: by itself Vitest leaves one idle, which on two is half of them.
    maxWorkers: availableParallelism(),
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'parts', include: parts, exclude: commands, pool: 'threads', isolate: false } },
      { extends: true, test: { name: 'wholes', include: [...commands, ...wholes], exclude: acrossRooms } },
    ],
  },
})
