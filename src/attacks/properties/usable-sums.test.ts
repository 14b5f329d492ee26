import { expect, test } from 'vitest'
import { propertyWorld } from '../../../test/property-world.js'
import { denseFromSparse } from '../../numeric/linalg/sparse.js'
import { Inapplicable } from '../attack.js'
import { clientSizes, type SumsView, sumsOf } from './usable-sums.js'

const { view } = await propertyWorld({ property: 'none', rounds: 4, N: 5, fraction: 0.4 })
const hand = (change: Partial<SumsView> = {}): SumsView => ({
  ...view,
  participation: [
    { round: 0, participants: ['b', 'a'], dropped: [] },
    { round: 1, participants: [], dropped: ['a'] },
    { round: 2, participants: ['c'], dropped: [] },
    { round: 7, participants: ['a'], dropped: [] },
  ],
  sampleCounts: [
    { id: 'd', samples: 4 },
    { id: 'c', samples: 30 },
    { id: 'b', samples: 20 },
    { id: 'a', samples: 10 },
  ],
  ...change,
})

test('rounds with a sum, a model and participants, in the order of the known clients', () => {
  const { ids, neverSeen, rounds, A, unit } = sumsOf(hand())
  expect([ids, neverSeen, rounds, unit]).toEqual([['c', 'b', 'a'], ['d'], [0, 2], 1])
  expect(Array.from(denseFromSparse(A).data)).toEqual([0, 1, 1, 1, 0, 0])
  expect(sumsOf(hand(), 1).rounds).toEqual([0])
})

test('weights by numbers of records, their mean taken out', () => {
  const protocol = { ...view.protocol, aggregateWeights: 'samples' as const }
  const { A, unit, ids } = sumsOf(hand({ protocol }))
  expect([ids, unit]).toEqual([['c', 'b', 'a'], 20])
  expect(Array.from(denseFromSparse(A).data)).toEqual([0, 1, 0.5, 1.5, 0, 0])
  const crowd = sumsOf(hand({ protocol, sampleCounts: { count: 9, samples: 5 } }))
  expect([crowd.ids, crowd.unit, crowd.neverSeen]).toEqual([['a', 'b', 'c'], 5, []])
  expect(clientSizes(hand())).toEqual([4, 30, 20, 10])
  expect(clientSizes(hand({ sampleCounts: { count: 9, samples: 7 } }))).toEqual([7])
})

test('what is lacking is said', () => {
  const protocol = { ...view.protocol, aggregateWeights: 'samples' as const }
  const { sampleCounts: _, ...without } = hand({ protocol })
  expect(() => sumsOf(without)).toThrow(Inapplicable)
  const unknown = hand({ protocol, sampleCounts: [{ id: 'a', samples: null }] })
  expect(() => sumsOf(unknown)).toThrow(/client "a" is not known/)
  expect(() => sumsOf(hand({ participation: [] }))).toThrow(/no round has a sum/)
  expect(clientSizes({ ...without })).toEqual([])
})
