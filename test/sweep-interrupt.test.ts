/** Ctrl-C in a sweep of this machine: what is finished is kept, and --resume runs the rest alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { linesIn, overhear, sweepArgs, tables, until, work, writeSweep } from './queue-world.js'

beforeAll(writeSweep)

test('Ctrl-C keeps what is finished, and --resume goes on to the tables of a sweep that was left alone', async () => {
  const whole = await overhear(work, ...sweepArgs('whole', '--workers', '1')).ended
  expect([whole.code, linesIn('whole').length]).toEqual([0, 6])
  const cut = overhear(work, ...sweepArgs('cut', '--workers', '1'))
  await until('a trial is kept', () => linesIn('cut').length > 0)
  cut.child.kill('SIGINT')
  const end = await cut.ended
  expect([end.code, JSON.parse(end.stdout)]).toMatchObject([130, { complete: false, failed: 0 }])
  const kept = readFileSync(join(work, 'cut', 'trials.jsonl'), 'utf8')
  const before = linesIn('cut').length
  expect(before).toBeLessThan(6)
  const rest = await overhear(work, ...sweepArgs('cut', '--workers', '2', '--resume')).ended
  expect([rest.code, JSON.parse(rest.stdout)]).toMatchObject([0, { before, done: 6, complete: true }])
  expect(readFileSync(join(work, 'cut', 'trials.jsonl'), 'utf8').startsWith(kept)).toBe(true)
  expect(linesIn('cut')).toHaveLength(6)
  expect(tables('cut')).toEqual(tables('whole'))
})
