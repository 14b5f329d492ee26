import { expect, test } from 'vitest'
import type { StudyRow } from '../studies/summary.js'
import { studyPage } from './study-page.js'
import { oursText, panelsOf, paperText, runText, type StudyRun, studyMarkdown, type ToldStudy } from './study-text.js'

const run: StudyRun = { quick: true, seeds: [1], cells: 3, planned: 3, seconds: 89, version: '1.2', date: '2026-01-02', trouble: [] } // biome-ignore format: a line
const row = (panel: string, series: string, mean: number, more: Partial<StudyRow> = {}): StudyRow => ({ name: '', panel, series, ours: { mean, std: 0, median: mean, n: 1 }, paper: null, note: '', ...more }) // biome-ignore format: a line
const study = (rows: readonly StudyRow[], more: Partial<ToldStudy> = {}): ToldStudy =>
  ({ study: 'a-study', title: 'Of <things>', where: 'Fig. 1', paper: 'lmra', unit: 'in points', axis: null, rows, claims: [], departs: [], run, ...more }) as ToldStudy // biome-ignore format: a line

test('figures have two places, fewer where they are large, and their size where two places would hide it', () => {
  const ours = (mean: number, std = 0, n = 1) => oursText({ ours: { mean, std, median: mean, n } })
  expect([19.994, 20, 0, 0.005, 0.00499, -25.25, -0.001].map((x) => ours(x))).toEqual(['19.99', '20.0', '0.00', '0.01', '5.0e-3', '-25.3', '-1.0e-3']) // biome-ignore format: a line
  expect([ours(1, 0.5, 1), ours(1, 0.5, 2)]).toEqual(['1.00', '1.00 ± 0.50'])
  expect([null, { mean: 3, std: null }, { mean: 3, std: 1 }].map((paper) => paperText({ paper }))).toEqual(['', '3.00', '3.00 ± 1.00']) // biome-ignore format: a line
})

test('how it was run', () => {
  expect(runText(run)).toBe('quick run of 2026-01-02, seed 1, 89 s of one processor, overhear 1.2')
  const full = runText({ ...run, quick: false, seeds: [1, 2, 5], cells: 2, seconds: 90 })
  expect(full).toBe('full run of 2026-01-02, seeds 1 to 5, 2 of 3 cells only, 2 min of one processor, overhear 1.2')
  expect(runText({ ...run, seconds: 6000 })).toContain(', 100 min of')
})

test('panels and series stand in the order in which they come up', () => {
  const rows = [row('p', 'b', 1), row('q', 'a', 2), row('p', 'a', 3), row('p', 'b', 4)]
  const panels = [...panelsOf({ rows })].map(([panel, series]) => [panel, [...series].map(([name, own]) => [name, own.map(({ ours }) => ours.mean)])]) // biome-ignore format: a line
  expect(panels).toEqual([['p', [['b', [1, 4]], ['a', [3]]]], ['q', [['a', [2]]]]]) // biome-ignore format: a list
})

test('Markdown: figures beside the paper, with notes', () => {
  const rows = [row('p|x', 'a', 1, { paper: { mean: 2, std: 1 }, note: 'ours alone' }), row('p|x', 'b', 3)]
  const text = studyMarkdown(study(rows, { claims: [{ text: 'it grows', holds: true }], departs: ['other data'] } as never)) // biome-ignore format: a line
  expect(text.split('\n\n')).toEqual([
    '## a-study: [lmra] Fig. 1',
    'Of <things>. In points; mean ± deviation where there are several runs.',
    '*quick run of 2026-01-02, seed 1, 89 s of one processor, overhear 1.2.*',
    '| p\\|x | ours | paper |  |\n|---|---|---|---|\n| a | 1.00 | 2.00 ± 1.00 | ours alone |\n| b | 3.00 |  |  |',
    '- holds: it grows',
    '- other data',
  ])
  expect(studyMarkdown(study(rows), 3)).toMatch(/^### a-study/)
})

test('Markdown: a curve has a column for each place, in their order; what has none comes last', () => {
  const rows = [
    row('p', 'a', 5, { x: 10 }),
    row('p', 'a', 3, { x: 2, paper: { mean: 4, std: null }, note: 'by hand' }),
    row('p', 'b', 7, { note: 'by hand' }),
    row('p', 'b', 8, { x: 2, note: 'by hand' }),
  ]
  const parts = studyMarkdown(study(rows, { axis: 'round', run: { ...run, trouble: ['no time'] } })).split('\n\n')
  expect(parts[1]).toBe(
    "Of <things>. In points; in brackets the paper's; mean ± deviation where there are several runs.",
  )
  expect(parts[3]).toBe('| p | round 2 | round 10 |  |\n|---|---|---|---|\n| a | 3.00 [4.00] | 5.00 |  |\n| b | 8.00 |  | 7.00 |') // biome-ignore format: a line
  expect(parts[4]).toBe('- a: by hand\n- b: by hand')
  expect(parts[5]).toBe('- not measured: no time')
  const bare = studyMarkdown(study([row('p', 'a', 5, { x: 10 })], { axis: 'round' }))
  expect(bare).not.toContain('brackets')
  expect(bare).toContain('| p | round 10 |\n|---|---|\n| a | 5.00 |')
  // One place that is none, but of several figures: still a table beside the paper.
  expect(studyMarkdown(study([row('p', 'a', 5, { note: 'n' })]))).not.toContain('- a: n')
})

test('the page: a section for each study, with its rows and lists', () => {
  const rows = [row('p', 'a<', 1, { paper: { mean: 2, std: null }, note: 'n&' }), row('q', 'b', 3, { x: 7 })]
  const html = studyPage([study(rows, { axis: 'round', claims: [{ text: 'it grows', holds: null }], run: { ...run, trouble: ['no time'] } } as never)]) // biome-ignore format: a line
  expect(html).toContain('<section id="a-study"><h2>a-study: [lmra] Fig. 1</h2>\n<p>Of &lt;things&gt;. <span class="dim">in points; quick run') // biome-ignore format: a line
  expect(html).toContain('<tr><td>a&lt;</td><td class="number">1.00</td><td class="number">2.00</td><td class="dim">n&amp;</td></tr>') // biome-ignore format: a line
  expect(html).toContain('<tr><td>b, round 7</td><td class="number">3.00</td>')
  expect(html).toContain('<ul><li>not measured: no time</li></ul>')
  expect(html).toContain('<h3>What the paper says</h3><ul><li>not decided: it grows</li></ul>')
  expect(html).toMatch(/<h3>Where ours differs<\/h3><\/section>/)
  expect(html).not.toContain('<figure')
})

test('the page: curves of several places are drawn, with a key; one place alone is no curve', () => {
  const curve = (...xs: number[]) => studyPage([study(['a', 'b<'].flatMap((series, i) => xs.map((x) => row('p', series, x + i, { x }))), { axis: 'round' })]) // biome-ignore format: a line
  expect(curve(1)).not.toContain('<figure')
  const html = curve(1, 2)
  expect(html).toContain('aria-label="p by round"')
  expect(html.match(/<polyline/g)).toHaveLength(2)
  expect(html).toContain('<figcaption class="dim">round to the right. <span><span class="key" style="background:#0072b2"></span>a</span> <span><span class="key" style="background:#d55e00"></span>b&lt;</span></figcaption>') // biome-ignore format: a line
  const nine = studyPage([study(Array.from({ length: 9 }, (_, i) => [1, 2].map((x) => row('p', `s${i}`, x, { x }))).flat(), { axis: 'round' })]) // biome-ignore format: a line
  expect(nine.match(/background:#0072b2/g)).toHaveLength(2)
})
