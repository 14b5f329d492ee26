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
  const accused = { ids: ['x'], of: 4 }
  expect(exposedIn([attack(0.5, { accused }), attack(0.9, people(person('a', true, 1)))])).toBe(accused)
  expect(exposedIn([])).toBeNull()
  expect(exposedIn([attack(0.5, people(person('a', true)))])).toBeNull()
  const exposed = (...sure: (number | null)[]) =>
    exposedIn([attack(0.5, people(...sure.map((p, i) => person(`${i}`, true, p))))])
  expect(exposed(0.9, 1, null, 0.95)).toEqual({ ids: ['1', '3', '0'], of: 4 })
  expect(exposed(0.5, 1, 0.5)).toEqual({ ids: ['1'], of: 3 })
  expect(exposed(0.96, 0.945)).toEqual({ ids: ['0', '1'], of: 2 })
  expect(exposed(0.9, 0.5)).toEqual({ ids: [], of: 2 })
  expect(exposed(1, 0.7, 1, 1, 1)!.ids).toHaveLength(4)
  expect(exposed(1, 0.8, 1, 1, 1)!.ids).toHaveLength(5)
})

test('members at few false alarms', () => {
  const also = (trained: object) => ({ also: { trained } })
  expect(ratesIn([attack(0.5), attack(0.6, also({ tpr1: 0.1 }))])).toBeNull()
  const rates = [attack(0.5, also({ tpr1: 0.2, tpr01: 0.1, finest: 0.01 })), attack(0.7, also({ finest: 0.02 }))]
  expect(ratesIn(rates.slice(0, 1))).toEqual({ tpr1: 0.2, tpr01: 0.1, finest: 0.01 })
  expect(ratesIn(rates)).toEqual({ tpr1: null, tpr01: null, finest: 0.02 })
})
