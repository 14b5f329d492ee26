import { describe, expect, test } from 'vitest'
import { controlsWith, resultWith, scoreWith } from '../../test/audit-results.js'
import type { AttackResult } from '../audit/attack-result.js'
import { dotPlot } from './dot-plot.js'
import { exposureSection } from './exposure-curves.js'
import { rowOf, rowsOf } from './result-rows.js'

describe('the plot of lifts', () => {
  const plot = (...results: AttackResult[]) => dotPlot(rowsOf(results))
  const scored = (lift: number, interval: [number, number] | null = null) => resultWith({ score: scoreWith({ value: 0.5 + lift / 2, lift, interval }) }) // biome-ignore format: a line

  test('half a scale below chance to everything, a line for each attack', () => {
    const svg = plot(scored(0.5, [0.5, 0.625]), resultWith({ target: '1' }), resultWith({ target: '2' }))
    expect(svg).toMatch(/^<svg viewBox="0 0 820 110" role="img" aria-label="lift over chance by attack">/)
    // A third of the way is chance.
    for (const [x, word] of [
      ['453.3', 'chance'],
      ['760.0', 'everything'],
    ] as const) {
      // biome-ignore format: a list
      expect(svg).toContain(`<line x1="${x}" x2="${x}" y1="6" y2="88" stroke="var(--line)"/><text class="dim" x="${x}" y="104" font-size="12" text-anchor="middle">${word}</text>`) // biome-ignore format: a line
    }
    expect(svg).toContain('<text x="0" y="26" font-size="12">aia-model, union of client 0</text><line x1="453.3" x2="530.0" y1="22" y2="22" stroke="currentColor" stroke-width="2"/><circle cx="606.7" cy="22" r="5" fill="currentColor"/>') // biome-ignore format: a line
    expect([...svg.matchAll(/cy="(\d+)"/g)].map(([, y]) => y)).toEqual(['22', '44', '66'])
  })

  test('what is beyond either end is drawn there', () => {
    const places = [-0.5, -0.6, 1, 1.5].map((lift) => /<circle cx="([\d.]+)"/.exec(plot(scored(lift)))![1])
    expect(places).toEqual(['300.0', '300.0', '760.0', '760.0'])
  })

  test('intervals lie where their ends do, in either order; without chance at 0', () => {
    const ends = (score: object) => /<line x1="([\d.]+)" x2="([\d.]+)" y1="22"/.exec(plot(resultWith({ score: scoreWith(score) })))!.slice(1) // biome-ignore format: a line
    expect(ends({ better: 'lower', chance: 2, value: 1, lift: 0.5, interval: [0, 1] })).toEqual(['606.7', '760.0'])
    expect(ends({ chance: null, lift: 0.5, interval: [0.2, 0.4] })).toEqual(['453.3', '453.3'])
  })

  test('a name of 46 letters is whole, of 47 it is cut; models are named where there is one', () => {
    const named = (letters: number) => plot(resultWith({ attack: 'a'.repeat(letters - ', union of client 0'.length) }))
    expect(named(46)).toContain('font-size="12">aaaa')
    expect(named(46)).not.toContain('…')
    expect(named(47)).toContain('union of client…</text>')
    expect(plot(resultWith({ model: 'mlp' }))).toContain('>mlp: aia-model, union of client 0<')
  })

  test('a note makes a dot hollow', () => {
    const hollow = 'fill="var(--paper)" stroke="currentColor" stroke-width="2"/>'
    expect(plot(resultWith({ controls: controlsWith('blind') }))).toContain(hollow)
    expect(plot(resultWith({ controls: controlsWith('passed') }))).not.toContain(hollow)
  })
})

describe('curves of exposure', () => {
  const clients = ['a', 'b', 'c'].map((id) => ({ id, positive: id !== 'c' }))
  const exposure = { rounds: [2, 4, 10], probability: { a: [0, 0.5, 1], b: [0, 0.25, 0.95], c: [0.5, 0, 0] }, above: 0.95, exposedAt: {} } // biome-ignore format: a line
  const section = (more: object = {}, parts: object = {}) =>
    exposureSection([rowOf(resultWith({ target: null, claim: { kind: 'property', property: 'late', clients, exposure: { ...exposure, ...more } }, score: scoreWith({ perClient: [{ id: 'b', right: false }, { id: 'a', right: true }] } as never), ...parts }))]) // biome-ignore format: a line

  test('rounds to the right, probability upwards', () => {
    const svg = section()
    expect(svg).toContain('<svg viewBox="0 0 780 244" role="img"')
    const lines = [...svg.matchAll(/<polyline points="([^"]*)" fill="none" stroke="var\(--(\w+)\)" stroke-width="2"([^>]*)><title>client (\w)</g)] // biome-ignore format: a line
    expect(lines.map(([, points, colour, dash, id]) => [id, points, colour, dash])).toEqual([
      ['c', '56.0,98.0 234.5,188.0 770.0,188.0', 'line', ' stroke-dasharray="1 3"'],
      ['a', '56.0,188.0 234.5,98.0 770.0,8.0', 'leak', ''],
      ['b', '56.0,188.0 234.5,143.0 770.0,17.0', 'weak', ' stroke-dasharray="7 3"'],
    ])
    expect(svg).toContain('<line x1="56" x2="770" y1="188.0" y2="188.0" stroke="var(--dim)"/><text class="dim" x="18" y="192.0" font-size="12">0</text>') // biome-ignore format: a line
    expect(svg).toContain('<line x1="56" x2="770" y1="17.0" y2="17.0" stroke="var(--dim)" stroke-dasharray="4 4"/><text class="dim" x="18" y="21.0" font-size="12">0.95</text>') // biome-ignore format: a line
    expect(svg).toContain('x="56.0" y="214" font-size="12" text-anchor="start">2<')
    expect(svg).toContain('x="770.0" y="214" font-size="12" text-anchor="end">10<')
  })

  test('axes and kinds of lines are named below', () => {
    const svg = section()
    expect(svg).toContain('<text class="dim" x="770" y="230" font-size="12" text-anchor="end">rounds heard</text>')
    expect(svg).toContain('transform="translate(11 98.0) rotate(-90)" font-size="12" text-anchor="middle">probability<')
    for (const [k, words] of ['accused', 'accused wrongly', 'not accused'].entries()) {
      const x = 56 + 150 * k
      expect(svg).toContain(`<line x1="${x}" x2="${x + 24}" y1="236" y2="236"`)
      expect(svg).toContain(`<text class="dim" x="${x + 30}" y="240" font-size="12">${words}</text>`)
    }
  })

  test('one round has one tick, at the right end', () => {
    const svg = section({ rounds: [7], probability: { a: [0.5] } })
    expect(svg).toContain('points="770.0,98.0"')
    expect(svg.match(/y="214"/g)).toHaveLength(1)
    expect(section({ rounds: [] })).toBe('')
  })

  test('forty clients are named, of more how many are left', () => {
    const exposed = (count: number) => section({ exposedAt: Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, i])) }) // biome-ignore format: a line
    expect(exposed(40)).not.toContain('more.')
    expect(exposed(41)).toContain('; and 1 more.</p>')
    expect(section({ exposedAt: { a: 4 }, lastBelow: { a: 2 } })).toContain('<p>Above 0.95: client a after round 4, not yet after round 2.</p>') // biome-ignore format: a line
    expect(section({ exposedAt: { b: 4, c: 3 } })).toContain('client c after round 3 (not at the end); client b after round 4 (wrongly).') // biome-ignore format: a line
  })

  test('the head says which model, where there is one', () => {
    expect(section()).toContain('<h3>aia-model, late: after how many rounds?</h3>')
    expect(section({}, { model: 'mlp' })).toContain('<h3>mlp: aia-model, late: after')
  })
})
