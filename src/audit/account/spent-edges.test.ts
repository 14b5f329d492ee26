import { expect, test } from 'vitest'
import { epsilonBounds } from '../../accounting/loss-bounds.js'
import { gaussianMuSquared } from '../../accounting/mechanism.js'
import { rdpEpsilon } from '../../accounting/rdp-account.js'
import type { Privacy } from '../../transcript/manifest.js'
import { claimsTooLittle, showsMore } from './promise.js'
import type { Setup } from './setup.js'
import { clientSteps, clientsSpent, spentBy } from './spent.js'
import { beside, claimText, meaning, relationText } from './spent-words.js'

const privacy: Privacy = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 2, sampleRate: null, delta: 1e-5 }
const setup = (more: Partial<Setup> = {}, dp: Partial<Privacy> = {}): Setup => ({
  ...{ from: 'transcript', clients: [{ id: 'a', records: 70, turns: 6 }], rounds: 10, participants: null },
  ...{ privacy: { ...privacy, ...dp }, secureAggregation: false, batchSize: null, localEpochs: 1, localSteps: null },
  ...{ dropLast: false, share: 'parameters', model: { kind: 'linear', parameters: 4 }, loss: 'mse', raw: {} },
  ...more,
})

test('Poisson batches have no bound by Rényi divergences where a record is replaced; all records in every step have one', () => {
  const of = (neighbours: 'replace' | 'add-remove', sampleRate: number, kind: 'gaussian' | 'fixed-size' = 'gaussian') =>
    spentBy([{ kind, noiseMultiplier: 2, sampleRate, steps: 1 }], { delta: 1e-3, neighbours }).renyi !== null
  expect([of('replace', 0.5), of('replace', 1), of('add-remove', 0.5), of('add-remove', 1)]).toEqual([false, true, true, true]) // biome-ignore format: a line
  expect(of('replace', 0.5, 'fixed-size')).toBe(true)
})

test('the advantage on noise that clients share is the lesser of two bounds by its divergence', () => {
  const of = (noiseMultiplier: number, turns: number) => {
    const shared = setup({ clients: [{ id: 'a', records: null, turns }] }, { mechanism: 'distributed-dp', unit: 'client', noiseMultiplier }) // biome-ignore format: a line
    const longer = { kind: 'gaussian', noiseMultiplier: noiseMultiplier / 1.01, sampleRate: 1, steps: turns } as const
    const divergence = gaussianMuSquared(longer, 'add-remove')! / 2
    return [clientsSpent(shared)[0]!.advantage, Math.sqrt(divergence / 2), Math.sqrt(1 - Math.exp(-divergence))]
  }
  const [little, pinsker, other] = of(20, 1)
  expect(little).toBeCloseTo(pinsker!, 14)
  expect(pinsker).toBeLessThan(other!)
  const [much, above, huber] = of(1, 4)
  expect(much).toBeCloseTo(huber!, 14)
  expect(huber).toBeLessThan(above!)
})

test('a delta lies between nothing and everything', () => {
  for (const delta of [0, 1, 1.5, -1e-5, Number.NaN]) expect(() => clientsSpent(setup({}, { delta }))).toThrow(`delta is ${delta}`) // biome-ignore format: a line
  expect(clientsSpent(setup(), 0.5)[0]!.delta).toBe(0.5)
  expect(() => clientsSpent(setup(), 1)).toThrow('delta is 1')
})

test('clients alike in what they go through have one account, with their own turns and steps', () => {
  const clients = ['a', 'b', 'c'].map((id, i) => ({ id, records: 70, turns: i === 2 ? 3 : 2 }))
  const [c, a, b] = clientsSpent(setup({ clients, localEpochs: 4 }))
  expect([c, a, b].map((one) => [one!.client, one!.turns, one!.steps])).toEqual([['c', 3, 12], ['a', 2, 8], ['b', 2, 8]]) // biome-ignore format: a line
  expect(a!.epsilon).toBe(b!.epsilon)
  expect(c!.epsilon.upper).toBeGreaterThan(a!.epsilon.upper)
  const mechanism = { kind: 'gaussian', noiseMultiplier: 2, sampleRate: 1, steps: 8 } as const
  expect(a!.renyi).toEqual(rdpEpsilon([mechanism], 1e-5, { neighbours: 'add-remove' }))
  expect(a!.epsilon.upper).toBeCloseTo(epsilonBounds([mechanism], 1e-5).upper, 3)
})

test('a client that moves one node of a tree has all of the noise, and the neighbours that are stated', () => {
  const tree = (participants: string[][], neighbours?: Privacy['neighbours']) =>
    clientSteps(setup({ participants }, { mechanism: 'dp-ftrl', unit: 'client', ...(neighbours && { neighbours }) }), { id: 'a', records: 7, turns: 1 }) // biome-ignore format: a line
  expect(tree([['a']])).toMatchObject({ neighbours: 'add-remove', mechanism: { noiseMultiplier: 2, steps: 1 } })
  expect(tree([['b'], ['b'], ['a']], 'replace')).toMatchObject({ neighbours: 'replace', mechanism: { noiseMultiplier: 2, steps: 1 } }) // biome-ignore format: a line
  expect(tree([['b']]).mechanism).toMatchObject({ noiseMultiplier: 2, steps: 0 })
})

test('promises are broken by less than what is spent at the least, or by more shown than at the most', () => {
  const bounds = { lower: 1, upper: 2 }
  expect([0.99, 1, 3].map((claimed) => claimsTooLittle(claimed, bounds))).toEqual([true, false, false])
  expect([claimsTooLittle(null, bounds), claimsTooLittle(0, null)]).toEqual([false, false])
  expect([1.9, 2, 2.01].map((shown) => showsMore(shown, bounds))).toEqual([false, false, true])
  expect(claimText(null, bounds)).toEqual([])
  expect(claimText(1, bounds)).toEqual(['epsilon 1 is claimed, and kept'])
  expect(claimText(0.5, bounds)).toEqual(['BROKEN PROMISE: epsilon 0.5 is claimed, at least 1 to 2 is spent'])
  expect(beside(1.5, bounds).sentence).toBe('canaries show an epsilon of at least 1.5: no more than the 2 that is accounted for') // biome-ignore format: a line
})

test('an advantage is rounded up to a tenth of a percentage point, and not by what rounding has made', () => {
  const points = (advantage: number) =>
    meaning({ neighbours: 'add-remove', delta: 1e-5, epsilon: { lower: 1, upper: 1 }, renyi: null, advantage }, 'record').match(/at most (\S+) percentage/)![1] // biome-ignore format: a line
  expect([0.1, 0.10000000001, 0.10001, 0.3, 0].map(points)).toEqual(['10', '10', '10.1', '30', '0'])
  const text = meaning({ neighbours: 'add-remove', delta: 1e-5, epsilon: { lower: 1, upper: 1 }, renyi: null, advantage: 0 }, 'record') // biome-ignore format: a line
  expect(text).toContain('whether a record was in the training')
  expect(relationText('replace', 'client')).toBe('one client replaced by another')
})
