import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { kernelHash } from 'overhear/numeric'
import { expect, test } from 'vitest'

const source = readFileSync(fileURLToPath(new URL('../src/numeric/engine/kernel-bytes.ts', import.meta.url)), 'utf8')

test('the kernels take less than 150 KB compressed, and dist/ holds the committed ones', () => {
  const bytes = Buffer.from(source.match(/'([A-Za-z0-9+/=]{1000,})'/)![1]!, 'base64')
  expect(WebAssembly.validate(bytes)).toBe(true)
  expect(gzipSync(bytes).length).toBeLessThan(150_000)
  expect(source).toContain(kernelHash)
})
