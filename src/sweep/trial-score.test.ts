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

test('of several rows a step is the worst, and every other figure their mean', () => {
  const rows = (...columns: string[]) => [1, 2, 6].map((value) => Object.fromEntries(columns.map((name) => [name, value])))
  const many = {
    utility: rows('value', 'trainLoss', 'heldOutLoss'),
    questions: rows('recordStep', 'clientStep', 'record', 'client', 'federation', 'guess', 'everybody').map((row) => ({ ...row, kind: 'labels' })),
    scores: rows('value', 'lift', 'chance').map((row) => ({ ...row, attack: 'x' })),
  } as unknown as TrialResult
  const read = (name: string) => scoreReader(name, names)(many)
  expect(['labels.record', 'labels.client'].map(read)).toEqual([6, 6])
  const values = ['record', 'client', 'federation', 'guess', 'everybody'].map((rung) => `labels.${rung}.value`)
  const others = ['value', 'lift', 'chance'].map((field) => `x.${field}`)
  const utility = ['value', 'trainLoss', 'heldOutLoss'].map((field) => `utility.${field}`)
  expect([...values, ...others, ...utility].map(read)).toEqual(Array(11).fill(3))
}) // biome-ignore format: a line

test('a name without a point is no attack of one letter', () => {
  expect(() => scoreReader('value', { attacks: ['v'], kinds: [] })).toThrow('the score "value" is none')
})
