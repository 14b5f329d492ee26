import { expect, test } from 'vitest'
import { linesOf } from './line-of.js'

const text = `# first
name: a

training:
  rounds: 3
  1: one
models:
  - kind: linear
  -
    kind: mlp
    hidden: [3,
      4]
empty:
`

test.each([
  [[], 2],
  [['name'], 2],
  [['training'], 4],
  [['training', 'rounds'], 5],
  [['training', 1], 6],
  [['training', 'rounds', 'x'], 5],
  [['training', 'epochs'], 4],
  [['models', 0, 'kind'], 8],
  [['models', '0'], 8],
  [['models', 1, 'kind'], 10],
  [['models', 1, 'hidden', 1], 12],
  [['models', 2], 7],
  [['empty'], 13],
  [['empty', 'x'], 13],
  [['none'], 2],
])('%j is in line %d', (path, line) => {
  expect(linesOf(text)(path)).toBe(line)
})

test('JSON has lines too, and a text that is empty or torn has one', () => {
  expect(linesOf('{\n "a": [\n  1,\n  2 ]}')(['a', 1])).toBe(4)
  for (const other of ['', '# nothing', '[']) expect(linesOf(other)(['a'])).toBe(1)
})
