import { expect, test } from 'vitest'
import { openKnowledge } from './knowledge-file.js'
import { memoryStore } from './store.js'

const opened = (sensitive: object) => {
  const text = JSON.stringify({
    format: 'overhear-knowledge/1',
    sensitive: [{ name: 'age', columns: ['age'], ...sensitive }],
  })
  return openKnowledge(memoryStore(new Map([['knowledge.json', new TextEncoder().encode(text)]])))
}

test.each([
  [{ kind: 'continuous', values: [[2], []] }, 'values is no range'],
  [{ kind: 'continuous', values: [[1, 2], [3]] }, 'values is no range'],
  [{ kind: 'continuous', values: [2, 1] }, 'values is no range'],
  [{ kind: 'continuous', values: [1, 2], columns: ['a', 'b'] }, 'values is no range'],
  [{ kind: 'binary', values: [[1], [2], [3]] }, 'values has 3 rows of 1, 1, 1; 2 rows of 1 are needed'],
  [{ kind: 'binary', values: [[1, 2], [3]] }, 'values has 2 rows of 2, 1; 2 rows of 1 are needed'],
  [{ kind: 'categorical', values: [[1], [2, 3]] }, 'values has 2 rows of 1, 2; rows of 1 are needed'],
  [{ kind: 'categorical', values: [[1], [2], [3]], words: ['x', 'y'] }, 'words has 2; values has 3 rows'],
])('an attribute %j is refused', async (sensitive, said) => {
  await expect(opened(sensitive)).rejects.toThrow(said)
})

test('ranges and values are read, two numbers as rows of one', async () => {
  const read = async (sensitive: object) => (await opened(sensitive)).sensitive![0]
  expect(await read({ kind: 'continuous', values: [1, 1] })).toMatchObject({ range: [1, 1], columns: ['age'] })
  expect(await read({ kind: 'binary', values: [0, 1] })).toEqual({
    ...{ name: 'age', kind: 'binary', columns: ['age'] },
    values: [[0], [1]],
  })
  expect(await read({ kind: 'categorical', values: [[1], [2], [3]], words: ['x', 'y', 'z'] })).toMatchObject({
    values: [[1], [2], [3]],
    words: ['x', 'y', 'z'],
  })
})

const counted = (turnCounts: object[]) => {
  const text = JSON.stringify({ format: 'overhear-knowledge/1', turnCounts })
  return openKnowledge(memoryStore(new Map([['knowledge.json', new TextEncoder().encode(text)]])))
}

test('windows of rounds are read in their order, each with what it counts', async () => {
  const [first, second] = [
    { from: 0, to: 2, clients: { a: 3, b: 0 } },
    { from: 3, to: 3, clients: { b: 1, a: 0 } },
  ]
  expect((await counted([second, first])).turnCounts).toEqual([first, second])
})

test.each([
  [[{ from: 2, to: 1, clients: { a: 0 } }], 'rounds 2 to 1'],
  [[{ from: 0, to: 1, clients: { a: 3 } }], 'client "a" took part 3 times'],
  [[{ from: 0, to: 1, clients: {} }], 'name 0 clients'],
  [
    [
      { from: 0, to: 4, clients: { a: 1 } },
      { from: 4, to: 9, clients: { a: 1 } },
    ],
    'overlap with 0 to 4',
  ],
  [
    [
      { from: 0, to: 4, clients: { a: 1, b: 2 } },
      { from: 5, to: 9, clients: { a: 1 } },
    ],
    'name 1 clients',
  ],
  [
    [
      { from: 0, to: 4, clients: { a: 1 } },
      { from: 5, to: 9, clients: { b: 1 } },
    ],
    'name 1 clients',
  ],
])('windows %j are refused', async (turnCounts, said) => {
  await expect(counted(turnCounts)).rejects.toThrow(said)
})
