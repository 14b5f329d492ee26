import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sweepIndex, trialsFile } from './sweep-index.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-sweep-index-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a log that is too large for the page is not read, and it is said what reads it', async () => {
  writeFileSync(join(folder, trialsFile), '')
  // A hole: it takes no room on the disk.
  truncateSync(join(folder, trialsFile), 2_000_000_001)
  await expect(sweepIndex(folder)).rejects.toThrow(
    'the log has 2000000001 bytes, more than the 2000000000 that the page reads; "overhear query" reads larger ones',
  )
})
