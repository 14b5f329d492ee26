import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openCellLog } from './cell-log.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-cells-'))
const file = join(folder, 'cells.jsonl')
afterEach(() => rmSync(file, { force: true }))

const line = (digit: string, value = 1) => ({
  id: digit.repeat(64),
  study: 's',
  at: { steps: 1 },
  seed: 1,
  quick: true,
  measures: [{ panel: 'p', series: 'a', value }],
  seconds: 0.5,
})

test('what is kept is there again, and stays as it was kept first', async () => {
  const log = await openCellLog(folder)
  await Promise.all([log.add(line('a')), log.add(line('b')), log.add(line('a', 2))])
  await log.close()
  const again = await openCellLog(folder)
  expect(again.size).toBe(2)
  expect(again.read('a'.repeat(64))).toMatchObject(line('a'))
  await again.add(line('b', 3))
  expect(again.read('c'.repeat(64))).toBeUndefined()
  await again.close()
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
})

test('a torn last line is cut off, and the next one stands by itself', async () => {
  const first = await openCellLog(folder)
  await first.add(line('a'))
  await first.close()
  appendFileSync(file, '{"format":"overhear-cell/1","id":"é')
  const log = await openCellLog(folder)
  expect(log.size).toBe(1)
  await log.add(line('b'))
  await log.close()
  const [one, two] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as { id: string })
  expect([one!.id[0], two!.id[0]]).toEqual(['a', 'b'])
})

test.each([
  ['no JSON\n', 'line 1 is not JSON; delete that line'],
  ['{"format":"overhear-cell/1","id":"x"}\n', 'line 1'],
])('%j is refused', async (text, message) => {
  writeFileSync(file, text)
  await expect(openCellLog(folder)).rejects.toThrow(message)
})
