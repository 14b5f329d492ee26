import { expect, test } from 'vitest'
import { readSweep } from './sweep-schema.js'

const read = (over: object) => readSweep({ scenario: 's.yaml', ...over })
const range = (over: object) => ({ axes: { x: { from: 1, to: 9, ...over } } })
const search = (over: object) => ({ search: { method: 'tpe', points: 5, ...over } })

test('what a sweep does not say is as usual', () => {
  expect(readSweep({ scenario: 's' })).toEqual({
    ...{ name: 'sweep', scenario: 's', axes: {}, seeds: 1, attempts: 2, secondsPerTrial: 3600, megabytesPerWorker: 4096 },
  }) // biome-ignore format: a line
  expect(read({ ...range({}), ...search({}) })).toMatchObject({
    axes: { x: { scale: 'linear', whole: false } },
    search: { better: 'higher', together: 4 },
  })
})

test.each<[string, (value: never) => object, unknown, unknown]>([
  ['steps', (steps) => range({ steps }), 2, 1],
  ['steps', (steps) => range({ steps }), 10_000, 10_001],
  ['scale', (scale) => range({ scale }), 'log', 'logs'],
  ['values', (n: number) => ({ axes: { x: Array(n).fill(1) } }), 10_000, 10_001],
  ['values', (n: number) => ({ axes: { x: Array(n).fill(1) } }), 1, 0],
  ['axis names', (n: number) => ({ axes: { ['x'.repeat(n)]: [1] } }), 200, 201],
  ['axis names', (n: number) => ({ axes: { ['x'.repeat(n)]: [1] } }), 1, 0],
  ['variants', (name: string) => ({ axes: { x: { variants: { [name]: {} } } } }), 'a-b +.9', 'a/b'],
  ['variants', (n: number) => ({ axes: { x: { variants: { ['v'.repeat(n)]: {} } } } }), 64, 65],
  ['settings', (key: string) => ({ axes: { x: { variants: { a: { [key]: 1 } } } } }), 's', ''],
  ['points', (points) => search({ points }), 1, 0],
  ['points', (points) => search({ points }), 100_000, 100_001],
  ['together', (together) => search({ together }), 1, 0],
  ['together', (together) => search({ together }), 1000, 1001],
  ['name', (name) => ({ name }), 'a', ''],
  ['name', (n: number) => ({ name: 'a'.repeat(n) }), 64, 65],
  ['scenario', (scenario) => ({ scenario }), 's', ''],
  ['seeds', (seeds) => ({ seeds }), 1, 0],
  ['seeds', (seeds) => ({ seeds }), 10_000, 10_001],
  ['attempts', (attempts) => ({ attempts }), 1, 0],
  ['attempts', (attempts) => ({ attempts }), 10, 11],
  ['secondsPerTrial', (secondsPerTrial) => ({ secondsPerTrial }), 1e6, 1e6 + 0.5],
  ['secondsPerTrial', (secondsPerTrial) => ({ secondsPerTrial }), 0.001, 0],
  ['megabytesPerWorker', (megabytesPerWorker) => ({ megabytesPerWorker }), 64, 63],
  ['megabytesPerWorker', (megabytesPerWorker) => ({ megabytesPerWorker }), 1_048_576, 1_048_577],
])('%s: %#', (_, over, allowed, refused) => {
  expect(() => read(over(allowed as never))).not.toThrow()
  expect(() => read(over(refused as never))).toThrow()
})

test('a key that is none is refused, with those that are', () => {
  expect(() => readSweep({ scenario: 's', seed: 3 }, 'f.yaml')).toThrow(
    /^f\.yaml.*"?seed"?.*; a sweep has name, scenario, axes, search, seeds, attacks, observers, attempts, /,
  )
})
