import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SweepIndex, sweepIndex } from './sweep-index.js'
import { columnsOf, multiplesOf } from './sweep-pictures.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-index-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Line {
  readonly id?: string
  readonly at?: object
  readonly level?: string
  readonly use?: Readonly<Record<string, number>>
  readonly reason?: string | null
}
let count = 0
const text = ({ id = `${count++}`.padStart(64, '0'), at = {}, level = 'l', use = {}, reason }: Line): string =>
  JSON.stringify({
    ...{ format: 'overhear-trial/1', id, seed: 1, at, reason: reason ?? null },
    result:
      reason === undefined
        ? { ...{ hash: '', level, tested: 0, notTested: 0, questions: [], scores: [] }, utility: Object.entries(use).map(([metric, value]) => ({ model: null, metric, value })) }
        : null,
    took: { seconds: null, attempts: 1, worker: null },
  }) // biome-ignore format: a line
const indexOf = (lines: readonly (Line | string)[], end = '\n'): Promise<SweepIndex> => {
  writeFileSync(join(folder, 'trials.jsonl'), lines.map((one) => (typeof one === 'string' ? one : text(one))).join('\n') + end) // biome-ignore format: a line
  return sweepIndex(folder)
}
const id = (digit: string) => digit.repeat(64)

describe('the index of a sweep', () => {
  test('has every trial once, by its first ending that is one', async () => {
    const { about } = await indexOf([
      { id: id('a'), reason: 'it hung' },
      { id: id('b'), reason: 'it crashed' },
      { id: id('a'), level: 'x' },
      { id: id('a'), level: 'y' },
      { id: id('a'), reason: 'late' },
      { id: id('c'), reason: null },
      '',
      '{"format":"overhear-trial/9"}',
      { id: id('d'), level: 'x' },
    ])
    expect(about).toMatchObject({ trials: 2, failed: 2, levels: { x: 2 } })
    expect(about.reasons).toEqual(['it crashed', 'no reason was kept'])
  })

  test('leaves out a last line that is torn, and no other', async () => {
    expect((await indexOf([{}, '{"torn'], '')).about.trials).toBe(1)
    expect((await indexOf([{}, {}], '')).about.trials).toBe(2)
    await expect(indexOf([{}, '{"torn', {}])).rejects.toThrow('trials.jsonl, line 2 is not JSON')
    expect((await indexOf([], '')).about).toEqual({ trials: 0, failed: 0, axes: [], figures: [], levels: {}, reasons: [] }) // biome-ignore format: a line
  })

  test('has axes of numbers or words, and figures that most trials have first', async () => {
    const { axes, figures, about } = await indexOf([
      { at: { n: 3, w: 'b', mixed: 1, list: [1] }, use: { R2: 1, z: 1 } },
      { at: { n: 1, w: 'a', mixed: 'x', list: [1] }, use: { R2: 2, a: 4 } },
      { at: { n: 3, w: 'b', mixed: null }, use: { R2: 3 } },
    ])
    expect(axes).toEqual([
      { name: 'n', words: null, values: [3, 1, 3] },
      { name: 'w', words: ['b', 'a'], values: [0, 1, 0] },
      { name: 'mixed', words: ['1', 'x', 'null'], values: [0, 1, 2] },
      { name: 'list', words: ['[1]', 'null'], values: [0, 0, 1] },
    ])
    expect(about.axes.map(({ places }) => places)).toEqual([2, 2, 3, 2])
    expect(figures).toEqual([
      { name: 'use: R2', words: null, values: [1, 2, 3] },
      { name: 'use: a', words: null, values: [null, 4, null] },
      { name: 'use: z', words: null, values: [1, null, null] },
    ])
    expect(about.figures).toEqual(['use: R2', 'use: a', 'use: z'])
  })

  test('keeps so many axes, figures and reasons', async () => {
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))
    const { about } = await indexOf([
      { at: many(41), use: many(401) },
      ...Array.from({ length: 21 }, (_, i) => ({ reason: `reason ${i}` })),
    ])
    expect([about.axes.length, about.figures.length, about.reasons.length, about.failed]).toEqual([40, 400, 20, 21])
  })
})

/** An index of numbers: axes and figures by their names. */
const made = (axes: Record<string, number[] | string[]>, figures: Record<string, (number | null)[]>): SweepIndex => {
  const columns = Object.entries(axes).map(([name, values]) => {
    const words = typeof values[0] === 'string' ? [...new Set(values as string[])] : null
    return { name, words, values: words === null ? (values as number[]) : values.map((one) => words.indexOf(one as string)) }
  })
  return {
    axes: columns,
    figures: Object.entries(figures).map(([name, values]) => ({ name, words: null, values })),
    about: {
      trials: Object.values(figures)[0]?.length ?? 0,
      axes: columns.map(({ name, words, values }) => ({ name, words, places: new Set(values).size })),
      figures: Object.keys(figures),
    },
  } as unknown as SweepIndex
} // biome-ignore format: lines

describe('columns of a sweep', () => {
  test('are its axes and the figures that are asked for, each once', () => {
    const index = made({ x: [1, 2], w: ['a', 'b'] }, { f: [3, 4], g: [null, 5] })
    expect(columnsOf(index, { figures: '1,0,1' })).toEqual({
      drawn: 2,
      trials: 2,
      columns: [
        { name: 'x', words: null, values: [1, 2] },
        { name: 'w', words: ['a', 'b'], values: [0, 1] },
        { name: 'g', words: null, values: [null, 5] },
        { name: 'f', words: null, values: [3, 4] },
      ],
    })
    expect(() => columnsOf(index, { figures: '2' })).toThrow('the sweep has no figure 2; there are 2')
    expect(columnsOf(made({}, {}), { figures: '0' })).toEqual({ drawn: 0, trials: 0, columns: [] })
  })

  test('of very many trials are those of some, evenly', () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => i)
    const { drawn, trials, columns } = columnsOf(made({}, { f: numbers }), { figures: '0' })
    expect([drawn, trials]).toEqual([10_000, 20_000])
    expect(columns[0]!.values.slice(0, 3)).toEqual([0, 2, 4])
    expect(columns[0]!.values.at(-1)).toBe(19_998)
    expect(columnsOf(made({}, { f: numbers.slice(0, 10_000) }), { figures: '0' }).columns[0]!.values.at(-1)).toBe(9999)
  })
})

describe('pictures of a sweep', () => {
  const index = made({ x: [2, 1, 2, 1, 3], w: ['a', 'b', 'b', 'a', 'a'], same: [7, 7, 7, 7, 7] }, { f: [4, 1, 8, 3, null], g: [0, 0, 0, 0, 5], none: [null, null, null, null, null] }) // biome-ignore format: a line

  test('are one for each axis that varies: means with their range', () => {
    const { figure, low, high, panels } = multiplesOf(index, { figure: 0 })
    expect([figure, low, high]).toEqual(['f', 1, 8])
    expect(panels).toEqual([
      { title: 'x', axis: 'x', points: [{ at: '1', x: 1, mean: 2, least: 1, most: 3, n: 2 }, { at: '2', x: 2, mean: 6, least: 4, most: 8, n: 2 }] },
      { title: 'w', axis: 'w', points: [{ at: 'a', x: null, mean: 3.5, least: 3, most: 4, n: 2 }, { at: 'b', x: null, mean: 4.5, least: 1, most: 8, n: 2 }] },
    ])
  }) // biome-ignore format: lines

  test('or of one axis, or for each value of another', () => {
    const one = multiplesOf(index, { figure: 1, x: 0 })
    expect(one.panels.map(({ title, points }) => [title, points.map(({ x, mean, n }) => [x, mean, n])])).toEqual([['', [[1, 0, 2], [2, 0, 2], [3, 5, 1]]]]) // biome-ignore format: a line
    const each = multiplesOf(index, { figure: 0, x: 0, by: 1 })
    expect(each.panels.map(({ title, points }) => [title, points.map(({ x, mean }) => [x, mean])])).toEqual([['w a', [[1, 3], [2, 4]]], ['w b', [[1, 1], [2, 8]]]]) // biome-ignore format: a line
    expect(multiplesOf(index, { figure: 0, x: 1, by: 0 }).panels.map(({ title }) => title)).toEqual(['x 1', 'x 2'])
    for (const wrong of [{ figure: 3 }, { figure: 0, x: 3 }, { figure: 0, x: 0, by: 3 }])
      expect(() => multiplesOf(index, wrong)).toThrow(/the sweep has no (figure|axis) 3; there are 3/)
  })

  test('of a figure that no trial has are empty, from 0 to 1', () => {
    const { low, high, panels } = multiplesOf(index, { figure: 2 })
    expect([low, high, panels.flatMap(({ points }) => points)]).toEqual([0, 1, []])
  })

  test('draw forty places at most, neighbours together', () => {
    const along = (n: number) => {
      const numbers = Array.from({ length: n }, (_, i) => i)
      return multiplesOf(made({ x: numbers }, { f: numbers }), { figure: 0, x: 0 }).panels[0]!.points
    }
    expect(along(40).map(({ at }) => at)).toEqual(Array.from({ length: 40 }, (_, i) => String(i)))
    expect(along(41)).toHaveLength(21)
    expect(along(41)[0]).toEqual({ at: '0 to 1', x: 0.5, mean: 0.5, least: 0, most: 1, n: 2 })
    expect(along(41)[20]).toEqual({ at: '40 to 40', x: 40, mean: 40, least: 40, most: 40, n: 1 })
    const words = Array.from({ length: 41 }, (_, i) => `w${i}`)
    const [first] = multiplesOf(made({ w: words }, { f: words.map(() => 1) }), { figure: 0, x: 0 }).panels[0]!.points
    expect(first).toMatchObject({ at: 'w0', x: null, n: 2 })
  })

  test('are 24 at most', () => {
    const axes = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`x${i}`, [1, 2]]))
    expect(multiplesOf(made(axes, { f: [1, 2] }), { figure: 0 }).panels).toHaveLength(24)
    const numbers = Array.from({ length: 25 }, (_, i) => i)
    expect(multiplesOf(made({ x: numbers, y: numbers }, { f: numbers }), { figure: 0, x: 0, by: 1 }).panels).toHaveLength(24) // biome-ignore format: a line
  })
})
