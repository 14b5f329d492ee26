import { expect, test } from 'vitest'
import { firstUse, givenKeys } from './directory.js'

const key = (x: number) => new Uint8Array(32).fill(x)
const told = (...keys: readonly (readonly [string, number])[]) => new Map(keys.map(([id, x]) => [id, key(x)]))

test('given keys: each must be what the directory holds, and nobody a stranger', async () => {
  const asked: string[] = []
  const held = told(['ann', 1], ['bob', 2])
  const directory = givenKeys(async (id) => {
    asked.push(id)
    return held.get(id)
  })
  const right = told(['ann', 1], ['bob', 2])
  await directory.check(right)
  await directory.check(right)
  expect(asked).toEqual(['ann', 'bob'])
  await directory.check(told(['bob', 2]))
  expect(asked).toEqual(['ann', 'bob', 'bob'])
  await expect(directory.check(told(['ann', 1], ['cat', 3]))).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringContaining('refused client cat, whose key the directory does not hold'),
  })
  const wrong = told(['ann', 1], ['bob', 3])
  // Keys that were refused once are refused again.
  for (let k = 0; k < 2; k++) {
    await expect(directory.check(wrong)).rejects.toThrow('another key for client bob than the directory holds')
  }
})

test('first use: the key that was seen first counts from then on', async () => {
  const directory = firstUse()
  await directory.check(told(['ann', 1]))
  await directory.check(told(['ann', 1], ['bob', 2]))
  await directory.check(told(['bob', 2]))
  await expect(directory.check(told(['ann', 1], ['bob', 3]))).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringContaining('another key for client bob than it had before'),
  })
})

test('first use: what is refused leaves nobody new behind, and a key is kept as it was', async () => {
  const seen = new Map<string, Uint8Array<ArrayBuffer>>()
  const directory = firstUse(seen)
  const first = told(['ann', 1])
  await directory.check(first)
  first.get('ann')!.fill(9)
  expect(seen.get('ann')).toEqual(key(1))
  await expect(directory.check(told(['cat', 3], ['ann', 9]))).rejects.toThrow('client ann')
  expect([...seen.keys()]).toEqual(['ann'])
  await directory.check(told(['cat', 4]))
  expect(seen.get('cat')).toEqual(key(4))
  // Another directory knows nobody yet.
  await firstUse().check(told(['ann', 9]))
})
