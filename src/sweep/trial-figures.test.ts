import { expect, test } from 'vitest'
import { drawnOf } from './trial-figures.js'
import type { TrialLine } from './trial-line.js'

const drawn = (result: object | null) => drawnOf({ at: { x: 1 }, seed: 3, result } as unknown as TrialLine)
const none = { questions: [], scores: [], utility: [] }

test('a trial that failed has no figures', () => {
  expect(drawn(null)).toEqual({ at: { x: 1 }, seed: 3, figures: {} })
})

test('of steps of the same name the worst is drawn, of anything else the mean', () => {
  const union = { kind: 'attribute', name: 'union', model: 'm' }
  const { figures } = drawn({
    questions: [
      { ...union, recordStep: 0.25, clientStep: -1 },
      { ...union, recordStep: 0.75, clientStep: -3 },
      { ...union, recordStep: 0.5, clientStep: null },
      { kind: 'labels', name: null, model: null, recordStep: 2, clientStep: 0 },
    ],
    scores: [
      { attack: 'a', ...union, metric: 'AUC', value: 0.5 },
      { attack: 'a', ...union, metric: 'AUC', value: 1 },
      { attack: 'a', ...union, metric: 'AUC', value: null },
      { attack: 'b', kind: 'model', name: null, model: null, metric: null, value: 7 },
    ],
    utility: [
      { model: 'm', metric: 'R2', value: 1 },
      { model: 'm', metric: 'R2', value: 5 },
      { model: 'n', metric: 'loss', value: null },
    ],
  })
  expect(figures).toEqual({
    'attribute union, m: what records add': 0.75,
    'attribute union, m: what the client adds': -1,
    'labels: what records add': 2,
    'labels: what the client adds': 0,
    'a, attribute union, m: AUC': 0.75,
    'b, model: null': 7,
    'use, m: R2': 3,
  })
})

test('an empty result has none', () => {
  expect(drawn(none).figures).toEqual({})
})
