import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resultWith } from '../../test/audit-results.js'
import type { AuditEvent } from '../audit/audit.js'
import { showProgress } from './show-progress.js'

const written = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
beforeEach(() => void written.mockClear())
afterEach(() => vi.useRealTimers())

/** What is written for these events, line by line, without times. */
async function shown(events: readonly object[], quiet = false): Promise<string[]> {
  vi.useFakeTimers()
  async function* all() {
    for (const event of events) {
      vi.advanceTimersByTime(60_000) // so that no line is too soon after the last
      yield event as AuditEvent
    }
  }
  await showProgress(all(), { quiet })
  const text = written.mock.calls.map(([one]) => String(one)).join('')
  return text
    .split('\n')
    .map((line) => line.replace(/ \([\d.]+\/s[^)]*\)/, ''))
    .filter((line) => line !== '')
}
const rounds = (model: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ kind: 'round', model, round: from + i, rounds: to }))
const attacked = (done: number, total: number, result = resultWith({})) => ({ kind: 'attacked', done, total, result })

test('one training has a bar of rounds for each model, and then one of attacks', async () => {
  const lines = await shown([...rounds('linear', 1, 2), ...rounds('linear', 1, 2), attacked(1, 2), attacked(2, 2)])
  expect(lines.filter((line) => line.startsWith('linear: rounds 1/2'))).toHaveLength(2)
  expect(lines).toContain('attacks 2/2 aia-model')
})

test('a bar of rounds goes on from one round to the next, and another model has a line of its own', async () => {
  written.mockClear()
  const tty = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true })
  try {
    const lines = await shown([...rounds('linear', 1, 3), ...rounds('linear', 1, 2)])
    // Each line that is rewritten is one.
    expect(lines.map((line) => line.split('\r').length - 1)).toEqual([3, 2])
  } finally {
    if (tty === undefined) delete (process.stderr as { isTTY?: boolean }).isTTY
    else Object.defineProperty(process.stderr, 'isTTY', tty)
  }
})

test('many trainings have one bar, and attacks are told of after the last', async () => {
  const training = (number: number) => [
    { kind: 'training', number, total: 2 },
    ...rounds('linear', 1, 3),
    { kind: 'trained', model: 'linear' },
    ...rounds('mlp', 1, 3),
    { kind: 'trained', model: 'mlp' },
    attacked(number, 2),
  ]
  const lines = await shown([...training(1), ...training(2)])
  expect(lines.join('\n')).not.toContain('rounds')
  expect(lines.slice(0, 3)).toEqual([
    'trainings 0/2 linear, round 1 of 3',
    'trainings 0/2 linear, round 2 of 3',
    'trainings 1/2 linear',
  ])
  expect(lines).toContain('trainings 2/2 linear')
  expect(lines.join('\n')).not.toContain('mlp')
  expect(lines.filter((line) => line.startsWith('attacks'))).toEqual(['attacks 2/2 aia-model'])
})

test('an attack that was asked tells what it found', async () => {
  const answer = { kind: 'attribute', name: 'union', metric: 'AUC', trained: [0.75, 1], held: [0.5, 1] }
  const asked = (answers: readonly object[]) => ({ ...resultWith({}), ladder: { answers } }) as never
  const last = async (answers: readonly object[]) => {
    written.mockClear()
    return (await shown([attacked(1, 1, asked(answers))])).at(-1)
  }
  expect(await last([answer])).toBe('attacks 1/1 aia-model, union: AUC 0.750 trained, 0.500 held back')
  expect(await last([{ ...answer, name: null }])).toContain('aia-model, attribute: AUC')
  expect(await last([{ ...answer, trained: [] }])).toBe('attacks 1/1 aia-model')
  expect(await last([])).toBe('attacks 1/1 aia-model')
})

test('remarks are written between, and nothing where it is to be quiet', async () => {
  const remark = { kind: 'remark', model: 'linear', text: 'a word' }
  expect(await shown([remark])).toEqual(['linear: a word'])
  written.mockClear()
  expect(await shown([remark, ...rounds('linear', 1, 2)], true)).toEqual([])
})

test('a failure of the work is thrown', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  async function* failing(): AsyncGenerator<AuditEvent> {
    throw new Error('no')
  }
  await expect(showProgress(failing(), { quiet: true })).rejects.toThrow('no')
})
