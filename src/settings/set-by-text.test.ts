import { expect, test } from 'vitest'
import '../audit/catalogue.js'
import { withSettings } from './set-by-text.js'

test.each([
  ['seed', '7', { seed: 7 }],
  ['training.rounds', '12', { training: { rounds: 12 } }],
  ['training.batchSize', 'null', { training: { batchSize: null } }],
  ['observers', 'server,eavesdropper', { observers: ['server', 'eavesdropper'] }],
  ['observers', 'server', { observers: ['server'] }],
  ['knowledge.targets', 'all', { knowledge: { targets: 'all' } }],
  ['partition', 'iid', { partition: { name: 'iid', params: {} } }],
  ['partition', '{"name":"iid","params":{"clients":4}}', { partition: { name: 'iid', params: { clients: 4 } } }],
  ['defences', '[{"name":"dp-sgd"}]', { defences: [{ name: 'dp-sgd', params: {} }] }],
])('%s=%s is read as the setting says', (id, text, expected) => {
  expect(withSettings({}, { [id]: text })).toEqual(expected)
})

test('what stands beside a setting stays, and what is no object gives way', () => {
  const before = { seed: 1, training: { rounds: 3, learningRate: 0.1 } }
  const after = withSettings(before, { 'training.rounds': '9', seed: '2' })
  expect(after).toEqual({ seed: 2, training: { rounds: 9, learningRate: 0.1 } })
  expect(before).toEqual({ seed: 1, training: { rounds: 3, learningRate: 0.1 } })
  expect(withSettings({ training: null }, { 'training.rounds': '9' })).toEqual({ training: { rounds: 9 } })
  expect(withSettings('text', { seed: '9' })).toEqual({ seed: 9 })
  expect(withSettings(null, { seed: '9' })).toEqual({ seed: 9 })
  expect(withSettings(before, {})).toBe(before)
})

test.each([
  ['sed', '7', /seed/],
  ['seed', 'seven', /seven/],
  ['partition', '{"name":', /JSON is needed/],
  ['defences', '{}', /list/],
  ['partition', 'no-such', /no-such/],
])('%s=%s is refused', (id, text, message) => {
  expect(() => withSettings({}, { [id]: text })).toThrow(message)
})
