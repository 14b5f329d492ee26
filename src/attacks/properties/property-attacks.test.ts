import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { truthOf } from '../../../test/hand-truth.js'
import { f1Of, propertyWorld } from '../../../test/property-world.js'
import { detailsOf } from '../../../test/regression-view.js'
import type { AnyView, Attack, Claimed, Outcome } from '../attack.js'
import type { PropertyOfClient } from '../claim.js'
import { attacks } from '../index.js'

const ids = ['disaggregation', 'property-ols', 'property-reg', 'prolin', 'property-blup', 'property-posterior'] as const
const quick = { pairs: 16, curve: 0 }
/** As published: who is beyond the threshold is accused. */
const published = { 'property-blup': 'f1', 'property-posterior': 'fdr' } as const
const accusing = (id: string) => ({
  ...quick,
  decision: id in published ? published[id as keyof typeof published] : 'paper',
})
const ranking = ({ probability, score }: PropertyOfClient): number => probability ?? score!
const of = (id: string): Attack => attacks[id]!

function scored(outcome: Outcome, guilty: readonly string[]) {
  const { clients } = only(outcome, 'property')
  const having = clients.map(({ id }) => guilty.includes(id))
  return {
    clients,
    f1: f1Of(
      clients.map(({ positive }) => positive),
      having,
    ),
    having,
  }
}
const claimedOf = (outcome: Outcome): Claimed => {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  return outcome
}
const control = async (kind: 'plant' | 'shuffle', attack: Attack, input: object): Promise<AnyView> => {
  const make = attack[kind]
  if ('none' in make) throw new Error(make.none)
  return (await make(input as never)).view
}

const inverted = await propertyWorld({ property: 'inversion' })
const honest = await propertyWorld({ property: 'none', seed: 5 })

describe.each(ids)('%s', (id) => {
  test('finds clients who return the opposite', async () => {
    const outcome = await attackOn(of(id), inverted.view, { params: accusing(id) })
    const { f1, clients } = scored(outcome, inverted.guilty)
    expect(clients.length).toBe(12)
    expect(f1).toBeGreaterThan(id === 'disaggregation' ? 0.5 : 0.79)
    const probable = clients.filter(({ probability }) => probability !== null && probability >= 0 && probability <= 1)
    expect(probable.length).toBe(id === 'property-posterior' ? 12 : 0)
  })

  test('accuses nobody unless it has probabilities, and nobody where nobody is guilty', async () => {
    const view = { ...honest.view, property: { name: 'inversion' } }
    const innocent = only(await attackOn(of(id), view, { params: quick }), 'property')
    expect(innocent.clients.filter(({ positive }) => positive)).toEqual([])
    if (id === 'property-posterior') return
    const guilty = only(await attackOn(of(id), inverted.view, { params: quick }), 'property')
    expect(guilty.ranksOnly).toBe(true)
    expect(guilty.clients.filter(({ positive }) => positive)).toEqual([])
  })

  test('finds what is planted, and nothing among strangers', async () => {
    const view = { ...honest.view, property: { name: 'inversion' } }
    const truth = truthOf({ properties: { inversion: ['3', '7'] } })
    const { rng } = contextFor({ seed: 9 })
    const planted = await control('plant', of(id), { view, truth, rng, params: quick })
    const found = scored(await attackOn(of(id), planted, { params: accusing(id) }), ['3', '7'])
    expect(found.f1).toBeGreaterThan(id === 'disaggregation' || id === 'property-ols' ? 0.79 : 0.99)
    if (id === 'property-posterior') {
      for (const [i, { probability }] of found.clients.entries()) {
        expect(found.having[i] ? probability! > 0.97 : probability! < 0.01).toBe(true)
      }
    }
    let sum = 0
    for (let k = 0; k < 3; k++) {
      const params = { ...accusing(id), pairs: 8, rounds: 20 }
      const shuffled = await control('shuffle', of(id), { view: inverted.view, rng: rng.fork(k), params })
      sum += scored(await attackOn(of(id), shuffled, { params }), inverted.guilty).f1 / 3
    }
    // The best constant reaches 2 / 7 for 2 of 12.
    expect(sum).toBeLessThan(0.5)
  })

  test('needs a truth to plant', async () => {
    const input = { view: inverted.view, truth: truthOf(), rng: contextFor().rng, params: quick }
    await expect(control('plant', of(id), input)).rejects.toThrow(/does not say who has "inversion"/)
  })

  test('needs to be told what to look for', async () => {
    const { property: _, ...view } = inverted.view
    const outcome = await attackOn(of(id), view, { params: quick })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['property'] })
    const told = await attackOn(of(id), view, { params: { ...quick, property: 'inversion', rounds: 2 } })
    expect(told.status).toBe('claimed')
    await expect(attackOn(of(id), { ...view, property: { name: 'height' } }, { params: quick })).rejects.toThrow(
      /unknown property: "height"/,
    )
  })

  test('gives the same claim for the same seed', async () => {
    const params = { ...quick, rounds: 6, pairs: 8 }
    const [a, b] = [
      await attackOn(of(id), inverted.view, { params }),
      await attackOn(of(id), inverted.view, { params }),
    ]
    expect(a).toEqual(b)
  })
})

describe('properties', () => {
  test('ascent, bounded', async () => {
    const { view, guilty } = await propertyWorld({ property: 'ascent', misbehaviour: { maxNorm: 2 } })
    expect(scored(await attackOn(of('property-reg'), view, { params: accusing('reg') }), guilty).f1).toBe(1)
  })

  test('membership of a record that stands out', async () => {
    const { view, guilty } = await propertyWorld({ property: 'membership', rounds: 40, size: 10 })
    const outcome = await attackOn(of('property-posterior'), view, { params: { ...quick, pairs: 40 } })
    const { clients, having } = scored(outcome, guilty)
    const worst = Math.min(...clients.filter((_, i) => having[i]).map(ranking))
    const best = Math.max(...clients.filter((_, i) => !having[i]).map(ranking))
    expect(worst).toBeGreaterThan(best)
  })

  test('membership wants the record', async () => {
    const { candidates: _, ...view } = inverted.view
    const params = { ...quick, property: 'membership' }
    const outcome = await attackOn(of('property-reg'), view, { params })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['candidates', 'candidates.label'] })
    const beyond = { ...inverted.view, property: { name: 'membership', record: 3 } }
    expect(await attackOn(of('property-reg'), beyond, { params })).toMatchObject({ missing: ['candidate 3'] })
    const other = { ...inverted.view, candidates: { ...inverted.view.candidates!, columns: ['y'] } }
    expect((await attackOn(of('property-reg'), other, { params })).status).toBe('not-applicable')
  })

  test('weights by records, clients of different sizes', async () => {
    const { view, guilty } = await propertyWorld({ property: 'inversion', aggregateWeights: 'samples' })
    for (const id of ['property-posterior', 'property-reg']) {
      const { clients } = scored(await attackOn(of(id), view, { params: quick }), guilty)
      const ranked = [...clients].sort((x, y) => ranking(y) - ranking(x)).map((one) => one.id)
      expect(ranked.slice(0, guilty.length).sort()).toEqual([...guilty].sort())
      // It is not sure of both, and accuses nobody wrongly.
      expect(clients.filter((one) => one.positive && !guilty.includes(one.id))).toEqual([])
    }
    const { sampleCounts: _, ...without } = view
    const untold = await attackOn(of('property-reg'), without, { params: quick })
    expect(untold).toMatchObject({ warnings: [expect.stringMatching(/follow from the total weights of \d+ sums/)] })
    const { clients } = scored(untold, guilty)
    const ranked = [...clients].sort((x, y) => ranking(y) - ranking(x)).map((one) => one.id)
    expect(ranked.slice(0, guilty.length).sort()).toEqual([...guilty].sort())
    const early = { ...without, participation: without.participation.slice(0, 5) }
    expect(await attackOn(of('property-reg'), early, { params: quick })).toMatchObject({ missing: ['sampleCounts'] })
  })

  test('without their numbers of records a made-up client needs one', async () => {
    const { sampleCounts: _, ...view } = inverted.view
    expect(await attackOn(of('property-reg'), view, { params: quick })).toMatchObject({ missing: ['sampleCounts'] })
    const told = await attackOn(of('property-reg'), view, { params: { ...accusing('reg'), records: 20 } })
    expect(scored(told, inverted.guilty).f1).toBeGreaterThan(0.79)
    expect(await attackOn(of('property-reg'), view, { params: { ...quick, records: 401 } })).toMatchObject({
      missing: ['401 auxiliary records'],
    })
  })

  test.each(ids)('several features a round: %s', async (id) => {
    const params = { ...accusing(id), pairs: 24, features: 3 }
    const outcome = await attackOn(of(id), inverted.view, { params })
    const { f1, clients, having } = scored(outcome, inverted.guilty)
    expect(f1).toBeGreaterThan(id === 'disaggregation' ? 0.5 : 0.79)
    const worst = Math.min(...clients.filter((_, i) => having[i]).map(ranking))
    expect(clients.filter((one, i) => !having[i] && ranking(one) > worst)).toEqual([])
    const one = await attackOn(of(id), inverted.view, { params: { ...params, features: 1 } })
    expect(scored(one, inverted.guilty).clients).not.toEqual(clients)
  })

  test('PROLIN as published, by steps', async () => {
    const params = { ...accusing('prolin'), solver: 'mtadam', steps: 300 }
    expect(scored(await attackOn(of('prolin'), inverted.view, { params }), inverted.guilty).f1).toBeGreaterThan(0.6)
    const code = { ...accusing('prolin'), likelihood: 'code' }
    expect(scored(await attackOn(of('prolin'), inverted.view, { params: code }), inverted.guilty).f1).toBeGreaterThan(
      0.6,
    )
  })

  test('and with its losses as they are printed, which only steps can follow', async () => {
    const printed = { ...accusing('prolin'), losses: 'printed' }
    await expect(attackOn(of('prolin'), inverted.view, { params: printed })).rejects.toThrow('ask for solver=mtadam')
    const losses: (readonly number[])[] = []
    for (const one of [printed, accusing('prolin')]) {
      const outcome = await attackOn(of('prolin'), inverted.view, { params: { ...one, solver: 'mtadam', steps: 300 } })
      losses.push(Object.values(detailsOf(outcome).losses as Record<string, number>))
    }
    // Each sum is asked of every client by itself: nothing comes near to it.
    expect(losses[0]!.at(-1)).toBeGreaterThan(10 * losses[1]!.at(-1)!)
  })
})

describe('what is said beside a claim', () => {
  test('a curve a client, and the round after which it was exposed', async () => {
    const outcome = await attackOn(of('property-posterior'), inverted.view, { params: { ...quick, curve: 8 } })
    const { rounds, probability, above, exposedAt, lastBelow } = only(outcome, 'property').exposure!
    expect(rounds).toEqual([4, 9, 14, 19, 24, 29, 34, 39])
    expect(above).toBe(0.95)
    expect(Object.keys(exposedAt).sort()).toEqual(inverted.guilty)
    for (const [id, round] of Object.entries(exposedAt)) {
      const at = rounds.indexOf(round)
      const curve = probability[id]!
      expect(curve.slice(at).every((p) => p > 0.95)).toBe(true)
      expect(lastBelow[id]).toBe(at === 0 ? null : rounds[at - 1])
      if (at > 0) expect(curve[at - 1]).toBeLessThanOrEqual(0.95)
    }
  })

  test('no curve of what is no probability', async () => {
    const outcome = await attackOn(of('property-ols'), inverted.view, { params: { ...quick, curve: 8 } })
    expect(only(outcome, 'property')).not.toHaveProperty('exposure')
  })

  test('who can never be told apart', async () => {
    const participation = inverted.view.participation.map((one) => {
      const others = one.participants.filter((id) => id !== '4' && id !== '5')
      return { ...one, participants: others.length < one.participants.length ? [...others, '4', '5'] : others }
    })
    const view = { ...inverted.view, participation }
    const { details, warnings } = claimedOf(await attackOn(of('property-reg'), view, { params: quick }))
    expect(details.inseparable).toEqual(['4', '5'])
    expect(details.rank).toBe(11)
    expect(warnings).toContain('always in the same rounds: 4, 5')
    const few = claimedOf(await attackOn(of('property-reg'), view, { params: { ...quick, rounds: 5 } }))
    expect(few.warnings[0]).toMatch(/^5 sums cannot separate 9 clients/)
  })

  test.each(ids)('%s refuses sums that hold all clients alike, and no others', async (id) => {
    const { participation } = inverted.view
    const everybody = [...new Set(participation.flatMap(({ participants }) => participants))]
    const all = participation.map((one) => ({ ...one, participants: everybody }))
    expect(await attackOn(of(id), { ...inverted.view, participation: all }, { params: quick })).toEqual({
      status: 'not-applicable',
      missing: ['rounds without some client'],
      why: 'it lacks rounds without some client: sums tell their total only',
    })
    // One round without one client is enough for something to be said of it.
    const [first, ...others] = all
    const one = [{ ...first!, participants: everybody.slice(1) }, ...others]
    const view = { ...inverted.view, participation: one }
    expect((await attackOn(of(id), view, { params: { ...quick, rounds: 3 } })).status).toBe('claimed')
  })

  test('sums that no made-up client could have returned', async () => {
    const { aggregates } = inverted.view
    const loud = {
      ...aggregates,
      read: async (round: number) => {
        const one = await aggregates.read(round)
        return { ...one, dThetaSum: one.dThetaSum.map((x) => 50 * x) }
      },
    }
    const { warnings } = claimedOf(
      await attackOn(of('property-reg'), { ...inverted.view, aggregates: loud }, { params: quick }),
    )
    expect(warnings.join()).toMatch(/far from anything the made-up clients return/)
  })

  test('no model, no rate, no rounds', async () => {
    const opaque = { ...inverted.view, model: { kind: 'opaque' as const } }
    expect(await attackOn(of('prolin'), opaque, { params: quick })).toMatchObject({ missing: ['model'] })
    const protocol = { ...inverted.view.protocol, learningRate: null }
    expect(await attackOn(of('prolin'), { ...inverted.view, protocol }, { params: quick })).toMatchObject({
      missing: ['learningRate'],
    })
    const silent = { ...inverted.view, participation: [] }
    expect(await attackOn(of('prolin'), silent, { params: quick })).toMatchObject({ missing: ['aggregates'] })
  })
})

describe('free-rider', () => {
  test.each([
    ['zero', 0],
    ['noise', 0.05],
    ['noise', 5],
    ['stale', 0],
  ] as const)('finds riders who return %s (%d)', async (update, noiseStd) => {
    const misbehaviour = { update, noiseStd }
    const { view, guilty } = await propertyWorld({
      property: 'free-rider',
      misbehaviour,
      rounds: 60,
      learningRate: 0.02,
    })
    const { property: _, ...rest } = view
    const params = { ...quick, riding: update, pairs: 30 }
    const { clients, having } = scored(await attackOn(of('free-rider'), rest, { params }), guilty)
    const scores = (is: boolean) => clients.filter((_, i) => having[i] === is).map(ranking)
    const wins = scores(true).flatMap((a) => scores(false).map((b) => (a > b ? 1 : a === b ? 0.5 : 0)))
    expect(wins.reduce((sum: number, x) => sum + x, 0) / wins.length).toBeGreaterThan(0.85)
  })
})

test('riders of any kind are looked for unless told', async () => {
  const { view, guilty } = await propertyWorld({ property: 'free-rider', rounds: 50, learningRate: 0.02 })
  const shares: number[] = []
  const params = { ...quick, pairs: 30, sweeps: 100, maxSweeps: 800 }
  const outcome = claimedOf(
    await attackOn(of('free-rider'), view, { params, onShare: (share) => void shares.push(share) }),
  )
  expect(shares).toEqual(shares.toSorted((a, b) => a - b)) // a third for each kind
  for (const third of [0, 1, 2]) expect(shares.some((s) => s > third / 3 && s < (third + 1) / 3)).toBe(true)
  const { clients } = only(outcome, 'property')
  const first = [...clients].sort((a, b) => ranking(b) - ranking(a)).map(({ id }) => id)
  expect(first.slice(0, 2).sort()).toEqual(guilty)
  expect(Object.keys(outcome.details)).toEqual(['fitting', 'zero', 'noise', 'stale'])
  expect(outcome.details.fitting).toContain('zero')
})

test('where nobody rides nobody is accused', async () => {
  const { view } = await propertyWorld({ property: 'none', rounds: 50, learningRate: 0.02, seed: 12 })
  const params = { ...quick, sweeps: 100, maxSweeps: 800 }
  const { clients } = only(await attackOn(of('free-rider'), view, { params }), 'property')
  expect(clients.filter(({ positive }) => positive)).toEqual([])
})

test('clients whose labels are wrong', async () => {
  const { view, guilty } = await propertyWorld({ property: 'mislabelled', learningRate: 0.05 })
  const { clients, having } = scored(await attackOn(of('property-posterior'), view, { params: quick }), guilty)
  const least = Math.min(...clients.filter((_, i) => having[i]).map(ranking))
  expect(clients.filter((one, i) => !having[i] && ranking(one) > least).length).toBeLessThan(2)
})

describe('contribution', () => {
  test('ranks those who pull back below those who help', async () => {
    const outcome = await attackOn(of('contribution'), inverted.view)
    const { clients } = only(outcome, 'contribution')
    const order = [...clients].sort((a, b) => a.score - b.score).map(({ id }) => id)
    expect(order.slice(0, 2).sort()).toEqual(inverted.guilty)
    expect(claimedOf(outcome).details.rank).toBe(12)
  })

  test('falls to chance among strangers', async () => {
    const { rng } = contextFor()
    let sum = 0
    for (let k = 0; k < 6; k++) {
      const view = await control('shuffle', of('contribution'), { view: inverted.view, rng: rng.fork(k), params: {} })
      const { clients } = only(await attackOn(of('contribution'), view), 'contribution')
      const order = [...clients].sort((a, b) => a.score - b.score).map(({ id }) => id)
      sum += order.slice(0, 2).filter((id) => inverted.guilty.includes(id)).length / 12
    }
    expect(sum).toBeLessThan(0.6)
  })
})

describe('where nobody says who took part', () => {
  const windowsOf = (view: typeof inverted.view, every: number) =>
    Array.from({ length: Math.ceil(view.participation.length / every) }, (_, k) => {
      const within = view.participation.slice(k * every, (k + 1) * every)
      const ids = [...new Set(view.participation.flatMap(({ participants }) => participants))].sort()
      const countOf = (id: string) => within.filter(({ participants }) => participants.includes(id)).length
      return {
        from: within[0]!.round,
        to: within.at(-1)!.round,
        clients: Object.fromEntries(ids.map((id) => [id, countOf(id)])),
      }
    })

  test('sums and counts do where updates repeat', async () => {
    const slow = await propertyWorld({ property: 'inversion', learningRate: 1e-4, rounds: 60 })
    const { participation: _, ...silent } = slow.view
    const view = { ...silent, turnCounts: windowsOf(slow.view, 5) }
    const params = { ...quick, decision: 'paper' }
    const outcome = claimedOf(await attackOn(of('property-ols'), view, { params }))
    expect(outcome.details.participants).toBe('reconstructed')
    expect(outcome.warnings).toContain('who took part is reconstructed from the sums, and not told')
    const told = scored(await attackOn(of('property-ols'), slow.view, { params }), slow.guilty)
    expect(scored(outcome, slow.guilty).f1).toBeGreaterThanOrEqual(told.f1 - 0.01)
    expect(told.f1).toBeGreaterThan(0.79)
  })

  test('nothing is claimed without counts, or where the sums do not show it', async () => {
    const { participation: _, ...silent } = inverted.view
    expect(await attackOn(of('property-ols'), silent, { params: quick })).toMatchObject({ missing: ['participation'] })
    expect(await attackOn(of('contribution'), silent, { params: quick })).toMatchObject({ missing: ['participation'] })
    const strange = { ...inverted.view, aggregates: honest.view.aggregates }
    const { participation: __, ...deaf } = strange
    const view = { ...deaf, turnCounts: windowsOf(inverted.view, 10) }
    expect(await attackOn(of('property-ols'), view, { params: quick })).toMatchObject({
      missing: ['participation'],
      why: expect.stringContaining('clients that do not exist'),
    })
    await expect(control('shuffle', of('property-ols'), { view: silent, params: quick })).rejects.toThrow(
      'who took part',
    )
  })
})

test('shows how the features lie in every round: those of clients with the property apart from the others', async () => {
  const outcome = await attackOn(of('property-ols'), inverted.view, { params: quick })
  const { property, rounds } = claimedOf(outcome).workings!.features!
  expect(property).toBe('inversion')
  expect(rounds.length).toBeLessThanOrEqual(60)
  for (const { having, lacking, overlap, heard } of rounds) {
    expect(having.mean).toBeGreaterThan(lacking.mean)
    expect(Math.min(having.deviation, lacking.deviation)).toBeGreaterThan(0)
    expect(overlap).toBeLessThan(0.5)
    // A mean over some of both kinds lies about them.
    const wide = 3 * (having.deviation + lacking.deviation) + having.mean - lacking.mean
    expect(Math.abs(heard - (having.mean + lacking.mean) / 2)).toBeLessThan(wide)
  }
  const listed = rounds.map(({ overlap }) => overlap)
  const { overlap } = claimedOf(outcome).details as { overlap: number[] }
  for (const [k, one] of listed.entries()) expect(Math.abs(one - overlap[k]!)).toBeLessThan(1e-3)
})
