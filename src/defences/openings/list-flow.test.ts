import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Naming, nameEnough } from './list-flow.js'

const namingOf = (
  due: readonly number[],
  candidates: readonly (readonly number[])[],
  most: readonly number[],
): Naming => ({
  due: new Map(due.map((count, i) => [i + 1, count])),
  candidates: new Map(candidates.map((own, i) => [i + 1, own])),
  most: new Map(most.map((count, i) => [i + 11, count])),
})

/** Every way of naming, tried one after the other. */
function canBe({ due, candidates, most }: Naming): boolean {
  const clients = [...due.keys()]
  const room = new Map(most)
  const from = (i: number, at: number, left: number): boolean => {
    if (left === 0) return i + 1 >= clients.length || from(i + 1, 0, due.get(clients[i + 1]!)!)
    const own = candidates.get(clients[i]!) ?? []
    for (let k = at; k < own.length; k++) {
      const one = own[k]!
      if (room.get(one)! <= 0) continue
      room.set(one, room.get(one)! - 1)
      if (from(i, k + 1, left - 1)) return true
      room.set(one, room.get(one)! + 1)
    }
    return false
  }
  return clients.length === 0 || from(0, 0, due.get(clients[0]!)!)
}

test('an answer is found exactly if there is one, and keeps to all numbers', () => {
  const size = 6
  const places = fc.uniqueArray(fc.integer({ min: 11, max: 10 + size }), { maxLength: size })
  const world = fc.record({
    due: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: size, maxLength: size }),
    candidates: fc.array(places, { minLength: size, maxLength: size }),
    most: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: size, maxLength: size }),
  })
  let both = [0, 0]
  fc.assert(
    fc.property(world, ({ due, candidates, most }) => {
      const naming = namingOf(due, candidates, most)
      const found = nameEnough(naming)
      both = both.map((n, k) => n + (k === Number(found !== undefined) ? 1 : 0))
      expect(found !== undefined).toBe(canBe(naming))
      if (found === undefined) return
      const times = new Map<number, number>()
      for (const [client, named] of found) {
        expect(named.size).toBe(naming.due.get(client))
        for (const one of named) {
          expect(naming.candidates.get(client)).toContain(one)
          times.set(one, (times.get(one) ?? 0) + 1)
        }
      }
      for (const [one, count] of times) expect(count).toBeLessThanOrEqual(naming.most.get(one)!)
    }),
    { numRuns: 400 },
  )
  expect(Math.min(...both)).toBeGreaterThan(20)
})

test('whoever has most room is named first, the earlier of equals', () => {
  const named = (...most: number[]) => [...nameEnough(namingOf([1], [[11, 12, 13]], most))!.get(1)!]
  expect(named(1, 2, 3)).toEqual([13])
  expect(named(2, 2, 1)).toEqual([11])
})

test('somebody gives way where that makes room, over several others too', () => {
  // 1 has named 11 before 2, who knows nobody else, asks for it; then 12 is 1's only other one.
  const found = nameEnough(namingOf([1, 1], [[11, 12], [11]], [1, 1]))! // biome-ignore format: one line
  expect([...found].map(([client, own]) => [client, ...own])).toEqual([[1, 12], [2, 11]]) // biome-ignore format: one line
  const chain = nameEnough(namingOf([1, 1, 1], [[11, 12], [12, 13], [11]], [1, 1, 1]))! // biome-ignore format: one line
  expect([...chain].map(([client, own]) => [client, ...own])).toEqual([[1, 12], [2, 13], [3, 11]]) // biome-ignore format: one line
})

test('nothing due is an answer; a client without candidates, or more than all room, is none', () => {
  expect([...nameEnough(namingOf([0, 0], [[11], []], [0]))!.values()].map(({ size }) => size)).toEqual([0, 0])
  expect(nameEnough({ due: new Map([[1, 1]]), candidates: new Map(), most: new Map([[11, 5]]) })).toBeUndefined()
  expect(nameEnough(namingOf([2], [[11, 12]], [1, 0]))).toBeUndefined()
  expect(nameEnough(namingOf([2], [[11, 12]], [2, 0]))).toBeUndefined()
  expect(nameEnough(namingOf([2], [[11, 12]], [1, 1]))).toBeDefined()
})
