import { expect, test } from 'vitest'
import type { Advice } from '../../audit/advise/advise.js'
import type { Tried } from '../../audit/advise/tried.js'
import type { Verdict } from '../../audit/verdict.js'
import { adviceLines, adviceSection } from './advice-section.js'

const tried = (id: string, size: number, useLost: number, more: Partial<Tried> = {}): Tried => ({
  id,
  changes: id === 'as-it-is' ? [] : [{ id, words: `do ${id}` }],
  repeats: 10,
  worst: { about: 'union of client 0', step: 'record', observer: 'server', size, interval: null, closed: false },
  rungs: [],
  open: [],
  use: [],
  useLost,
  cost: { messages: 120, localSteps: 40 },
  epsilon: null,
  sure: 0.97,
  seconds: 1,
  ...more,
})
const asItIs = tried('as-it-is', 0.33, 0)
const advice = {
  scenario: {} as Advice['scenario'],
  target: 0.05,
  budget: 300,
  asItIs,
  tried: [tried('noise', 0.04, 0.1), tried('<b>rounds', 0.2, 0.02), asItIs, tried('worse', 0.3, 0.2), tried('open', 0.01, 0, { open: ['x: why'] })],
  front: ['as-it-is', '<b>rounds', 'noise'],
  recommended: 'noise',
  confirmation: null,
  unconfirmed: [],
  nearest: 'noise',
  refused: [{ id: 'sums', why: 'too few clients' }],
  complete: false,
} satisfies Advice // biome-ignore format: a table
const verdict = { advice: ['aggregate securely, so that: x', 'b', 'c', 'd'] } as unknown as Verdict

test('draws the front of what was tried, with what is advised and the target, and tells all of it in a table', () => {
  const html = adviceSection(verdict, advice)
  expect(html).toContain('aria-label="the Pareto front of what was tried"')
  // Those with a measured loss that were tested whole; the front is joined, one is advised.
  expect(html.match(/<circle/g)).toHaveLength(4)
  expect(html.match(/fill="var\(--none\)"/g)).toHaveLength(1)
  expect(html).toMatch(/<polyline points="[\d.]+,[\d.]+ [\d.]+,[\d.]+ [\d.]+,[\d.]+"/)
  expect(html).toContain('do this: do noise. as it is: the worst step is +0.330')
  expect(html).toContain('advised, front')
  expect(html).toContain('1 not tested')
  expect(html).toContain('too few clients')
  expect(html).toContain('Not everything was tried')
  expect(html).not.toContain('<b>rounds')
})

test('on the first sheet: what to do, what it leaves and costs; untried words where nothing was tried', () => {
  expect(adviceLines(verdict, advice)!.slice(0, 3)).toEqual(['do noise', 'Worst step: 0.330 now, 0.040 then', 'Use lost: 0.100']) // biome-ignore format: a line
  expect(adviceLines(verdict, { ...advice, recommended: null })![0]).toContain('Nothing tried brings every step under')
  expect(adviceLines(verdict, undefined)![0]).toBe('aggregate securely, so that')
  expect(adviceSection(verdict, undefined)).toContain('Untried')
  expect(adviceLines({ ...verdict, advice: [] }, undefined)).toBeNull()
  expect(adviceSection({ ...verdict, advice: [] }, undefined)).toBe('')
})
