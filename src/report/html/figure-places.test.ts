import { describe, expect, test } from 'vitest'
import { documentWith, questionWith } from '../../../test/audit-results.js'
import { tableIn } from '../../../test/html-tables.js'
import type { Advice } from '../../audit/advise/advise.js'
import type { Tried } from '../../audit/advise/tried.js'
import { hidden } from '../../audit/finished/redacted.js'
import type { Verdict } from '../../audit/verdict.js'
import { adviceLines, adviceSection } from './advice-section.js'
import { clientsTable, exposedTable } from './people-tables.js'
import { workingsFigures } from './workings-figures.js'

const circles = (html: string) => [...html.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="(\d)"/g)].map((one) => one.slice(1)) // biome-ignore format: a line
const ticks = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, at, words]) => [at, words])
const below = /x="([\d.]+)" y="212"[^>]*>([^<]*)</g
const beside = /x="39" y="([\d.]+)"[^>]*>([^<]*)</g

const worst = { about: 'union', step: 'record', observer: 'server', size: 0.2, interval: null, closed: false } as const
const tried = (id: string, size: number, useLost: number | null, more: Partial<Tried> = {}): Tried => ({ id, changes: [{ id, words: `do ${id}` }], repeats: 3, worst: { ...worst, size }, rungs: [], open: [], use: [], useLost, cost: { messages: 20, localSteps: 30 }, epsilon: null, sure: 0.956, seconds: 1, ...more }) as Tried // biome-ignore format: a line
const asItIs = tried('as-it-is', 0.4, 0, { changes: [] })
const advice = (more: Partial<Advice> = {}) => ({ target: 0.1, asItIs, tried: [asItIs, tried('a', 0.2, 0.06), tried('b', -0.1, 0.1)], front: ['as-it-is', 'b'], recommended: 'b', nearest: 'b', confirmation: null, unconfirmed: [], refused: [], complete: true, ...more }) as unknown as Advice // biome-ignore format: a line
const section = (more: Partial<Advice> = {}) => adviceSection({ advice: [] } as unknown as Verdict, advice(more))

describe('what was tried', () => {
  test('use lost to the right, the worst step upwards to a twentieth above the largest', () => {
    const html = section()
    // 460 wide, 190 high: 0.4 is 1 / 1.05 of the height, and what is below 0 lies on the floor.
    expect(circles(html)).toEqual([['44.0', '17.0', '4'], ['320.0', '107.5', '4'], ['504.0', '198.0', '6']]) // biome-ignore format: a list
    expect(ticks(html, below)).toEqual([['44.0', '0.000'], ['504.0', '0.100']]) // biome-ignore format: ticks
    expect(ticks(html, beside)).toEqual([['198.0', '0'], ['152.8', '0.100'], ['8.0', '0.420']]) // biome-ignore format: ticks
    expect(html).toContain('<line x1="44.0" x2="504.0" y1="152.8" y2="152.8" stroke="var(--dim)" stroke-dasharray="4 4"/>') // biome-ignore format: a line
    expect(html).toContain('<polyline points="44.0,17.0 504.0,198.0"')
  })

  test('the front is named, to the right of its dots on the left and to the left on the right', () => {
    const html = section()
    expect(html).toContain('<text class="dim" x="44.0" y="17.0" dx="8" dy="-6" font-size="10" text-anchor="start">as-it-is</text>') // biome-ignore format: a line
    expect(html).toContain('<text class="dim" x="504.0" y="198.0" dx="-8" dy="-12" font-size="10" text-anchor="end">b</text>') // biome-ignore format: a line
    const half = section({ tried: [asItIs, tried('a', 0.2, 0.05), tried('b', 0, 0.1)], front: ['a', 'b'] })
    expect(half).toContain('dx="8" dy="-6" font-size="10" text-anchor="start">a<')
  })

  test('dots: what is advised large and green, the front filled, others hollow', () => {
    const paints = [...section().matchAll(/r="\d" (fill="[^"]*"(?: stroke="[^"]*")?)/g)].map(([, paint]) => paint)
    expect(paints).toEqual(['fill="var(--ink)"', 'fill="none" stroke="var(--dim)"', 'fill="var(--none)" stroke="var(--ink)"']) // biome-ignore format: a list
    expect(section()).toContain('<title>a: worst step 0.200, use lost 0.060</title>')
  })

  test('gains count to the left, and less than a hundredth of use is no scale', () => {
    const html = section({ tried: [asItIs, tried('a', 0.2, -0.09)] })
    expect(circles(html).map(([x]) => x)).toEqual(['458.0', '44.0'])
    expect(ticks(section({ tried: [asItIs, tried('a', 0.2, 0.005)] }), below)[1]).toEqual(['504.0', '0.010'])
    // A target above all that is left is on the picture, too.
    expect(ticks(section({ target: 0.8 }), beside).at(-1)).toEqual(['8.0', '0.840'])
  })

  test('what was not tested whole, or whose use is not known, is no dot; one dot is no figure', () => {
    const others = [tried('c', 0, 0.1, { worst: null }), tried('d', 0.1, null), tried('e', 0.1, 0.1, { open: ['x'] })]
    expect(circles(section({ tried: [asItIs, tried('a', 0.2, 0.06), ...others] }))).toHaveLength(2)
    expect(section({ tried: [asItIs, ...others] })).not.toContain('<svg')
    expect(section({ front: ['b'] })).not.toContain('<polyline')
  })

  test('all of it as a table', () => {
    const spent = { epsilon: { lower: 1, upper: 1.5 }, delta: 1e-5, means: '' }
    const html = section({ tried: [asItIs, tried('b', 0.2, 0.1, { epsilon: spent as never, open: ['x', 'y'] }), tried('c', 0, null, { worst: null, sure: null }), tried('d', 0, 0, { worst: { ...worst, closed: true }, cost: { messages: null, localSteps: null } })] }) // biome-ignore format: a line
    const { rows, figures } = tableIn(html, 'tried')!
    expect(figures).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(rows).toEqual([
      ['as-it-is', '0.400<br><span class="dim">union, record</span>', '0.000', '20.00', '30.00', '-', '95 %', '3', 'front'], // biome-ignore format: a row
      ['b<br><span class="dim">do b</span>', '0.200<br><span class="dim">union, record</span>', '0.100', '20.00', '30.00', '1.50', '95 %', '3', 'advised, front, 2 not tested'], // biome-ignore format: a row
      ['c<br><span class="dim">do c</span>', '-', '-', '20.00', '30.00', '-', '-', '3', ''],
      ['d<br><span class="dim">do d</span>', 'closed', '0.000', '-', '-', '-', '95 %', '3', ''],
    ])
    expect(html).not.toContain('could not be done here')
    expect(html).not.toContain('Not everything was tried')
    expect(section({ refused: [{ id: 'x', why: '<y>' }] as never })).toContain('<summary>1 could not be done here</summary><ul><li>x: &lt;y&gt;</li></ul>') // biome-ignore format: a line
  })

  test('in a few lines', () => {
    const lines = (more: Partial<Advice>) => adviceLines({ advice: [] } as unknown as Verdict, advice(more))!
    expect(lines({})).toEqual(['do b', 'Worst step: 0.400 now, -0.100 then', 'Use lost: 0.100', '<a href="#advice">measured: 3 variants</a>']) // biome-ignore format: a list
    expect(lines({ recommended: 'as-it-is' })[0]).toBe('Nothing needs to change')
    expect(lines({ recommended: null, nearest: 'a' })[0]).toBe('Nothing tried brings every step under 0.100; nearest: do a') // biome-ignore format: a line
    expect(lines({ recommended: null, nearest: null })).toEqual(['Nothing else was tried.'])
    const spent = tried('b', 0, 0.1, { worst: { ...worst, closed: true } as never, epsilon: { epsilon: { lower: 1, upper: 2 } } as never }) // biome-ignore format: a line
    expect(lines({ tried: [spent], asItIs: tried('as-it-is', 0, 0, { worst: null }) }).slice(1, 3)).toEqual(['Worst step: not tested now, closed then', 'Use lost: 0.100; epsilon at most 2.00']) // biome-ignore format: a line
  })
})

describe('what attacks drew of their work', () => {
  const spread = { mean: 0, deviation: 1 }
  const round = (at: number, overlap: number, more: object = {}) => ({ round: at, having: { mean: 2, deviation: 1 }, lacking: spread, overlap, heard: 1, ...more }) // biome-ignore format: a line
  const drawn = (...rounds: ReturnType<typeof round>[]) => workingsFigures({ workings: { features: { property: 'p', rounds } } }, 'x') // biome-ignore format: a line

  test('overlaps by round, none above 1', () => {
    const html = drawn(round(2, 0), round(4, 0.5), round(10, 1.5))
    expect(html).toContain('<polyline points="44.0,198.0 91.5,103.0 234.0,8.0"')
    expect(ticks(html, below).slice(0, 2)).toEqual([['44.0', '2'], ['234.0', '10']]) // biome-ignore format: ticks
    expect(drawn()).toBe('')
    expect(drawn(round(3, 0), round(3, 1))).toContain('<polyline points="44.0,198.0 44.0,8.0"')
  })

  test('the best, the middling and the worst round, each once', () => {
    const rounds = (html: string) => [...html.matchAll(/Round (\d+), ([a-z ]+):/g)].map(([, at, words]) => `${at} ${words}`) // biome-ignore format: a line
    expect(rounds(drawn(round(0, 0.3), round(1, 0.1), round(2, 0.2)))).toEqual(['1 told apart best', '2 in the middle', '0 told apart worst']) // biome-ignore format: a list
    expect(rounds(drawn(round(0, 0.3), round(1, 0.1)))).toEqual(['1 told apart best', '0 in the middle'])
  })

  test('the mean that was heard widens the axis; a spread of nothing is a line', () => {
    const html = drawn(round(0, 0.1, { heard: 13 }))
    // From three deviations below 0 to what was heard: 16 in all.
    expect(ticks(html, below)).toEqual([['44.0', '-3.00'], ['234.0', '13.00']]) // biome-ignore format: ticks
    expect(html).toContain('<line x1="234.0" x2="234.0" y1="198.0" y2="8.0" stroke="var(--dim)" stroke-width="1.5"/>')
    const [lacking] = [...html.matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) => points!.split(' '))
    expect(lacking).toHaveLength(25)
    // Nineteen twentieths of the height at the mean, and exp(-1/2) of that a deviation beside it.
    expect([lacking![12], lacking![16]]).toEqual(['79.6,17.5', `${(44 + (190 * 4) / 16).toFixed(1)},${(198 - 190 * 0.95 * Math.exp(-0.5)).toFixed(1)}`]) // biome-ignore format: a line
    const still = { mean: 1, deviation: 0 }
    expect(drawn(round(0, 0, { having: still, lacking: still, heard: 1 }))).not.toMatch(/NaN|Infinity/)
  })

  const curve = (points: readonly (readonly [misfit: number, size: number])[], chosen: object | null = null) =>
    workingsFigures({ workings: { lCurve: { points: points.map(([misfit, size]) => ({ beta: 1, misfit, size })), chosen: chosen as never, rule: '<r>' } } }, 'x') // biome-ignore format: a line

  test('an L-curve on logarithmic axes, without what has no logarithm', () => {
    const html = curve([[0.01, 100], [0, 1], [1, 0], [0.1, 10], [1, 1]], { beta: 0.5, misfit: 0.1, size: 10 }) // biome-ignore format: points
    expect(html).toContain('<polyline points="44.0,8.0 139.0,103.0 234.0,198.0"')
    expect(circles(html)).toEqual([['139.0', '103.0', '5']])
    expect(html).toContain('<title>chosen: &lt;r&gt;</title>')
    expect(html).toContain('The dot is what the rule &lt;r&gt; chose: beta 0.500.')
    expect(ticks(html, below)).toEqual([['44.0', '0.010'], ['234.0', '1.0']]) // biome-ignore format: ticks
    expect(ticks(html, beside)).toEqual([['198.0', '1.0'], ['8.0', '1.0e+2']]) // biome-ignore format: ticks
  })

  test('an axis without a length is a line in the middle, a choice without a logarithm no dot', () => {
    expect(curve([[1, 1], [1, 2]])).toContain('points="139.0,198.0 139.0,8.0"') // biome-ignore format: points
    expect(curve([[1, 1], [0, 2]])).toBe('') // biome-ignore format: points
    for (const chosen of [{ beta: 1, misfit: 0, size: 1 }, { beta: 1, misfit: 1, size: 0 }]) expect(curve([[1, 1], [2, 2]], chosen)).not.toContain('<circle') // biome-ignore format: a line
    expect(curve([[1, 1], [2, 2]])).toContain('The solver, &lt;r&gt;, chooses by other means.') // biome-ignore format: points
  })
})

describe('people', () => {
  const people = (...questions: ReturnType<typeof questionWith>[]) => exposedTable(documentWith([], { questions }))
  test('are told with how sure it is, and since when', () => {
    const exposed = { ids: ['a', 'b'], of: 9, sure: [0.99], after: { b: { round: 4 } } } as never
    const html = people(questionWith({ exposed }), questionWith({ target: null, kind: 'property', name: 'ascent', exposed: { ids: ['c'], of: 3 } })) // biome-ignore format: a line
    const { rows, figures } = tableIn(html, 'people')!
    expect(figures).toEqual([4])
    expect(rows).toEqual([
      ['a', '0', 'union of client 0', 'server', '0.990', ''],
      ['b', '0', 'union of client 0', 'server', '-', 'from round 4 on'],
      ['client c', 'c', 'ascent of clients', 'server', '-', ''],
    ])
    expect(html).toContain('<li>ascent of clients, server: 1 of 3</li>')
    expect(people(questionWith(), questionWith({ exposed: { ids: [], of: 3 } }))).toBe('')
    expect(people(questionWith({ exposed: { ids: [hidden], of: 3 } }))).not.toContain('<table')
  })
  test('forty lists are counted', () => {
    const many = Array.from({ length: 42 }, (_, i) => questionWith({ target: `${i}`, exposed: { ids: ['a'], of: 3 } }))
    expect(people(...many).match(/<li>/g)).toHaveLength(40)
  })
  test('clients beyond the panels have no link', () => {
    const many = Array.from({ length: 41 }, (_, i) => questionWith({ target: `${i}` }))
    const { rows, figures } = tableIn(clientsTable(documentWith([], { questions: many })), 'by-client')!
    expect([rows[39]![2], rows[40]![2]]).toEqual(['<a href="#q40">union of client 39</a>', 'union of client 40'])
    expect(figures).toEqual([4, 5, 6])
  })
})
