import { expect, test } from 'vitest'
import { harmless, OverhearError } from './errors.js'
import { parseJson } from './transcript/json.js'

test('control characters are spelt out, the kept ones aside', () => {
  expect(harmless('a\u001b[2J\r\n\u0000\u009bb')).toBe('a\\u001b[2J\\u000d\\u000a\\u0000\\u009bb')
  expect(harmless('a\n\u0007', '\n')).toBe('a\n\\u0007')
})

test('an error cannot steer the terminal that shows it', () => {
  const error = new OverhearError('E_INPUT', 'a file named \u001b[31mred', 'look\ninto it\u0007')
  expect(error.message).toBe('a file named \\u001b[31mred; look\ninto it\\u0007')
  expect(error.hint).toBe('look\ninto it\\u0007')
})

test('what is not JSON is quoted on one line', () => {
  expect(() => parseJson('{"a":\n\u001b[2J}', 'x')).toThrow(/^x is not JSON: \P{Cc}*$/u)
})
