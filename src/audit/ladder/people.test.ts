import { expect, test } from 'vitest'
import type { AskedAttack } from './asked-results.js'
import { exposedIn, peopleIn, ratesIn } from './people.js'

const attack = (score: number | null, more: object = {}, better = 'higher') =>
  ({ answers: score === null ? [] : [{ trained: [score], better, ...more }, { trained: [99], better }] }) as unknown as AskedAttack // biome-ignore format: a line
const person = (id: string, right: boolean, sure: number | null = null) => ({ id, right, sure })
const people = (...trained: object[]) => ({ people: { trained, held: [person('h', true), person('i', false)] } })

test('who is told rightly, by the answer that does best on trained records', () => {
  expect(peopleIn([])).toBeNull()
  expect(peopleIn([attack(0.9), attack(null)])).toBeNull()
  const [one, two] = [people(person('a', true), person('b', false), person('c', true)), people(person('a', false))]
  expect(peopleIn([attack(0.9), attack(0.5, one), attack(0.4, two)])).toEqual({
    trained: { right: 2, of: 3 },
    heldBack: { right: 1, of: 2 },
    guessed: null,
  })
  expect(peopleIn([attack(0.4, one), attack(0.5, two)])!.trained).toEqual({ right: 0, of: 1 })
  expect(peopleIn([attack(0.5, one), attack(0.5, two)])!.trained.of).toBe(3)
  expect(peopleIn([attack(0.4, one, 'lower'), attack(0.5, two, 'lower')])!.trained.of).toBe(3)
  expect(peopleIn([attack(0.5, { ...one, guess: { right: 1 } })])!.guessed).toEqual({ right: 1, of: 3 })
  expect(peopleIn([attack(0.5, { ...one, guess: {} })])!.guessed).toBeNull()
})

test('the surest claims, as long as few of them are expected to be wrong', () => {
  const accused = { ids: ['x', 'y'], of: 4, sure: [0.6, 1] }
  const both = [attack(0.5, { accused }), attack(0.9, people(person('a', true, 0.99)))]
  expect(exposedIn(both)).toEqual({ ids: ['y'], of: 4, sure: [1], rehearsed: 0 })
  expect(exposedIn([])).toBeNull()
  expect(exposedIn([attack(0.5, people(person('a', true)))])).toBeNull()
  const exposed = (...sure: (number | null)[]) =>
    exposedIn([attack(0.5, people(...sure.map((p, i) => person(`${i}`, true, p))))])
  expect(exposed(0.9, 1, null, 0.95)).toEqual({ ids: ['1', '3', '0'], of: 4, sure: [1, 0.95, 0.9], rehearsed: 0 })
  expect(exposed(0.5, 1, 0.5)).toEqual({ ids: ['1'], of: 3, sure: [1], rehearsed: 0 })
  expect(exposed(0.96, 0.945)).toEqual({ ids: ['0', '1'], of: 2, sure: [0.96, 0.945], rehearsed: 0 })
  expect(exposed(0.9, 0.5)).toEqual({ ids: [], of: 2, sure: [], rehearsed: 0 })
  expect(exposed(1, 0.7, 1, 1, 1)!.ids).toHaveLength(4)
  expect(exposed(1, 0.8, 1, 1, 1)!.ids).toHaveLength(5)
})

test('claims are as sure as other trainings bear out', () => {
  const told = (sureness: object) =>
    exposedIn([
      {
        answers: [
          { trained: [0.9], better: 'higher', ...people(person('a', true, 0.999), person('b', true, 0.9)) },
          { trained: [0.9], better: 'higher', sureness },
        ],
      } as unknown as AskedAttack,
    ])
  expect(told([[6.9, 500, 500]])).toEqual({ ids: ['a'], of: 2, sure: [expect.closeTo(0.99, 1)], rehearsed: 500 })
  expect(told([[6.9, 400, 500]])).toEqual({ ids: [], of: 2, sure: [], rehearsed: 500 })
})

test('nobody is listed by an attack that is certain of everybody, unless other trainings bear it out', () => {
  const certain = people(person('a', true, 1), person('b', true, 1))
  expect(exposedIn([attack(0.9, certain)])).toBeNull()
  const answers = [{ trained: [0.9], better: 'higher', ...certain }, { sureness: [[14, 99, 99]] }]
  expect(exposedIn([{ answers } as unknown as AskedAttack])!.ids).toEqual(['a', 'b'])
})

test('members at few false alarms', () => {
  const also = (trained: object) => ({ also: { trained } })
  expect(ratesIn([attack(0.5), attack(0.6, also({ tpr1: 0.1 }))])).toBeNull()
  const rates = [attack(0.5, also({ tpr1: 0.2, tpr01: 0.1, finest: 0.01 })), attack(0.7, also({ finest: 0.02 }))]
  expect(ratesIn(rates.slice(0, 1))).toEqual({ tpr1: 0.2, tpr01: 0.1, finest: 0.01 })
  expect(ratesIn(rates)).toEqual({ tpr1: null, tpr01: null, finest: 0.02 })
})
