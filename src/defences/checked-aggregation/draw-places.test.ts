import { expect, test } from 'vitest'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { drawPlaces } from './draw-places.js'

/** Hands out these words, and says how many bytes were asked for at a time. */
function words(...values: readonly number[]) {
  const asked: number[] = []
  let next = 0
  const random = (bytes: number): Bytes => {
    asked.push(bytes)
    const drawn = values.slice(next, next + bytes / 4)
    next += bytes / 4
    return new Uint8Array(Uint32Array.from(drawn).buffer)
  }
  return { random, asked }
}

test('each draw takes one of those left, and changes places with it', () => {
  const { random, asked } = words(2, 5, 0)
  // Of 10 20 30 40 50: place 2 is 30; then place 1 + 5 mod 4 of 30 20 10 40 50 is 10; then place 2 of 30 10 20 40 50.
  expect(drawPlaces([10, 20, 30, 40, 50], 3, random)).toEqual([30, 10, 20])
  expect(asked).toEqual([12])
})

test('all are drawn where there are no more, and none where none is asked', () => {
  expect([...drawPlaces([4, 6, 9], 5, words(0, 0, 0).random)].sort()).toEqual([4, 6, 9])
  expect([...drawPlaces([4, 6, 9], 3, words(2, 1, 0).random)].sort()).toEqual([4, 6, 9])
  expect(drawPlaces([4, 6, 9], 0, words().random)).toEqual([])
  expect(drawPlaces([], 2, words().random)).toEqual([])
})

test('the places that were handed over stay as they were', () => {
  const places = [1, 2, 3]
  drawPlaces(places, 2, words(2, 1).random)
  expect(places).toEqual([1, 2, 3])
})

test('words that would favour the lower places are thrown away, and others drawn', () => {
  // 2^32 = 1 mod 3: the last word alone is one too many for three places.
  const { random, asked } = words(4294967295, 1)
  expect(drawPlaces([7, 8, 9], 1, random)).toEqual([8])
  expect(asked).toEqual([4, 4])
  expect(drawPlaces([7, 8, 9], 1, words(4294967294).random)).toEqual([9])
  // Of two places, every word counts.
  expect(drawPlaces([7, 8], 1, words(4294967295).random)).toEqual([8])
})
