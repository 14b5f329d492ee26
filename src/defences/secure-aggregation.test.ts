import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../test/attack-context.js'
import { halving, noisySum } from '../../test/federation-hooks.js'
import { f1Of, propertyWorld } from '../../test/property-world.js'
import { disk } from '../../test/simulated-disk.js'
import { smallPopulation, smallSpec } from '../../test/small-federation.js'
import { attacks } from '../attacks/index.js'
import { type FederationRound, federate, runToEnd } from '../federation/federate.js'
import type { Defence } from '../federation/hooks.js'
import { inlinePool } from '../federation/pool.js'
import { heldPopulation } from '../federation/population.js'
import { recordFederation } from '../federation/record.js'
import type { Turn } from '../federation/turn.js'
import { changeSum } from '../federation/updates.js'
import { parametersOf } from '../models/index.js'
import { nativePrimitives } from '../node/threads/native-primitives.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { norm } from '../numeric/linalg/vector.js'
import { rng } from '../numeric/random/rng.js'
import { grant } from '../threat/grant.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { createDefence, type DefenceSpec, defences } from './index.js'
import { type SecureAggregationOptions, secureAggregation } from './secure-aggregation.js'

const primitives = nativePrimitives()

describe('in a federation', () => {
  test.each([
    ['malicious', 'one'],
    ['malicious', 'samples'],
    ['honest-but-curious', 'one'],
    ['honest-but-curious', 'samples'],
  ] as const)(
    'the sum is the plain one to the quantisation, a %s server, weights %s',
    async (server, aggregateWeights) => {
      const spec = { ...smallSpec, aggregateWeights, rounds: 3 }
      const sums: number[] = []
      const defence = secureAggregation({
        primitives,
        server,
        bits: 22,
        onSum: ({ round, survivors }) => sums.push(10 * round + survivors.length),
      })
      const pool = inlinePool(spec, { population: smallPopulation })
      for await (const round of federate(spec, { population: smallPopulation, defences: [defence] })) {
        const { round: at, global, learningRate } = round
        expect(round.updates.size).toBe(0)
        // What the clients would have sent, played once more.
        const turns = round.participants.map((id): Turn => {
          return { round: at, client: smallPopulation.indexOf(id)!, theta: global }
        })
        const parts = { global, weights: [...round.weights.values()], learningRate }
        const plain = changeSum(await pool.train(turns), parts)
        const most = Math.max(...round.weights.values())
        const bound = (3 * most * (server === 'malicious' ? 16 : 8)) / ((1 << 22) - 1) // a level, or half of one
        for (const [j, x] of plain.entries()) expect(Math.abs(round.aggregate![j]! - x)).toBeLessThanOrEqual(bound)
        const W = parts.weights.reduce((sum, w) => sum + w, 0)
        expect(round.next).toEqual(round.global.map((x, j) => x + round.aggregate![j]! / W))
      }
      expect(sums).toEqual([3, 13, 23])
    },
  )

  test('gives the same bits in every run: masks leave no trace', async () => {
    const run = async () => {
      const defence = secureAggregation({ primitives })
      const thetas: Float64Array[] = []
      for await (const { next } of federate(smallSpec, { population: smallPopulation, defences: [defence] })) {
        thetas.push(next)
      }
      return thetas
    }
    expect(await run()).toEqual(await run())
  })

  test.each([
    ['malicious', 0.05, 0],
    ['malicious', 0.35, 0.1], // some rounds have no sum
    ['honest-but-curious', 0.35, 0.1],
  ] as const)('gives the same rounds openly, with nothing secret: a %s server, %f vanish, %f late', async (...of) => {
    const [server, dropouts, lateProb] = of
    const spec = { ...smallSpec, dropouts, rounds: 12, seed: 3 }
    const whole = secureAggregation({ primitives, server, lateProb })
    const open = { ...whole, exchange: whole.exchange!.openly!() }
    const played = async (defence: Defence) => {
      const rounds: unknown[] = []
      for await (const round of federate(spec, { population: smallPopulation, defences: [defence] })) rounds.push(round)
      return rounds
    }
    const rounds = await played(whole)
    expect(await played(open)).toEqual(rounds)
    expect(rounds.some((round) => (round as FederationRound).aborted !== undefined)).toBe(dropouts > 0.3)
  })

  test('sends updates as they are where nothing is to be secret, and only there', async () => {
    const zeros = (open: boolean) => {
      const sent: number[] = []
      const defence = secureAggregation({
        primitives,
        tap({ to, phase, bytes }) {
          if (to === 'server' && phase === 'masked') sent.push(bytes.subarray(19 + 2, 19 + 4).reduce((a, b) => a + b))
          return undefined
        },
      })
      const { openly } = defence.exchange!
      const played = { ...defence, exchange: open ? openly!() : defence.exchange! }
      const rounds = federate(smallSpec, { population: smallPopulation, defences: [played] })
      return runToEnd(rounds).then(() => sent)
    }
    // The upper half of a weight, which is small: 0 unless there is a mask on it.
    expect((await zeros(true)).every((half) => half === 0)).toBe(true)
    expect((await zeros(false)).some((half) => half > 0)).toBe(true)
  })

  test.each([
    ['malicious', 'pairs'],
    ['malicious', 'graph'],
    ['honest-but-curious', 'pairs'],
    ['honest-but-curious', 'graph'],
  ] as const)('goes on when clients fail, a %s server, variant %s', async (server, variant) => {
    const told: number[] = []
    const defence = secureAggregation({
      primitives,
      server,
      variant,
      ...(server === 'malicious' ? { vanishing: 0.2 } : { neighbours: 8, threshold: 0.51 }),
      lateProb: 0.05,
      onSum: ({ survivors }) => told.push(survivors.length),
    })
    const options = { property: 'none', N: 16, fraction: 1, rounds: 5, defences: [defence] } as const
    const { view } = await propertyWorld(options)
    expect(told.length).toBe(5)
    for (const [r, { participants }] of view.participation.entries()) expect(told[r]).toBe(participants.length)
  })

  test('refuses to sum two, or with a threshold of half', async () => {
    const pair = propertyWorld({
      property: 'none',
      N: 4,
      fraction: 0.5,
      rounds: 1,
      defences: [secureAggregation({ primitives })],
    })
    await expect(pair).rejects.toThrow(/none of 1 rounds had a sum: secure aggregation aborted: 2 clients are left/)
    const half = [secureAggregation({ primitives, server: 'honest-but-curious', threshold: 0.5 })]
    await expect(propertyWorld({ property: 'none', fraction: 1, rounds: 1, defences: half })).rejects.toThrow(
      /threshold of 6 for 12/,
    )
  })

  test('a round in which too few are left has no sum, and the run goes on', async () => {
    const spec = { ...smallSpec, dropouts: 0.3, rounds: 12 }
    const ids = ['0', '1', '2']
    const sums: number[] = []
    let none = 0
    for await (const round of federate(spec, { population: smallPopulation, defences: [secureAggregation()] })) {
      if (round.aborted === undefined) {
        sums.push(round.round)
        expect([round.participants, round.dropped, round.aggregate?.length]).toEqual([ids, [], 5])
        continue
      }
      none++
      expect(round.aborted).toMatch(/aborted: [012] clients are left where 3 are needed|aborted: 1 clients/)
      expect([round.participants, round.dropped, round.aggregate]).toEqual([[], ids, undefined])
      expect(round.next).toBe(round.global)
    }
    expect([sums.length > 0, none > 0]).toEqual([true, true])
  })

  test('a run without any sum is an error', async () => {
    const spec = { ...smallSpec, dropouts: 0.95, rounds: 5 }
    const run = runToEnd(federate(spec, { population: smallPopulation, defences: [secureAggregation()] }))
    await expect(run).rejects.toThrow(/none of 5 rounds had a sum: secure aggregation aborted/)
  })

  test('is taken up under the same defences only', async () => {
    const defences = [secureAggregation({ primitives })]
    const { value } = await federate(smallSpec, { population: smallPopulation, defences }).next()
    const { checkpoint: from } = value as FederationRound
    const alone = federate(smallSpec, { population: smallPopulation, from }).next()
    await expect(alone).rejects.toThrow('made under defences: secure-aggregation; now: none; keep them')
  })

  test('parameters that cannot be are refused at once', () => {
    expect(() => secureAggregation({ server: 'honest-but-curious', variant: 'graph', neighbours: 7 })).toThrow(
      /7 neighbours; an even number/,
    )
    expect(() => secureAggregation({ clip: 0 })).toThrow(/clip is 0/)
    expect(() => secureAggregation({ corrupt: 0.5, vanishing: 0.5 })).toThrow(/less than 1/)
    expect(() => secureAggregation({ threshold: 0.6 })).toThrow(/only server honest-but-curious obeys it/)
    expect(() => secureAggregation({ server: 'honest-but-curious', least: 5 })).toThrow(/least is 5 with server honest/)
  })
})

test('values beyond the clip are cut off, and counted', async () => {
  const counts: number[] = []
  const defence = secureAggregation({ primitives, clip: 1e-3, onSum: ({ clipped }) => counts.push(clipped) })
  for await (const { notes } of federate(smallSpec, { population: smallPopulation, defences: [defence] })) {
    expect(notes).toEqual({ clipped: counts.at(-1) })
  }
  expect(counts[0]).toBeGreaterThan(0)
  expect(counts[0]).toBeLessThanOrEqual(15)
})

describe('beside other defences', () => {
  const begin = (list: Defence[]) => federate(smallSpec, { population: smallPopulation, defences: list }).next()

  test('comes before what acts on the sum', async () => {
    const { value } = await begin([secureAggregation({ primitives }), noisySum()])
    expect((value as FederationRound).aggregate!.length).toBe((value as FederationRound).global.length)
    await expect(begin([noisySum(), secureAggregation({ primitives })])).rejects.toThrow(
      /put secure-aggregation before/,
    )
  })

  test('leaves nothing to what acts on updates, nor to another exchange', async () => {
    await expect(begin([halving(), secureAggregation({ primitives })])).rejects.toThrow(/halving .*acts on updates/)
    const other = { ...secureAggregation({ primitives }), name: 'other' }
    await expect(begin([secureAggregation({ primitives }), other])).rejects.toThrow(/both exchange messages/)
  })
})

describe('what a recording of it holds', () => {
  test('sums for the server and for another client, updates for nobody', async () => {
    const { store } = disk()
    const options = { population: smallPopulation, transcript: store, defences: [secureAggregation({ primitives })] }
    for await (const round of recordFederation(smallSpec, options)) expect(round.aggregate).toBeDefined()
    const transcript = await openTranscript(store, { parametersOf })
    expect(transcript.manifest.protocol.secureAggregation).toBe(true)
    expect((await transcript.contents(0)).clients.size).toBe(0)
    for (const observer of ['secagg-server', 'server', 'participant'] as const) {
      expect((await grant({ transcript }, observer, ['updates'])).missing).toEqual(['updates'])
      const { view } = await grant({ transcript }, observer, ['aggregates', 'globals', 'participation', 'sampleCounts'])
      const { dThetaSum, derived } = await view!.aggregates.read(1)
      expect([norm(dThetaSum) > 0, derived]).toEqual([true, observer === 'participant'])
    }
  })
})

test('an eavesdropper records what one client is sent, and nothing that it returns', async () => {
  const { store } = disk()
  const options = { population: smallPopulation, transcript: store, defences: [secureAggregation({ primitives })] }
  await runToEnd(recordFederation(smallSpec, { ...options, recordedFor: 'eavesdropper:1' }))
  const transcript = await openTranscript(store, { parametersOf })
  expect(transcript.rounds().map(({ participants }) => participants)).toEqual([['1'], ['1'], ['1'], ['1']])
  expect(await transcript.contents(2)).toMatchObject({ global: true, aggregate: false })
  expect((await transcript.contents(2)).clients.size).toBe(0)
})

describe('properties of single clients, through it', () => {
  test('are found as well as without it, by the server', async () => {
    const common = { property: 'inversion', rounds: 30 } as const
    const [plain, secure] = [
      await propertyWorld(common),
      await propertyWorld({ ...common, defences: [secureAggregation({ primitives })] }),
    ]
    for (const { view, guilty } of [plain, secure]) {
      const outcome = await attackOn(attacks['property-posterior']!, view, { params: { pairs: 16, curve: 0 } })
      const { clients } = only(outcome, 'property')
      expect(
        f1Of(
          clients.map(({ positive }) => positive),
          clients.map(({ id }) => guilty.includes(id)),
        ),
      ).toBe(1)
    }
  })
})

describe('the table', () => {
  test('holds every defence under its own id, and makes them from plain data', () => {
    for (const [id, entry] of Object.entries(defences)) expect(entry.id).toBe(id)
    const { name, protocol } = createDefence({ name: 'secure-aggregation', variant: 'graph', secureBits: 20 })
    expect([name, protocol]).toEqual(['secure-aggregation', { secureAggregation: true }])
    expect(() => createDefence({ name: 'prayer' } as unknown as DefenceSpec)).toThrow(/unknown defence: "prayer"/)
    expect(() => createDefence({ name: 'secure-aggregation', clip: -1 })).toThrow(/clip is -1/)
  })
})

test('who lost its place is in the recording, with the phase and the reason', async () => {
  const { store } = disk()
  const tap: SecureAggregationOptions['tap'] = ({ to, phase, place, bytes }) =>
    to === 'server' && phase === 'shares' && place === 2 ? bytes.slice(0, -1) : undefined
  const defences = [secureAggregation({ primitives, tap })]
  const spec = { ...smallSpec, model: { kind: 'linear', inputs: 2, outputs: 1 } as const, rounds: 1 }
  const population = heldPopulation(
    [1, 2, 3, 4, 5, 6].map((k) => ({
      features: matrix(6, 2, rng(k).normals(12)),
      labels: rng(k).fork('y').normals(6),
    })),
  )
  await runToEnd(recordFederation(spec, { population, transcript: store, defences }))
  const [round] = (await openTranscript(store, { parametersOf })).rounds()
  expect(round).toMatchObject({ participants: ['0', '2', '3', '4', '5'], dropped: ['1'] })
  expect(round!.excluded).toEqual([{ client: '1', phase: 'shares', reason: expect.stringMatching(/refused a list/) }])
})
