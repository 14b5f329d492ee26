import { expect, test } from 'vitest'
import { coloured } from './word-colours.js'

test('words that begin a line, or follow the verdict, and nothing else', () => {
  const red = '\u001b[1;31mLEAKS RECORDS\u001b[0m'
  expect(coloured('verdict: LEAKS RECORDS (2)\nLEAKS RECORDS     union')).toBe(`verdict: ${red} (2)\n${red}     union`)
  expect(coloured('it says LEAKS RECORDS\nleaks records')).toBe('it says LEAKS RECORDS\nleaks records')
  const words = ['LEAKS THE CLIENT', 'INCONCLUSIVE', 'KNOWN ANYWAY', 'NO LEAK FOUND', 'NOT TESTED']
  const marks = words.map((word) => coloured(word).replace(word, ''))
  expect(new Set(marks).size).toBe(5)
  for (const mark of marks) expect(mark.replaceAll('\u001b', '^')).toMatch(/^\^\[[\d;]+m\^\[0m$/)
})

test('what is broken is red to the end of its paragraph', () => {
  const lines = 'BROKEN: canaries show more\n  than is allowed'
  expect(coloured(`${lines}\n\nverdict: x\n  it is not BROKEN`)).toBe(
    `\u001b[1;31m${lines}\u001b[0m\n\nverdict: x\n  it is not BROKEN`,
  )
})
