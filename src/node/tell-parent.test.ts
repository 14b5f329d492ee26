import { expect, test } from 'vitest'
import { toldOf } from './tell-parent.js'

const told = (event: object) => toldOf(event as never)
const attacked = (more: object) => told({ kind: 'attacked', done: 1, total: 2, result: { attack: 'x', target: 'a', ...more } }) // biome-ignore format: a line
const answer = { kind: 'labels', name: null, metric: 'AUC', trained: [0.9, 1], held: [0.5, 1] }

test('what happens, in small messages', () => {
  expect(told({ kind: 'training', number: 1, total: 3 })).toEqual({ kind: 'training', number: 1, total: 3 })
  expect(told({ kind: 'round', model: 'm', round: 1, rounds: 3 })).toEqual({ kind: 'round', model: 'm', round: 1, rounds: 3 }) // biome-ignore format: a line
  expect(told({ kind: 'remark', model: 'm', text: 'so' })).toEqual({ kind: 'remark', text: 'm: so' })
  const utility = { trainLoss: 1, heldOutLoss: 2, metric: 'R2', value: 3, more: 4 }
  expect(told({ kind: 'trained', model: 'm', utility })).toEqual({
    kind: 'trained',
    trained: { model: 'm', trainLoss: 1, heldOutLoss: 2, metric: 'R2', value: 3 },
  })
})

test('what an attack found, where it was asked about trained and held-back records', () => {
  const found = (more: object) => (attacked(more) as { found: unknown }).found
  expect(attacked({})).toEqual({ kind: 'attacked', done: 1, total: 2, attack: 'x', found: null })
  expect(found({ ladder: { answers: [answer] } })).toEqual({ attack: 'x', about: 'labels of client a', metric: 'AUC', trained: 0.9, held: 0.5 }) // biome-ignore format: a line
  expect(found({ target: null, ladder: { answers: [{ ...answer, name: 'union' }] } })).toMatchObject({ about: 'union' })
  for (const change of [{ trained: [] }, { held: [] }, { trained: [Number.NaN] }, { held: [Number.POSITIVE_INFINITY] }])
    expect(found({ ladder: { answers: [{ ...answer, ...change }] } })).toBeNull()
  expect(found({ ladder: { answers: [] } })).toBeNull()
})
