import { expect, test } from 'vitest'
import { bestForF1 } from './f1-decision.js'
import { fewInnocent } from './false-accusations.js'

const f1 = (...p: number[]) => bestForF1(Float64Array.from(p)).map(Number).join('')
const fdr = (...p: number[]) => fewInnocent(Float64Array.from(p)).map(Number).join('')

test('best expected F1: as many of the likeliest as pay', () => {
  expect(f1()).toBe('')
  expect(f1(0, 0, 0)).toBe('000')
  expect(f1(0.1)).toBe('1')
  // 2 0.9 / (1 + 1) = 0.9, 2 1 / (2 + 1) = 0.67
  expect(f1(0.1, 0.9)).toBe('01')
  // 2 0.9 / (1 + 1.5) = 0.72, 2 1.5 / (2 + 1.5) = 0.857
  expect(f1(0.6, 0.9)).toBe('11')
  // 2 0.75 / (1 + 1.25) = 0.667, 2 1.25 / (2 + 1.25) = 0.769, with a third of 0.25: 2 1.5 / (3 + 1.5)
  expect(f1(0.5, 0, 0.75)).toBe('101')
  expect(f1(0.01, 0.99, 0.98, 0.02, 1)).toBe('01101')
})

test('the same as the best of all sets, tried one by one', () => {
  const p = [0.31, 0.07, 0.93, 0.55, 0.32, 0.11]
  const total = p.reduce((a, b) => a + b)
  let best = { value: 0, text: '' }
  for (let bits = 1; bits < 64; bits++) {
    const chosen = p.map((_, i) => (bits >> i) & 1)
    const size = chosen.reduce((a, b) => a + b)
    const value = (2 * p.reduce((sum, x, i) => sum + x * chosen[i]!, 0)) / (size + total)
    if (value > best.value) best = { value, text: chosen.join('') }
  }
  expect(f1(...p)).toBe(best.text)
})

test('few innocent: the most whose mean probability of innocence is at most a twentieth', () => {
  expect(fdr()).toBe('')
  expect(fdr(0, 0.5)).toBe('00')
  expect(fdr(0.9375)).toBe('0') // 0.0625
  expect(fdr(0.953125)).toBe('1') // 0.046875
  expect(fdr(0.9375, 1)).toBe('11') // 0.0625 <= 2 / 20
  expect(fdr(0.9375, 0.953125)).toBe('01') // 0.109375 > 2 / 20
  expect(fdr(0.875, 1, 1, 0.875)).toBe('1110') // 0.125 <= 3 / 20, 0.25 > 4 / 20
  expect(fdr(1, 0, 1)).toBe('101')
  expect(fdr(...new Array(19).fill(1), 0)).toBe('1'.repeat(20)) // 1 = 20 / 20
})

test('of equal ones the first are taken', () => {
  expect(fdr(0.875, 1, 0.875, 1)).toBe('1101')
})
