import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { axesOf, withValue } from './axes.js'
import { gridPoints, type PointSource, pointSource } from './points.js'
import { readSweep } from './sweep-schema.js'

const axesIn = (axes: object, search?: object) => {
  const file = readSweep({ scenario: {}, axes, ...(search !== undefined && { search }) })
  return { axes: axesOf(file, 'sweep'), search: file.search }
}

/** All points of a source, scored by a function. */
function drain(source: PointSource, score: (shown: Readonly<Record<string, unknown>>) => number | null) {
  const all: Readonly<Record<string, unknown>>[] = []
  for (let batch = source.next(); batch !== undefined; batch = source.next()) {
    all.push(...batch.map(({ shown }) => shown))
    source.tell(batch.map(({ shown }) => score(shown)))
  }
  return all
}

describe('a grid', () => {
  test('has every combination once, the last axis the quickest', () => {
    const { axes } = axesIn({
      'training.rounds': [1, 2],
      defence: { variants: { none: { defences: [] }, noise: { defences: ['x'], 'training.rounds': 9 } } },
    })
    expect(gridPoints(axes)).toEqual([
      { shown: { 'training.rounds': 1, defence: 'none' }, set: { 'training.rounds': 1, defences: [] } },
      { shown: { 'training.rounds': 1, defence: 'noise' }, set: { 'training.rounds': 9, defences: ['x'] } },
      { shown: { 'training.rounds': 2, defence: 'none' }, set: { 'training.rounds': 2, defences: [] } },
      { shown: { 'training.rounds': 2, defence: 'noise' }, set: { 'training.rounds': 9, defences: ['x'] } },
    ])
  })

  test('of no axes is the scenario as it is', () => {
    expect(gridPoints([])).toEqual([{ shown: {}, set: {} }])
  })

  test('of ranges keeps both ends, in equal steps or ratios, whole numbers once', () => {
    const { axes } = axesIn({
      a: { from: 0, to: 1, steps: 3 },
      b: { from: 1, to: 100, steps: 3, scale: 'log' },
      c: { from: 1, to: 3, steps: 9, whole: true },
    })
    const [a, b, c] = axes.map(({ places }) => places!.map(({ shown }) => shown))
    expect(a).toEqual([0, 0.5, 1])
    expect([b![0], b![2]]).toEqual([1, 100])
    expect(b![1]).toBeCloseTo(10, 12)
    expect(c).toEqual([1, 2, 3])
  })

  test('that would not fit the memory is refused', () => {
    const many = Array.from({ length: 1000 }, (_, i) => i)
    expect(() => gridPoints(axesIn({ a: many, b: many }).axes)).toThrow('the axes have 1000000 combinations')
  })
})

describe('an axis is refused', () => {
  test.each([
    [{ seed: [1, 2] }, 'an axis is called "seed", as a column of the results is'],
    [{ 'training.rounds': { from: 1, to: 3 } }, 'axes.training.rounds is a range without steps'],
    [{ a: [1, 1] }, 'axes.a has a value twice'],
    [{ a: { variants: {} } }, 'axes.a has no variants'],
    [{ a: [] }, 'axes.a'],
    [{ a: { from: 2, to: 1, steps: 2 } }, 'a range from 2 to 1'],
    [{ a: { from: 0, to: 1, steps: 2, scale: 'log' } }, 'above 0'],
  ])('%j', (axes, why) => {
    expect(() => axesIn(axes)).toThrow(why)
  })

  test('and so is a key of a sweep that is none', () => {
    expect(() => readSweep({ scenario: 'a.yaml', axis: {} }, 'my.yaml')).toThrow(
      'my.yaml: unknown key axis (did you mean "axes"?)',
    )
  })
})

describe('a search', () => {
  const ranges = { x: { from: 0, to: 1 }, n: { from: 1, to: 64, whole: true, scale: 'log' }, word: ['a', 'b', null] }

  test('at random draws the same points for a seed, whatever comes of them', () => {
    const draw = (seed: number, score: () => number | null) => {
      const { axes, search } = axesIn(ranges, { method: 'random', points: 12 })
      return drain(pointSource(axes, { search, seed }), score)
    }
    expect(draw(1, () => 1)).toEqual(draw(1, () => null))
    expect(draw(1, () => 1)).not.toEqual(draw(2, () => 1))
    for (const { x, n, word } of draw(3, () => 0)) {
      expect([
        (x as number) >= 0 && (x as number) <= 1,
        Number.isInteger(n),
        ['a', 'b', null].includes(word as never),
      ]).toEqual([true, true, true])
    }
  })

  test('by tpe is told the scores of a batch once', () => {
    const { axes, search } = axesIn(ranges, { method: 'tpe', points: 3, together: 2 })
    const source = pointSource(axes, { search, seed: 1 })
    expect(source.next()).toHaveLength(2)
    source.tell([1, null])
    source.tell([1, null])
    expect(source.next()).toHaveLength(1)
  })

  test('by tpe finds the better end, and is the same every time', () => {
    const draw = (better: string) => {
      const { axes, search } = axesIn(ranges, { method: 'tpe', points: 40, together: 4, better })
      return drain(pointSource(axes, { search, seed: 1 }), ({ x }) => ((x as number) > 0.98 ? null : (x as number)))
    }
    const mean = (points: ReturnType<typeof draw>) =>
      points.slice(-12).reduce((sum, { x }) => sum + (x as number) / 12, 0)
    const [high, low] = [draw('higher'), draw('lower')]
    expect(high).toHaveLength(40)
    expect(draw('higher')).toEqual(high)
    expect(mean(high)).toBeGreaterThan(0.7)
    expect(mean(low)).toBeLessThan(0.3)
  })
})

describe('withValue', () => {
  const key = fc.string({ minLength: 1, maxLength: 6 }).filter((name) => !name.includes('.'))

  test('sets what stands at a path and leaves the rest alone', () => {
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 4 }),
        fc.jsonValue(),
        fc.dictionary(key, fc.jsonValue()),
        (path, value, before) => {
          const copy = structuredClone(before)
          // A list or a plain value in the way is another case.
          const way = Object.hasOwn(before, path[0]!) ? before[path[0]!] : undefined
          fc.pre(path.length === 1 || way === undefined)
          const after = withValue(before, path.join('.'), value) as Record<string, unknown>
          const found = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], after)
          expect(found).toEqual(value)
          expect(before).toEqual(copy)
          for (const [name, kept] of Object.entries(before)) if (name !== path[0]) expect(after[name]).toEqual(kept)
        },
      ),
    )
  })

  test('counts the entries of a list', () => {
    expect(withValue({ models: [{ kind: 'a' }, { kind: 'b' }] }, 'models.1.hidden', [4])).toEqual({
      models: [{ kind: 'a' }, { kind: 'b', hidden: [4] }],
    })
    expect(() => withValue({ models: [1] }, 'models.1', 2)).toThrow('the axis models.1 names "1" of a list of 1')
    expect(() => withValue({ models: [1] }, 'models.x', 2)).toThrow('a number from 0 to 0 is needed there')
  })
})

test('a grid has 100000 combinations at most', () => {
  const numbers = (n: number) => Array.from({ length: n }, (_, i) => i)
  const grid = (a: number, b: number) => gridPoints(axesIn({ a: numbers(a), b: numbers(b) }).axes)
  expect(grid(1000, 100)).toHaveLength(100_000)
  expect(() => grid(11, 9091)).toThrow(
    'the axes have 100001 combinations; at most 100000; take fewer values, or a search:',
  )
})
