import { describe, expect, test } from 'vitest'
import { atChance, controlsWith, errorWith, resultWith, scoreWith } from '../../test/audit-results.js'
import type { AttackResult } from '../audit/attack-result.js'
import { dotPlot } from './dot-plot.js'
import { rowsOf } from './result-rows.js'

const plot = (...results: AttackResult[]) => dotPlot(rowsOf(results))
const numbers = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map((m) => Number(m[1]))
const dots = (svg: string) => numbers(svg, /<circle cx="([\d.]+)"/g)
/** Where chance and perfection are drawn. */
const axis = (svg: string) => numbers(svg, /<line x1="([\d.]+)" x2="[\d.]+" y1="6"/g) as [number, number]
const whisker = (svg: string) =>
  /<line x1="([\d.]+)" x2="([\d.]+)" y1="(\d+)" y2="\3"/.exec(svg)?.slice(1, 3).map(Number)

describe('the plot', () => {
  test('puts each attack between chance and perfection by its lift', () => {
    const svg = plot(
      resultWith({ target: '0', score: atChance() }),
      resultWith({ target: '1', score: scoreWith({ value: 1, lift: 1 }) }),
      resultWith({ target: '2', score: scoreWith({ value: 0.75, lift: 0.5 }) }),
      resultWith({ target: '3', score: errorWith(0.5) }),
    )
    const [chance, best] = axis(svg)
    const middle = (chance + best) / 2
    expect(dots(svg).map((x) => Math.round(x))).toEqual([chance, best, middle, middle].map((x) => Math.round(x)))
  })

  test('draws the interval on the same scale, also where less is better', () => {
    const higher = plot(resultWith({ score: scoreWith({ interval: [0.5, 1] }) }))
    expect(whisker(higher)).toEqual(axis(higher))
    const lower = plot(
      resultWith({ score: scoreWith({ better: 'lower', value: 1, chance: 2, lift: 0.5, interval: [0, 2] }) }),
    )
    expect(whisker(lower)).toEqual(axis(lower))
    expect(whisker(plot(resultWith({ score: errorWith(0.5) })))).toBeUndefined()
  })

  test('keeps what is far below chance at the edge, inside the picture', () => {
    const svg = plot(resultWith({ score: scoreWith({ lift: -31.9, interval: [-20, -10] }) }))
    const [, width] = /viewBox="0 0 (\d+)/.exec(svg)!.map(Number)
    const ends = [...dots(svg), ...whisker(svg)!]
    expect(Math.min(...ends)).toBeGreaterThan(200)
    expect(Math.max(...ends)).toBeLessThan(width!)
  })

  test('shows only what has a lift and is no copy; of nothing there is no plot', () => {
    expect(plot()).toBe('')
    const copy = resultWith({ sameAs: 'eavesdropper' })
    const ungraded = resultWith({ status: 'failed' })
    const unguessable = resultWith({ target: '1', score: scoreWith({ chance: null, lift: null }) })
    expect(plot(copy, ungraded, unguessable)).toBe('')
    expect(dots(plot(resultWith({ target: '9' }), copy, ungraded))).toHaveLength(1)
  })

  test('tells an oracle and a broken attack by a hollow dot', () => {
    expect(plot(resultWith())).toContain('fill="currentColor"')
    const hollow = 'fill="var(--paper)" stroke="currentColor"'
    expect(plot(resultWith({ oracle: true }))).toContain(hollow)
    expect(plot(resultWith({ controls: controlsWith('broken') }))).toContain(hollow)
  })

  test('shortens long names, and keeps them whole in the title', () => {
    const name = 'a'.repeat(80)
    const svg = plot(resultWith({ attack: name }))
    expect(svg).toContain(`<title>${name}, union of client 0: accuracy 0.900, chance 0.500</title>`)
    expect(svg).toContain(`>${'a'.repeat(45)}…</text>`)
  })

  test('escapes names', () => {
    expect(plot(resultWith({ attack: '<script>"&' }))).toContain('&lt;script&gt;&quot;&amp;')
    expect(plot(resultWith({ attack: '<script>' }))).not.toContain('<script>')
  })
})
