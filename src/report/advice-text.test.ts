import { expect, test } from 'vitest'
import type { Advice } from '../audit/advise/advise.js'
import type { Tried } from '../audit/advise/tried.js'
import { readScenario } from '../audit/read-scenario.js'
import { adviceHeadline, adviceText } from './advice-text.js'
import { adviceLines } from './html/advice-section.js'

const tried = (id: string, size: number, more: Partial<Tried> = {}): Tried => {
  const rung = { about: 'members of client 0', step: 'record', observer: 'server', size, closed: false } as const
  const worst = { ...rung, interval: [size - 0.01, size + 0.01] as const }
  return {
    id,
    changes: id === 'as-it-is' ? [] : [{ id, words: `do ${id}` }],
    repeats: 14,
    worst,
    rungs: [worst],
    open: [],
    use: [{ model: 'linear', metric: 'R2', value: 0.5 }],
    useLost: 0,
    cost: { messages: 20, localSteps: 40 },
    epsilon: null,
    sure: 0.999,
    seconds: 3,
    ...more,
  }
}
const scenario = readScenario({ data: { name: 'cps-wages' }, models: [{ kind: 'linear' }] })
const advice = (recommended: string | null, own: readonly Tried[]): Advice => ({
  scenario,
  target: 0.05,
  budget: 300,
  asItIs: own.find(({ id }) => id === 'as-it-is')!,
  tried: own,
  front: [],
  recommended,
  confirmation: own.find(({ id }) => id === recommended) ?? own[0]!,
  unconfirmed: recommended === null ? own.map(({ id }) => id) : [],
  nearest: own[0]!.id,
  refused: [],
  complete: true,
})
const verdict = { advice: [] } as unknown as Parameters<typeof adviceLines>[0]

test('where the scenario as it is surely keeps to the target, nothing needs to change', () => {
  const fine = advice('as-it-is', [tried('as-it-is', 0.01), tried('other', 0.02)])
  expect(adviceHeadline(fine)).toBe(
    'nothing needs to change. as it is: the worst step is +0.010 (members of client 0, record); on other deals, the worst step is +0.010 (members of client 0, record) in 14 trainings, sure to 99 %; linear R2 0.500 (0.000 against now); 20.00 messages a client, 40.00 local steps',
  )
  expect(adviceLines(verdict, fine)!.join()).toContain('Nothing needs to change')
})

test('a change is told with what is left then; and where none is sure, the nearest is named and no advice given', () => {
  const both = [tried('other', 0.02), tried('as-it-is', 0.3, { sure: 0 })]
  expect(adviceHeadline(advice('other', both))).toMatch(/^do this: do other\. as it is: the worst step is \+0\.300/)
  expect(adviceHeadline(advice(null, both))).toMatch(
    /^nothing that was tried surely brings every step under 0\.05 \(on other deals it is not sure of other, as-it-is\)\. Nearest: do other\./,
  )
})

test('what nobody can ask any more is closed, and only where all of it is', () => {
  const shut = tried('other', 0, { worst: { ...tried('x', 0).worst!, closed: true } })
  expect(adviceText(advice('other', [shut, tried('as-it-is', 0.3)]))).toMatch(/other +closed/)
})
