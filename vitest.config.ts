import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests of functions: they share a thread's modules, which saves two fifths of the processor time. */
const pins = ['test/pinned-*.test.ts', 'test/attack-contract.test.ts']
const parts = ['src/**/*.test.ts', ...pins]
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
      { extends: true, test: { name: 'wholes', include: [...commands, ...wholes], exclude: pins } },
    ],
  },
})
