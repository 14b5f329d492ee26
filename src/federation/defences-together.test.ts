import { expect, test } from 'vitest'
import { checkTogether } from './defences-together.js'
import type { Defence } from './hooks.js'

const plain = (name: string): Defence => ({ name })
const mixing = (name: string): Defence => ({ name, mixing: { alpha: 1 } })
const onSteps = (name: string): Defence => ({ name, step: { maxNorm: 1, noiseMultiplier: 1 } })
const together =
  (...defences: Defence[]) =>
  () =>
    checkTogether(defences)

test('defences that leave each other alone act together', () => {
  for (const fine of [
    together(),
    together(plain('a'), plain('b')),
    together(plain('a'), mixing('b')),
    together(onSteps('a'), plain('b')),
  ])
    expect(fine).not.toThrow()
})

test('two of one name, two that mix, two on the local step, or one of each do not', () => {
  expect(together(plain('a'), plain('b'), plain('b'))).toThrow('two defences are called "b"; keep one')
  expect(together(mixing('a'), plain('b'), mixing('c'))).toThrow('a and c both mix records; keep one')
  expect(together(onSteps('a'), onSteps('b'))).toThrow('a and b both act on the local step; keep one')
  expect(together(onSteps('a'), mixing('b'))).toThrow('defences b and a at once; a record is in several mixtures')
})

test('what cannot stand beside an exchange of messages is refused', () => {
  const exchanging = { name: 'sums', exchange: {} } as unknown as Defence
  const turning = { name: 'clips', turn: () => {} } as unknown as Defence
  expect(together(exchanging, turning)).toThrow('defence clips beside sums: it acts on updates')
})
