import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces } from './json-pieces.js'

const joined = (value: unknown): string => [...jsonPieces(value)].join('')

test('the pieces make the text that JSON.stringify makes', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => joined(value) === JSON.stringify(value)))
  const odd = { a: undefined, b: [undefined, -0, Number.NaN], c: {}, d: [], '"': '\u2028"\\' }
  expect(joined(odd)).toBe(JSON.stringify(odd))
})

test('a long document comes in pieces, none of them long', () => {
  const long = { rows: Array.from({ length: 5000 }, (_, i) => ({ i, text: 'x'.repeat(100), list: [i, 2, 3] })) }
  const pieces = [...jsonPieces(long)]
  expect(pieces.length).toBeGreaterThan(5)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
  expect(pieces.join('')).toBe(JSON.stringify(long))
})
