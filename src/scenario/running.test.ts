import { describe, expect, test } from 'vitest'
import { running } from './running.js'

const collect = async <E>(events: AsyncIterable<E>): Promise<E[]> => {
  const all: E[] = []
  for await (const event of events) all.push(event)
  return all
}
const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1))

describe('running work', () => {
  test('gives every reader all events in order, early and late ones, and the result', async () => {
    const run = running<number, string>(async (emit) => {
      emit(1)
      await later()
      emit(2)
      emit(3)
      return 'done'
    })
    const early = collect(run)
    expect(await run.result).toBe('done')
    expect(await early).toEqual([1, 2, 3])
    expect(await collect(run)).toEqual([1, 2, 3])
  })

  test('begins although nobody reads', async () => {
    let begun = false
    await running(async () => {
      begun = true
    }).result
    expect(begun).toBe(true)
  })

  test('tells readers of a failure after the events before it', async () => {
    const run = running<number, void>(async (emit) => {
      emit(1)
      await later()
      throw new Error('no')
    })
    const seen: number[] = []
    const reading = async () => {
      for await (const event of run) seen.push(event)
    }
    await expect(reading()).rejects.toThrow('no')
    await expect(run.result).rejects.toThrow('no')
    expect(seen).toEqual([1])
  })
})
