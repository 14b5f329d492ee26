import { expect, test } from 'vitest'
import type { TrialResult } from './trial-result.js'
import { scoreReader } from './trial-score.js'

const result = {
  utility: [{ value: 1, trainLoss: 4, heldOutLoss: null }, { value: 3 }],
  questions: [
    { kind: 'attribute', recordStep: -2, record: 1 },
    { kind: 'attribute', recordStep: 5, record: 2, clientStep: null },
    { kind: 'labels', recordStep: 7 },
  ],
  scores: [
    { attack: 'x', value: 1, lift: 0 },
    { attack: 'x', value: 2 },
    { attack: 'y', value: 30 },
  ],
} as unknown as TrialResult
const names = { attacks: ['x', 'y'], kinds: ['attribute', 'labels'] }

test.each([
  ['utility.value', 2],
  ['utility.trainLoss', 4],
  ['utility.heldOutLoss', null],
  ['attribute.record', 5],
  ['attribute.record.value', 1.5],
  ['attribute.client', null],
  ['attribute.guess.value', null],
  ['labels.record', 7],
  ['x.value', 1.5],
  ['x.lift', 0],
  ['x.chance', null],
  ['y.value', 30],
])('%s is %j', (name, value) => {
  expect(scoreReader(name, names)(result)).toBe(value)
})

test.each(['utility.lift', 'attribute.value', 'x.record', 'z.value', 'value', '.value', 'attribute'])('%s is no score', (name) => {
  expect(() => scoreReader(name, names)).toThrow(`the score "${name}" is none`)
}) // biome-ignore format: a list
