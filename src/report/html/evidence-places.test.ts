import { expect, test } from 'vitest'
import { findingWith, resultWith, scoreWith } from '../../../test/audit-results.js'
import { evidenceFigures, rankedOf, rocOf } from './evidence-figures.js'

const result = resultWith({ attack: 'a', model: 'mlp' })
const members = (truth: readonly boolean[], scores: readonly number[]) => findingWith(scoreWith({ perRecord: truth.map(() => 1) }), { kind: 'members', client: '0', rows: truth.flatMap((is, i) => (is ? [i] : [])), scores }) // biome-ignore format: a line
/** A plot by its name. */
const plotIn = (html: string, name: string) => new RegExp(`aria-label="${name}">(.*?)</svg>`).exec(html)![1]!
const linesIn = (svg: string) =>
  [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) => points!.split(' '))
const ticksBelow = (svg: string) => [...svg.matchAll(/x="([\d.]+)" y="212"[^>]*>([^<]*)</g)].map(([, x, words]) => [Number(x), words]) // biome-ignore format: a line

test('what can be ranked: members with a score each, attributes of two values with a confidence each', () => {
  const claim = { kind: 'members', client: '0', rows: [0], scores: [1, 2] } as const
  const of = (more: object, perRecord: number[] | undefined = [1, 1]) => rankedOf(findingWith(scoreWith({ perRecord } as never), { ...claim, ...more })) // biome-ignore format: a line
  expect(of({})).toEqual({ what: 'was in the training', scores: [1, 2], truth: [true, false] })
  expect(of({}, [0, 0])!.truth).toEqual([false, true])
  expect([of({ scores: undefined }), of({ scores: [1] }), of({ kind: 'labels' })]).toEqual([null, null, null])
  expect(rankedOf(findingWith(scoreWith(), claim))).toBeNull()
  expect(rankedOf(findingWith(null, claim))).toBeNull()
  const confusion = { values: ['no', 'yes'], counts: [] }
  const attribute = (more: object) => rankedOf(findingWith(scoreWith({ perRecord: [1, 0], confusion } as never), { kind: 'attribute', client: '0', name: 'u', values: [1, 1], confidence: [0.75, 1], ...more })) // biome-ignore format: a line
  expect(attribute({})).toEqual({ what: 'u is yes', scores: [0.75, 1], truth: [true, false] })
  expect(attribute({ values: [0, 0] })).toEqual({ what: 'u is yes', scores: [0.25, 0], truth: [false, true] })
  expect(attribute({ confidence: undefined })).toBeNull()
})

test('a curve needs both kinds, and goes through every threshold once', () => {
  expect(rocOf({ scores: [3, 2, 1], truth: [false, true, false] })).toEqual([[0, 0], [0.5, 0], [0.5, 1], [1, 1]]) // biome-ignore format: a curve
  expect(rocOf({ scores: [3, 2], truth: [false, false] })).toEqual([])
  expect(rocOf({ scores: [], truth: [] })).toEqual([])
  expect(rocOf({ scores: [1, 1, 1], truth: [true, false, true] })).toEqual([[0, 0], [1, 1]]) // biome-ignore format: a curve
})

test('the curve rises in steps, beside a coin on the diagonal', () => {
  const html = evidenceFigures(result, members([true, false], [2, 1]))
  const [coin, curve] = linesIn(plotIn(html, 'found against false alarms, a, mlp'))
  // One true record first, then one false alarm: up the left side, then across.
  expect(curve).toEqual(['44.0,198.0', '44.0,198.0', '44.0,8.0', '234.0,8.0', '234.0,8.0'])
  expect(coin).toHaveLength(21)
  expect([coin![0], coin![10], coin![20]]).toEqual(['44.0,198.0', '91.5,150.5', '234.0,8.0'])
  expect(html).toContain('2 records of the first training, 1 of which it is true: was in the training. Dashed: a coin.')
  expect(evidenceFigures(result, members([true, true], [2, 1]))).toBe('')
})

test('the corner has a log axis from the finest rate that so many others can tell, a tenth at most', () => {
  const corner = (negatives: number) => {
    const truth = [true, ...Array<boolean>(negatives).fill(false)]
    const html = evidenceFigures(result, members(truth, truth.map((_, i) => -i))) // biome-ignore format: a line
    return { html, svg: plotIn(html, 'the corner of few false alarms, a, mlp') }
  }
  expect(ticksBelow(corner(100).svg)).toEqual([[44, '0.01'], [139, '0.1'], [234, '1']]) // biome-ignore format: ticks
  expect(ticksBelow(corner(4).svg)).toEqual([[44, '0.1'], [234, '1']]) // biome-ignore format: ticks
  // A power that is not above three times the finest has no room.
  expect(ticksBelow(corner(30).svg).map(([, words]) => words)).toEqual(['0.033', '1'])
  expect(ticksBelow(corner(31).svg).map(([, words]) => words)).toEqual(['0.032', '0.1', '1'])
  const [coin, curve] = linesIn(corner(100).svg)
  // What is finer than can be told stands at the left end; the curve of a perfect attack is at the top.
  expect(curve!.slice(0, 3)).toEqual(['44.0,198.0', '44.0,198.0', '44.0,8.0'])
  expect([coin![0], coin![20]]).toEqual(['44.0,196.1', '234.0,8.0'])
  expect(corner(100).html).toContain('with 100 others no rate below 0.010 can be told.')
})

const sure = (confidence: readonly number[], right: readonly number[], more: object = {}) => {
  const score = scoreWith({ perRecord: right, confusion: { values: ['a', 'b', 'c'], counts: [[1, 2, 0]] }, ...more } as never) // biome-ignore format: a line
  return evidenceFigures(resultWith({ attack: 'a' }), findingWith(score, { kind: 'attribute', client: '0', name: 'u', values: confidence.map(() => 0), confidence })) // biome-ignore format: a line
}
const bars = (html: string) => [...html.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="7" height="([\d.]+)" ([^>]*)><title>([^<]*)</g)].map(([, x, y, height, , title]) => [x, y, height, title]) // biome-ignore format: a line

test('how sure it was: ten bars of right ones, filled, and of wrong ones beside them, hollow', () => {
  const html = sure([1, 0.95, 0.9, 0.5, 0.59, 0], [1, 1, 0, 1, 0, 0])
  expect(bars(html)).toEqual([
    ['53.9', '103.0', '95.0', '1 wrong'],
    ['140.5', '103.0', '95.0', '1 right'],
    ['148.9', '103.0', '95.0', '1 wrong'],
    ['216.5', '8.0', '190.0', '2 right'],
    ['224.9', '103.0', '95.0', '1 wrong'],
  ])
  expect(html).toContain('fill="var(--leak)"><title>2 right')
  expect(html).toContain('fill="none" stroke="var(--ink)" stroke-width="1.5"><title>1 wrong')
  expect([...html.matchAll(/x="39" y="([\d.]+)"[^>]*>([^<]*)</g)].map(([, y, words]) => [y, words])).toEqual([['198.0', '0'], ['8.0', '2']]) // biome-ignore format: a list
  expect(html).toContain('aria-label="how sure it was, a"')
  expect(sure([], [])).toContain('y="8.0" dy="4" font-size="11" text-anchor="end">1<')
})

test('without words for its values, or records, there is nothing to be sure of', () => {
  expect(sure([1], [1], { confusion: undefined })).toBe('')
  expect(sure([1], [1], { perRecord: undefined })).not.toContain('how sure')
  const model = findingWith(scoreWith({ perRecord: [1], confusion: { values: ['a'], counts: [] } } as never), { kind: 'model', theta: [] }) // biome-ignore format: a line
  expect(evidenceFigures(resultWith(), model)).not.toContain('how sure')
})

test('a table of what was claimed and what is true, also of values without a name', () => {
  const confusion = { values: ['<a>'], counts: [[3], [4]] }
  const html = evidenceFigures(resultWith(), findingWith(scoreWith({ confusion } as never)))
  expect(html).toContain('<th scope="col" class="n">claimed &lt;a&gt;</th>')
  expect(html).toContain('<tr><th scope="row">truly &lt;a&gt;</th><td class="n">3</td></tr><tr><th scope="row">truly -</th><td class="n">4</td></tr>') // biome-ignore format: a line
})
