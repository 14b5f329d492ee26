import { describe, expect, test } from 'vitest'
import { keptPlays } from './kept-plays.js'

describe('plays', () => {
  const play = (size: number) => {
    let made = 0
    return { make: () => new Float64Array(size).fill(++made), made: () => made }
  }

  test('are made once for whoever asks for the same of the same', () => {
    const [one, other] = [keptPlays(), keptPlays()]
    const { make, made } = play(3)
    expect(one.of('a', make)).toBe(one.of('a', make))
    expect(made()).toBe(1)
    expect(one.of('b', make)).toEqual(Float64Array.of(2, 2, 2))
    expect(other.of('a', make)).toEqual(Float64Array.of(3, 3, 3))
    expect(one.of('a', make)).toEqual(Float64Array.of(1, 1, 1))
  })

  test('are forgotten where they become too many, but for the last one', () => {
    const { make, made } = play(1_500_000)
    const kept = keptPlays()
    for (const key of ['a', 'b', 'a', 'b']) kept.of(key, make)
    expect(made()).toBe(2)
    kept.of('c', make)
    kept.of('c', make)
    expect(made()).toBe(3)
    kept.of('a', make)
    expect(made()).toBe(4)
  })
})
