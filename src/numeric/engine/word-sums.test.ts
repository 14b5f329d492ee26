import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addWordsInto, type WordTerm } from './word-sums.js'

test('terms are added or taken away modulo 2^32, at every length and across blocks', () => {
  const words = (n: number) => fc.uint32Array({ minLength: n, maxLength: n })
  const terms = (n: number) => fc.array(fc.record({ values: words(n), sign: fc.constantFrom(1 as const, -1 as const) }))
  const cases = fc.nat({ max: 40 }).chain((n) => fc.tuple(words(n), terms(n)))
  const checked = (to: Uint32Array, given: readonly WordTerm[]): void => {
    const due = to.map((x, j) => given.reduce((sum, { values, sign }) => (sum + sign * values[j]!) >>> 0, x))
    addWordsInto(to, given)
    expect(to).toEqual(due)
  }
  fc.assert(fc.property(cases, ([to, given]) => checked(to, given)))
  for (const n of [16383, 16384, 16385, 50_001]) {
    const values = Uint32Array.from({ length: n }, (_, j) => Math.imul(j, 2654435761) >>> 0)
    checked(values.slice().reverse(), [
      { values, sign: 1 },
      { values: values.map((x) => x ^ 12345), sign: -1 },
    ])
  }
})
