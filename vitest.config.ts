import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['./test/setup.ts'],
    reporters: ['default', './tools/reporter.mjs'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
