import { expect, test } from 'vitest'
import { incompleteBeta } from './beta.js'
import { normalQuantile } from './normal-quantile.js'
import { studentQuantile } from './student-t.js'

test('closed forms of one, two and four degrees of freedom', () => {
  for (const p of [0.001, 0.1, 0.3, 0.5, 0.6, 0.74, 0.76, 0.975, 0.999]) {
    const a = 4 * p * (1 - p)
    expect(studentQuantile(p, 1)).toBeCloseTo(Math.tan(Math.PI * (p - 0.5)), 9)
    expect(studentQuantile(p, 2)).toBeCloseTo(2 * (p - 0.5) * Math.sqrt(2 / a), 9)
    const q = Math.cos(Math.acos(Math.sqrt(a)) / 3) / Math.sqrt(a)
    expect(studentQuantile(p, 4)).toBeCloseTo(Math.sign(p - 0.5) * 2 * Math.sqrt(q - 1), 6)
  }
})

test('printed tables, the normal far out, and the way back', () => {
  expect(studentQuantile(0.975, 9)).toBeCloseTo(2.262157, 6)
  expect(studentQuantile(0.9875, 4)).toBeCloseTo(3.495406, 6)
  expect(studentQuantile(0.8, 9)).toBeCloseTo(0.883404, 6)
  expect(studentQuantile(0.975, 1e9)).toBeCloseTo(normalQuantile(0.975), 7)
  for (const freedom of [3, 7.5, 40]) {
    for (const p of [0.55, 0.7, 0.8, 0.99, 0.999999]) {
      const t = studentQuantile(p, freedom)
      const tail = incompleteBeta(freedom / (freedom + t * t), { a: freedom / 2, b: 0.5 }) / 2
      expect(1 - tail).toBeCloseTo(p, 12)
      expect(studentQuantile(1 - p, freedom)).toBeCloseTo(-t, 9 - Math.ceil(Math.log10(t)))
    }
  }
})

test('what is no probability or no freedom is refused', () => {
  expect(() => studentQuantile(1, 3)).toThrow('t quantile of p = 1')
  expect(() => studentQuantile(0.5, 0)).toThrow('t quantile with 0 degrees of freedom')
})

test('next to the middle no digits are lost, and what is asked for is named', () => {
  // Of one degree of freedom tan(pi (p - 1/2)).
  expect(studentQuantile(0.5 + 2 ** -40, 1) / (Math.PI * 2 ** -40)).toBeCloseTo(1, 10)
  expect(() => studentQuantile(0, 3)).toThrow('t quantile of p = 0')
  expect(() => studentQuantile(1, 3)).toThrow('t quantile of p = 1')
})
