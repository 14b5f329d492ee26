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
    expect(warnings).toEqual([expect.stringMatching(/^numbers of records of 8 clients are not told: .* of \d+ sums$/)])
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
