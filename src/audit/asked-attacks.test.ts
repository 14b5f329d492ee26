import { expect, test } from 'vitest'
import { attacks } from '../attacks/index.js'
import { askedAttacks } from './asked-attacks.js'
import { oracles } from './oracles/index.js'

const idsOf = (asked: ReturnType<typeof askedAttacks>) => asked.map(({ attack }) => attack.id)

test('all attacks are all of the table and the oracles, with their defaults', () => {
  const asked = askedAttacks({ attacks: 'all', activeRounds: 4 })
  expect(idsOf(asked)).toEqual([...Object.keys(attacks), ...Object.keys(oracles)])
  const { params } = asked.find(({ attack }) => attack.id === 'aia-model')!
  expect(params).toEqual({})
})

test('a list keeps its order and its parameters, the same attack twice included', () => {
  const asked = askedAttacks({
    activeRounds: 4,
    attacks: ['dlg', { id: 'aia-model', params: { from: 'lmra-ols' } }, 'aia-model'],
  })
  expect(idsOf(asked)).toEqual(['dlg', 'aia-model', 'aia-model'])
  expect(asked.map(({ params }) => params)).toEqual([{}, { from: 'lmra-ols' }, {}])
})

test('attacks that send are limited to the rounds that the scenario allows, unless they say their own', () => {
  const rounds = (attack: { id: string; params: Record<string, unknown> }) =>
    askedAttacks({ attacks: [attack], activeRounds: 4 })[0]!.params
  expect(rounds({ id: 'lmra-active-echo', params: {} })).toEqual({ rounds: 4 })
  expect(rounds({ id: 'lmra-active-echo', params: { rounds: 2 } })).toEqual({ rounds: 2 })
  expect(rounds({ id: 'lmra-exact', params: {} })).toEqual({})
})

test('an unknown one is answered with the nearest', () => {
  expect(() => askedAttacks({ attacks: ['model-orakle'], activeRounds: 1 })).toThrow('did you mean "model-oracle"?')
})
