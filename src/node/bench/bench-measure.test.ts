import { expect, test } from 'vitest'
import { type Effort, interleave } from './bench-measure.js'

const effort: Effort = { chunkSeconds: 1, budgetSeconds: 10, fewest: 2, most: 4 }

/** Contenders with a clock of their own: so many seconds a repetition; `log` holds who was asked for how many. */
function race(...perRepetition: number[]) {
  const log: [side: number, count: number][] = []
  const contenders = perRepetition.map((seconds, side) => async (count: number) => {
    log.push([side, count])
    return seconds * count
  })
  return { log, contenders }
}

test('chunks alternate, and each side fills its own', async () => {
  const { log, contenders } = race(0.1, 0.5)
  const timings = await interleave(contenders, effort)
  expect(timings.map(({ calls }) => calls)).toEqual([10, 2])
  expect(timings.map(({ chunks }) => chunks.map((s) => Number(s.toFixed(9))))).toEqual([
    [0.1, 0.1, 0.1, 0.1],
    [0.5, 0.5, 0.5, 0.5],
  ])
  const turns = Array.from({ length: 4 }, () => [
    [0, 10],
    [1, 2],
  ]).flat()
  expect(log.slice(-8)).toEqual(turns)
})

test('slow work gets the fewest chunks, of one repetition each', async () => {
  const { contenders } = race(7, 30)
  expect(await interleave(contenders, effort)).toEqual([
    { calls: 1, chunks: [7, 7] },
    { calls: 1, chunks: [30, 30] },
  ])
})

test('stops between rounds when told', async () => {
  const { log, contenders } = race(1, 1)
  const timings = await interleave(contenders, effort, () => log.length >= 4)
  expect(timings.map(({ chunks }) => chunks.length)).toEqual([1, 1])
})
