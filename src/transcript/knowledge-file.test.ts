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
