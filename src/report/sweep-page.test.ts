import { describe, expect, test } from 'vitest'
import type { Drawn } from '../sweep/trial-figures.js'
import { sameScale, smallPicture } from './small-picture.js'
import { sweepPage } from './sweep-page.js'

const drawn = (at: Drawn['at'], seed: number, value: number): Drawn => ({
  at,
  seed,
  figures: { 'use, linear: R2': value },
})
const page = (axes: readonly string[], points: readonly Drawn[]) =>
  sweepPage({ name: 'a<b', axes, drawn: points, total: points.length + 1, failed: 1 })
const count = (text: string, what: RegExp): number => [...text.matchAll(what)].length

describe('the page of a sweep', () => {
  const grid = [1, 2].flatMap((rounds) =>
    ['none', 'noise'].flatMap((defence) =>
      [4, 8, 16].flatMap((clients) =>
        [1, 2].map((seed) => drawn({ rounds, defence, clients }, seed, rounds + seed / 10)),
      ),
    ),
  )

  test('has a picture for every place on its further axes, a line for each of the second, a dot for each mean', () => {
    const html = page(['rounds', 'defence', 'clients'], grid)
    expect([count(html, /<svg/g), count(html, /<polyline/g), count(html, /<circle/g)]).toEqual([3, 6, 12])
    expect(html).toContain('24 of 25 trials, 1 failed')
    expect(html).toContain('rounds by defence; clients 16')
    expect(html).toContain('<title>1: 1.15</title>')
  })

  test('has a picture for each axis where there would be too many', () => {
    const scattered = Array.from({ length: 50 }, (_, i) => drawn({ x: i / 50, y: (i * 7) % 50 }, 1, i))
    const html = page(['x', 'y'], scattered)
    expect([count(html, /<svg/g), count(html, /<polyline/g), count(html, /<circle/g)]).toEqual([2, 0, 100])
  })

  test('leaves out an axis on which all are the same, and needs none', () => {
    const html = page(
      ['rounds', 'constant'],
      [drawn({ rounds: 1, constant: 5 }, 1, 0), drawn({ rounds: 2, constant: 5 }, 1, 1)],
    )
    expect(count(html, /<svg/g)).toBe(1)
    expect(html).not.toContain('constant')
    expect(page([], [])).toContain('No trial has a figure yet.')
  })

  test('says words as they are, and runs nothing', () => {
    const html = page(['axis'], [drawn({ axis: '<script>' }, 1, 0), drawn({ axis: [1, 2] }, 1, 1)])
    expect(html).not.toContain('<script')
    expect(html).toContain('<title>Sweep a&lt;b</title>')
    expect(html).toContain("default-src 'none'")
  })
})

describe('a small picture', () => {
  const options = { scale: [0, 10] as const, colours: ['#000'], joined: true, label: 'p' }

  test('keeps every dot inside, whatever the values', () => {
    for (const xs of [[1, 2, 3], [1e-6, 1, 1e6], ['a', 'b'], [5], [0, 0]]) {
      const spots = xs.map((x, i) => ({ x, y: (10 * i) / xs.length, line: 0 }))
      const at = [...smallPicture(spots, options).matchAll(/cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => [
        Number(x),
        Number(y),
      ])
      expect(at.length).toBeGreaterThan(0)
      for (const [x, y] of at) expect([x! >= 46 && x! <= 242, y! >= 8 && y! <= 144]).toEqual([true, true])
    }
  })

  test('has a scale with room, of one value too', () => {
    expect(sameScale([1, 3])).toEqual([0.9, 3.1])
    expect(sameScale([0, 0])).toEqual([-0.01, 0.01])
    expect(sameScale([])).toEqual([0, 1])
  })
})
