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

test('rungs of bars and of their legend have one colour each, and letters of words none', () => {
  const text = `NOT TESTED  gender  |${'.'.repeat(12)}g..f..c===r${'.'.repeat(9)}|  AUC\ng: a guess; f: a federation; c: the client\n  r  the client's records`
  const shown = coloured(text).replaceAll('\u001b', '^')
  expect(shown.replaceAll(/\^\[[\d;]+m/g, '')).toBe(text)
  const codes = [...shown.matchAll(/\^\[38;5;(\d+)m(.)\^\[0m/g)].map(([, code, letter]) => `${letter}${code}`)
  expect(codes).toHaveLength(8)
  expect(new Set(codes).size).toBe(4)
})
