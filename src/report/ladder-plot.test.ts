import { describe, expect, test } from 'vitest'
import { ofEveryWord, type QuestionParts, questionWith, stepWith } from '../../test/audit-results.js'
import { ladderPlot } from './ladder-plot.js'

const plot = (...parts: readonly QuestionParts[]) => ladderPlot(parts.map(questionWith))
const rowsIn = (svg: string) => [...svg.matchAll(/<g>(.*?)<\/g>/g)].map((m) => m[1]!)
const numbers = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((m) => Number(m[1]))
/** Where a guess and everything are drawn. */
const axis = (svg: string) => numbers(svg, /<line x1="([\d.]+)" x2="[\d.]+" y1="54"/g) as [number, number]
const record = (row: string) => numbers(row, /<circle cx="([\d.]+)"/g)[0]!

describe('the picture of the ladder', () => {
  test('puts each rung between a guess and everything', () => {
    const svg = plot(
      { ladder: { guess: 0.5, record: 1 } },
      { target: '1', ladder: { guess: 0.5, record: 0.75 } },
      { target: '2', ladder: { better: 'lower', best: 0, guess: 4, federation: 3, client: 2.5, record: 2 } },
    )
    const [guess, all] = axis(svg)
    const middle = (guess + all) / 2
    expect(rowsIn(svg).map((row) => Math.round(record(row)))).toEqual([all, middle, middle].map(Math.round))
  })

  test('draws the interval of the step where the step ends, also where less is better', () => {
    const whisker = (svg: string) => /<line x1="([\d.]+)" x2="([\d.]+)" y1="88" y2="88"/.exec(svg)?.slice(1).map(Number)
    const svg = plot({ ladder: { guess: 0.5, client: 0.5 }, test: { record: stepWith({ interval: [0.25, 0.5] }) } })
    const [guess, all] = axis(svg)
    expect(whisker(svg)).toEqual([Number(((guess + all) / 2).toFixed(1)), all])
    const error = { better: 'lower', best: 0, guess: 4, client: 4 } as const
    expect(whisker(plot({ ladder: error, test: { record: stepWith({ interval: [2, 4] }) } }))).toEqual(whisker(svg))
    const ofClient = { record: null, client: stepWith({ interval: [0.25, 0.5] }) }
    expect(whisker(plot({ ladder: { guess: 0.5, federation: 0.5 }, test: ofClient }))).toEqual(whisker(svg))
    for (const interval of [null, [Number.NEGATIVE_INFINITY, 1]] as const) {
      expect(whisker(plot({ test: { record: stepWith({ interval }) } }))).toBeUndefined()
    }
    expect(whisker(plot({ ladder: { client: null } }))).toBeUndefined()
  })

  test('stays inside the picture', () => {
    const svg = plot({ ladder: { guess: 0.9, federation: -30, client: 0.1, record: 7 } })
    const places = numbers(rowsIn(svg)[0]!, /(?:x1|x2|cx)="(-?[\d.]+)"/g)
    expect(Math.min(...places)).toBeGreaterThan(280)
    expect(Math.max(...places)).toBeLessThan(740)
    // A guess that knows it all leaves no way up, and nothing to divide by.
    expect(plot({ ladder: { guess: 1, federation: 1, client: 1, record: 1 } })).not.toMatch(/NaN|Infinity/)
    expect(plot({ ladder: { guess: null, federation: null, client: null, record: null } })).not.toMatch(/NaN|null/)
  })

  test('shows what was tested and is no copy, the worst first and no more than asked; of nothing there is none', () => {
    expect(ladderPlot([])).toBe('')
    expect(ladderPlot([ofEveryWord[5]!])).toBe('')
    const titles = (svg: string) => rowsIn(svg).map((row) => /<title>([^:]*)/.exec(row)![1])
    const all = [...ofEveryWord, questionWith({ observer: 'malicious-server', sameAs: 'server' })].reverse()
    expect(titles(ladderPlot(all))).toEqual([
      'union of client 0',
      'metaclass-counts of client 0',
      'members of client 0',
      'smoker of client 0',
      'inversion of clients',
    ])
    expect(titles(ladderPlot(all, { most: 2 }))).toHaveLength(2)
  })

  test('tells alarms, doubt and silence apart by colour and in words', () => {
    const colours = rowsIn(ladderPlot(ofEveryWord)).map((row) => /var\(--(leak|weak|none)\)/.exec(row)?.[1])
    expect(colours).toEqual(['leak', 'leak', 'weak', 'none', 'none'])
    expect(plot({})).toContain('>leaks records, server</text>')
  })

  test('names its marks and its axis', () => {
    const svg = plot({})
    for (const words of ['a guess', 'a federation without the client', 'what everybody hears', 'everything']) {
      expect(svg).toContain(`>${words}</text>`)
    }
    expect(svg).toContain('>interval of the step</text>')
  })

  test('shortens long names, keeps them whole in the title, and escapes them', () => {
    const name = 'a'.repeat(80)
    expect(plot({ name })).toContain(`<title>${name} of client 0: leaks records; AUC: guess 0.800`)
    expect(plot({ name })).toContain(`>${'a'.repeat(43)}…</text>`)
    expect(plot({ name: '<script>"&' })).toContain('&lt;script&gt;&quot;&amp;')
    expect(plot({ name: '<script>', observer: 'server' })).not.toContain('<script>')
  })
})
