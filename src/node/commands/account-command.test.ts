import { expect, test } from 'vitest'
import type { ClientSpent } from '../../audit/account/spent.js'
import { claimText } from '../../audit/account/spent-words.js'
import { clientTable, plain } from './account-command.js'

test('a number of a flag lies above the least, and at most at the most', () => {
  const read = (delta: string | undefined) => plain('delta', { delta } as never, { least: 0, most: 1 })
  expect([read(undefined), read('1'), read('1e-5')]).toEqual([undefined, 1, 1e-5])
  for (const text of ['0', '1.01', '-1', '', ' ', 'x', 'NaN']) expect(() => read(text)).toThrow(`--delta is "${text}"`)
})

test('a claim is kept, or broken by what is spent at least', () => {
  const spent = (lower: number) => ({ lower, upper: lower + 0.01 })
  expect(claimText(null, spent(2))).toEqual([])
  expect(claimText(2, spent(2))).toEqual(['epsilon 2 is claimed, and kept'])
  expect(claimText(3, spent(2))).toEqual(['epsilon 3 is claimed, and kept'])
  expect(claimText(1.9, spent(2))[0]).toMatch(/^BROKEN PROMISE: epsilon 1.9 is claimed, at least /)
})

test('twenty clients are shown, the rest is counted', () => {
  const clients = Array.from({ length: 22 }, (_, i): ClientSpent => ({ client: `c${i}`, turns: 2, steps: 5, epsilon: { lower: 1, upper: 1.01 }, advantage: 0.25 }) as unknown as ClientSpent) // biome-ignore format: a line
  const lines = (count: number, from: 'scenario' | 'transcript' = 'scenario') => clientTable(from, clients.slice(0, count)).split('\n') // biome-ignore format: a line
  expect(lines(20).at(-1)).toMatch(/^c19 .*0\.250$/)
  expect(lines(21).at(-1)).toBe('and 1 clients that spend no more')
  expect(lines(22)).toHaveLength(lines(20).length + 1)
  expect(lines(1)[0]).toMatch(/turns at most/)
  expect(lines(1, 'transcript')[0]).not.toMatch(/at most/)
})
