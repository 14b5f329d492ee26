import { expect, test } from 'vitest'
import { normalCdf } from '../numeric/special/normal.js'
import { meanOf, varianceOf } from '../numeric/special/summaries.js'
import { drawnFeatures } from './beyond/drawn-features.js'
import { cellIdOf, cellsOf, secondsFor } from './cells.js'
import { always, meanOver, measured, rising, type Spot, together } from './claims.js'
import { firstTellingMessage } from './lmra/hard-instance.js'
import type { Figures, Study } from './study.js'
import { checkedClaims, summaryOf } from './summary.js'

test.each([
  [1, 1, 1],
  [2, 1, 2],
  [3, 1, 3],
  [3, 2, 2],
  [4, 2, 2],
  [7, 3, 3],
  [10, 5, 2],
  [12, 5, 3],
  [4, 9, 1],
])('each local step moves one more of %i coordinates: of %i steps, message %i tells', (d, steps, first) => {
  expect(firstTellingMessage(d, steps)).toBe(first)
})

test('clients who do not move are never told apart', () => {
  expect(firstTellingMessage(3, 0)).toBe(Number.POSITIVE_INFINITY)
})

test('drawn features: a fifth of the clients a round, each a normal on its side of 0', () => {
  const overlap = 0.5
  const { features, truth } = drawnFeatures({ overlap, rounds: 400, clients: 13, guilty: 4, seed: 2 })
  expect(features).toHaveLength(1)
  const [{ A, G, shapes }] = features as [(typeof features)[0]]
  const { plusMean, plusStd, minusMean, minusStd, measured: by, v } = shapes[0]!
  // Two normals of deviation 1 that are g apart overlap by twice the tail beyond g / 2.
  expect(2 * normalCdf(-plusMean)).toBeCloseTo(overlap, 12)
  expect([minusMean, plusStd, minusStd, by, v]).toEqual([-plusMean, 1, 1, 1e6, 0.5])
  expect(shapes).toHaveLength(400)
  const noise: number[] = []
  for (let r = 0; r < 400; r++) {
    const [from, to] = [A.rowStart[r]!, A.rowStart[r + 1]!]
    const who = [...A.column.subarray(from, to)]
    expect([new Set(who).size, ...new Set(A.value.subarray(from, to))]).toEqual([3, 1])
    noise.push(G[r]! - who.reduce((sum, i) => sum + (truth[i] ? plusMean : minusMean), 0))
  }
  // What is left is the sum of three standard normals.
  expect(Math.abs(meanOf(noise))).toBeLessThan(0.3)
  expect(varianceOf(noise)).toBeGreaterThan(2.3)
  expect(varianceOf(noise)).toBeLessThan(3.8)
})

const at =
  (known: Readonly<Record<string, number>>): Figures =>
  (panel, series, x) => {
    const mean = known[[panel, series, x].filter((part) => part !== undefined).join(' ')]
    return mean === undefined ? undefined : { mean, std: 0, median: 10 * mean, n: 1 }
  }
const [a, b, c]: Spot[] = [['p', 'a'], ['p', 'b'], ['p', 'c', 2]] // biome-ignore format: a list
const figures = at({ 'p a': 1, 'p b': 2 })

test('claims: places are compared that were measured, and by the figure that is asked for', () => {
  const less = (one: number, other: number): boolean => one < other
  expect(always([[a!, b!], [a!, c!]], less)(figures)).toBe(true) // biome-ignore format: pairs
  expect(always([[a!, b!], [b!, a!]], less)(figures)).toBe(false) // biome-ignore format: pairs
  expect(always([[a!, c!], [c!, a!]], () => true)(figures)).toBeNull() // biome-ignore format: pairs
  expect(always([[a!, b!]], (one, other) => one === 10 && other === 20, 'median')(figures)).toBe(true)
  expect(together([a!, b!], (all) => all.join() === '1,2')(figures)).toBe(true)
  expect(together([a!, b!], (all) => all.join() === '10,20', 'median')(figures)).toBe(true)
  expect(together([a!, c!], () => true)(figures)).toBeNull()
  expect(measured([a!, c!, b!], (all) => all.join() === '1,2')(figures)).toBe(true)
  expect(measured([a!, b!], (all) => all.join() === '10,20', { of: 'median' })(figures)).toBe(true)
  expect(measured([c!], () => true)(figures)).toBeNull()
  expect(measured([a!, b!], () => true, { least: 2 })(figures)).toBe(true)
  expect(measured([a!, c!], () => true, { least: 2 })(figures)).toBeNull()
  expect(together([c!], () => true)(at({ 'p c 2': 3 }))).toBe(true)
})

test('means, and what rises within a margin', () => {
  expect(meanOver([1, 2, 6])).toBe(3)
  expect([rising([]), rising([3]), rising([1, 1]), rising([1, 3, 2])]).toEqual([true, true, true, false])
  expect([rising([2, 1], 1), rising([2, 1], 0.5)]).toEqual([true, false])
})

const study = {
  id: 's',
  seeds: { quick: 2, full: 3 },
  seconds: { quick: 12, full: 90 },
  points: ({ quick }: { readonly quick: boolean }) => (quick ? [{ at: 1, effort: 2 }, { at: 2, effort: 1 }] : [{ at: 3, effort: 5 }]), // biome-ignore format: a list
  measure: async () => [],
} as unknown as Study
const versions = { overhear: '1', kernels: '2' }

test('cells are every point with every seed, from the first seed on', async () => {
  const cells = async (options: object) => (await cellsOf(study, { quick: true, seed: 7, versions, ...options })).map(({ at: point, seed, effort, quick, study: of }) => [point, seed, effort, quick, of]) // biome-ignore format: a line
  expect(await cells({})).toEqual([[1, 7, 2, true, 's'], [2, 7, 1, true, 's'], [1, 8, 2, true, 's'], [2, 8, 1, true, 's']]) // biome-ignore format: a list
  expect(await cells({ quick: false })).toEqual([7, 8, 9].map((seed) => [3, seed, 5, false, 's']))
  expect(await cells({ quick: false, seeds: 1 })).toHaveLength(1)
})

test('cells take their share of the seconds of the study, by effort', () => {
  const seconds = (quick: boolean, ...efforts: number[]) => secondsFor(study, { quick, cells: efforts.map((effort) => ({ effort })) }) // biome-ignore format: a line
  expect(seconds(true, 2)).toBe(4)
  expect(seconds(true, 2, 1, 2, 1)).toBe(12)
  expect(seconds(false, 5)).toBe(30)
  expect(secondsFor({ ...study, points: () => [] }, { quick: true, cells: [{ effort: 1 }] })).toBe(0)
})

test('the name of a cell does not follow numbers that a bundler puts behind names, and follows those in text', async () => {
  const idOf = (code: string, more: object = {}) => cellIdOf({ ...study, measure: { toString: () => code } as never, ...more }, { at: 1, seed: 1, quick: true, versions }) // biome-ignore format: a line
  const first = await idOf('run2(a) + 3')
  expect(await idOf('run(a) + 3')).toBe(first)
  expect(await idOf('run14(a) + 3')).toBe(first)
  const others = await Promise.all([idOf('run(a) + 4'), idOf('runs(a) + 3'), idOf("run('b2')"), idOf("run('b3')"), idOf('run("b2")'), idOf('run("b3")'), idOf('run2(a) + 3', { revision: 2 })]) // biome-ignore format: a list
  expect(new Set([first, ...others]).size).toBe(8)
  expect(await idOf('run2(a) + 3', { revision: 1 })).toBe(first)
})

test('names of rows leave out what is not there, and a place at 0 is a place', () => {
  const told = { ...study, title: 't', paper: 'lmra', where: 'w', unit: 'u', published: [{ panel: '', series: 'a', x: 0, mean: 4 }], departs: [], claims: [] } as unknown as Study // biome-ignore format: a line
  const { rows, axis } = summaryOf(told, [{ panel: '', series: 'a', x: 0, value: 1 }, { panel: '', series: 'a', value: 2 }, { panel: 'p', series: '', value: 3 }]) // biome-ignore format: a list
  expect(rows.map(({ name }) => name)).toEqual(['a, x 0', 'a', 'p'])
  expect(rows.map(({ paper }) => paper)).toEqual([{ mean: 4, std: null }, null, null])
  expect(rows[0]!.ours).toEqual({ mean: 1, std: 0, median: 1, n: 1 })
  expect(axis).toBeNull()
})

test('what we believe is said of claims that do not hold alone', () => {
  const claims = [true, false, null].map((holds) => ({ text: `${holds}`, believed: 'so', holds: () => holds }))
  expect(checkedClaims({ claims }, [])).toEqual([
    { text: 'true', holds: true },
    { text: 'false', holds: false, believed: 'so' },
    { text: 'null', holds: null },
  ])
  expect(checkedClaims({ claims: [{ text: 'x', holds: () => false }] }, [])).toEqual([{ text: 'x', holds: false }])
})
