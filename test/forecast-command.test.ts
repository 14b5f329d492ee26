import { afterEach, expect, test, vi } from 'vitest'
import { captured as run } from './captured-command.js'

afterEach(() => vi.restoreAllMocks())

const planned = ['--clients', '50', '--per-round', '10', '--rounds', '300', '--signal', '4']

test('tells after how many rounds, as text and as one JSON document', async () => {
  const { code, out } = await run('forecast', ...planned, '--client', '17')
  expect(code).toBe(0)
  expect(out).toMatch(/given away after \d+ rounds as a rule \(one in ten by \d+, nine in ten by (more than )?\d+\)/)
  expect(out).toMatch(/client 17, in \d+ of the rounds: /)
  const { forecast, client } = JSON.parse((await run('forecast', ...planned, '--client', '17', '--json')).out)
  expect(out).toContain(`after ${forecast.usual} rounds`)
  expect(client.id).toBe('17')
  const weak = await run('forecast', ...planned.slice(0, -1), '0.2')
  expect(weak.out).toContain('not within 300 rounds as a rule')
})

test('says what it needs', async () => {
  expect((await run('forecast', ...planned.slice(2))).err).toContain('--clients is missing')
  expect((await run('forecast', ...planned, '--client', '50')).err).toContain('a whole number from 0 to 49')
  expect((await run('forecast', ...planned.slice(0, -1), '0')).err).toContain('--signal is "0"')
  expect((await run('forecast', '--clients', '5', ...planned.slice(2))).err).toContain('--per-round is 10 of 5 clients')
  const huge = ['--clients', '1000000', '--per-round', '100000', '--rounds', '10000', '--signal', '4', '--client', '1']
  expect((await run('forecast', ...huge)).err).toContain('leave out --client')
})
