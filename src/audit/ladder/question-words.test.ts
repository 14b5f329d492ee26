import { expect, test } from 'vitest'
import { learnedWords, listenerOf, luckWords, severalModels, signed, stepWords, subjectOf } from './question-words.js'

const asked = (kind: string, name: string | null = null, target: string | null = '0', model: string | null = null) =>
  ({ kind, name, target, model }) as never

test('what is learned, of whom', () => {
  expect(learnedWords(asked('attribute', 'union'))).toBe('learns "union" of the people of client 0')
  expect(learnedWords(asked('members', null, null))).toBe('learns who was in the training of the clients')
  expect(learnedWords(asked('property', null, null))).toBe('learns which clients have the property "property"')
  expect(learnedWords(asked('own kind'))).toBe('learns own kind of client 0')
  expect(learnedWords(asked('own kind', 'x', null))).toBe('learns own kind "x" of the clients')
})

test('short names say the model where there are several', () => {
  expect(subjectOf(asked('attribute', 'union'))).toBe('union of client 0')
  expect(subjectOf(asked('property', 'x', null))).toBe('x of clients')
  expect(subjectOf(asked('model', null, null))).toBe('model')
  expect(subjectOf(asked('labels', null, '1', 'mlp'), true)).toBe('labels of client 1 (mlp)')
  expect(subjectOf(asked('labels', null, '1', 'mlp'))).toBe('labels of client 1')
  expect(subjectOf(asked('labels', null, '1', null), true)).toBe('labels of client 1')
  expect(severalModels([asked('a', null, null, 'x'), asked('b', null, null, 'x')])).toBe(false)
  expect(severalModels([asked('a', null, null, 'x'), asked('b', null, null, 'y')])).toBe(true)
  expect(severalModels([])).toBe(false)
})

test('who hears it', () => {
  const heard = (observer: string, target: string | null) => listenerOf({ observer, target } as never)
  expect(heard('eavesdropper', '3')).toBe('somebody on the line of client 3')
  expect(heard('eavesdropper', null)).not.toContain('line of client')
  expect(heard('server', '3')).not.toContain('client 3')
})

test('how large a step is, and how sure', () => {
  const step = (more: object) => stepWords({ effect: 0.08, interval: null, leastSeen: null, repeats: 5, ...more } as never)
  expect([signed(0.08), signed(-0.02), signed(0)]).toEqual(['+0.080', '-0.020', '+0.000'])
  expect(step({})).toBe('+0.080')
  expect(step({ interval: [0.05, 0.11] })).toBe('+0.080 (between +0.050 and +0.110)')
  expect(step({ interval: [0.05, Number.POSITIVE_INFINITY] })).toBe('+0.080 (at least +0.050)')
  expect(step({ interval: [Number.NEGATIVE_INFINITY, -0.05] })).toBe('+0.080 (at most -0.050)')
  expect(step({ interval: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] })).toBe('+0.080 (anything)')
  expect(step({ repeats: 1, leastSeen: 0.2 })).toBe('+0.080 (in this training; 0.200 would have been seen)')
  expect(luckWords({ adjusted: 0.05 } as never)).toBe('without a leak so much is seen in 5.00 % of audits')
}) // biome-ignore format: lists
