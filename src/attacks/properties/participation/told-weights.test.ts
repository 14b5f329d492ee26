import { describe, expect, test } from 'vitest'
import { propertyWorld } from '../../../../test/property-world.js'
import { type SumsView, sumsOf } from '../usable-sums.js'
import { toldWeights } from './told-weights.js'

const world = await propertyWorld({ property: 'none', rounds: 30, N: 8, fraction: 0.5, aggregateWeights: 'samples' })
const { sampleCounts, ...silent }: SumsView = world.view
const truth = sampleCounts as readonly { readonly id: string; readonly samples: number }[]

describe('weights that nobody tells', () => {
  test('follow from the totals of the sums, to the record', async () => {
    const { view, warnings } = await toldWeights<SumsView>(silent)
    expect([...(view.sampleCounts as typeof truth)].sort((a, b) => Number(a.id) - Number(b.id))).toEqual(truth)
    expect(warnings).toEqual([
      'numbers of records of 8 clients are not told: they follow from the total weights of 29 sums',
    ])
    const [found, told] = [sumsOf(view), sumsOf(world.view)]
    expect([found.ids.toSorted(), found.unit]).toEqual([told.ids.toSorted(), told.unit])
  })

  test('those that are told stay, and the order of clients with them', async () => {
    const some = truth.map(({ id, samples }, i) => ({ id, samples: i % 2 === 0 ? samples : null }))
    expect((await toldWeights({ ...silent, sampleCounts: some })).view.sampleCounts).toEqual(truth)
    const all = await toldWeights(world.view)
    expect([all.view, all.warnings]).toEqual([world.view, []])
    const same = { ...silent, protocol: { ...silent.protocol, aggregateWeights: 'one' as const } }
    expect((await toldWeights(same)).view).toBe(same)
    const alike = { ...silent, sampleCounts: { count: 8, samples: 20 } }
    expect((await toldWeights(alike)).view).toBe(alike)
  })

  test('are refused where the totals do not settle them', async () => {
    const few = { ...silent, participation: silent.participation.slice(0, 3) }
    await expect(toldWeights(few)).rejects.toThrow(/3 sums with their next models are too few/)
    const pair = silent.participation.map((one) => ({
      ...one,
      participants: one.participants.includes('0') ? [...new Set([...one.participants, 'twin'])] : one.participants,
    }))
    await expect(toldWeights({ ...silent, participation: pair })).rejects.toThrow(/leaves 1 of 9 weights open/)
    const others = silent.participation.map((one, r) => ({ ...one, participants: [String(r % 8)] }))
    await expect(toldWeights({ ...silent, participation: others })).rejects.toThrow(/which no number of records is/)
  })

  test('are refused where the next model is not the sum over its weight', async () => {
    const globals = {
      rounds: silent.globals.rounds,
      read: async (round: number) =>
        (await silent.globals.read(round)).map((value, j) => value + 0.01 * round * (j % 3)),
    }
    await expect(toldWeights({ ...silent, globals })).rejects.toThrow(/is not the sum over its total weight/)
  })
})

describe('by hand', () => {
  /** Models of three numbers, each the one before and the sum over the total weight; `off` is added to a sum, across it. */
  function told(
    rounds: readonly (readonly [participants: string, total: number])[],
    { scale = 1, off = 0, ...change }: { scale?: number; off?: number; sampleCounts?: unknown } = {},
  ): SumsView {
    const models = [Float64Array.of(1, 2, 3)]
    const sums = rounds.map(([, total], r) => {
      const step = total === 0 ? [0, 0, 0] : [r + 1, 2, -1].map((x) => x * scale)
      models.push(models[r]!.map((x, j) => x + step[j]!))
      const across = [0, step[1]! * off, 2 * step[1]! * off]
      return Float64Array.from(step, (x, j) => total * (x + across[j]!))
    })
    const numbers = rounds.map((_, r) => r)
    return {
      ...silent,
      globals: { rounds: [...numbers, rounds.length], read: async (round: number) => models[round]! },
      aggregates: {
        rounds: numbers,
        read: async (round: number) => ({ round, dThetaSum: sums[round]!, derived: false }),
      },
      participation: rounds.map(([ids], round) => ({ round, participants: [...ids], dropped: [] })),
      ...change,
    } as SumsView
  }
  const counts = async (view: SumsView) => (await toldWeights(view)).view.sampleCounts

  test('as many sums as clients do, of few records and of one', async () => {
    const found = [
      { id: 'a', samples: 1 },
      { id: 'b', samples: 5 },
    ]
    expect(
      await counts(
        told([
          ['a', 1],
          ['b', 5],
        ]),
      ),
    ).toEqual(found)
    expect(
      await counts(
        told([
          ['a', 1],
          ['ab', 6],
        ]),
      ),
    ).toEqual(found)
    expect(
      await counts(
        told([
          ['a', 1],
          ['ab', 6],
          ['b', 0],
        ]),
      ),
    ).toEqual(found) // a sum of nothing tells nothing
    await expect(counts(told([['ab', 6]]))).rejects.toThrow('1 sums with their next models are too few')
  })

  test('those that are listed keep their place, others follow', async () => {
    const listed = [
      { id: 'z', samples: null },
      { id: 'c', samples: 2 },
      { id: 'a', samples: null },
    ]
    const { view, warnings } = await toldWeights(
      told(
        [
          ['ac', 9],
          ['bc', 6],
        ],
        { sampleCounts: listed },
      ),
    )
    expect(view.sampleCounts).toEqual([
      { id: 'z', samples: null },
      { id: 'c', samples: 2 },
      { id: 'a', samples: 7 },
      { id: 'b', samples: 4 },
    ])
    expect(warnings[0]).toMatch('numbers of records of 2 clients are not told')
    const one = await toldWeights(told([['ac', 9]], { sampleCounts: listed }))
    expect(one.warnings[0]).toMatch('numbers of records of client a are not told')
  })

  test('nobody holds no records', async () => {
    await expect(
      counts(
        told([
          ['a', 3],
          ['ab', 3],
        ]),
      ),
    ).rejects.toThrow(/client b would be .* no number of records is/)
  })

  test.each([1e-6, 1, 1e6])(
    'a sum may be a thousandth of its length off the change, whatever that is: %d',
    async (scale) => {
      // The second sum is 2 off (0, 1, 2) beside (2, 2, -1), which has nothing in common with it.
      const rounds = [
        ['b', 5],
        ['a', 3],
      ] as const
      const view = (off: number) => told(rounds, { scale, off })
      expect(await counts(view(2e-4))).toHaveLength(2)
      await expect(counts(view(2e-3))).rejects.toThrow('is not the sum over its total weight')
    },
  )
})
