import { expect, test } from 'vitest'
import { checkExchange, exchangingIn } from './defended-turn.js'
import type { Defence } from './hooks.js'

const named = (name: string, own: object = {}): Defence => ({ name, ...own }) as unknown as Defence
const sums = named('sums', { exchange: {} })
const clips = named('clips', { turn: () => {} })
const noises = named('noises', { aggregate: () => {} })
const idle = named('idle')

test('beside an exchange nothing may act on updates, exchange as well, or act on the sum before it', () => {
  expect(exchangingIn([idle, sums])).toBe(sums)
  expect(exchangingIn([idle, noises])).toBeUndefined()
  for (const fine of [[], [clips, noises], [sums], [idle, sums, idle], [sums, noises]])
    expect(() => checkExchange(fine)).not.toThrow()
  expect(() => checkExchange([sums, clips])).toThrow('defence clips beside sums: it acts on updates')
  expect(() => checkExchange([clips, sums])).toThrow('it acts on updates')
  expect(() => checkExchange([sums, named('more', { exchange: {} })])).toThrow('both exchange messages')
  expect(() => checkExchange([noises, sums])).toThrow('defence noises beside sums: it acts on the sum first')
})
