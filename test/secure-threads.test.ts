/** Secure aggregation between worker threads: what the server's thread hears, and that it is enough. */
import { Worker } from 'node:worker_threads'
import {
  type FederationRound,
  type FederationSpec,
  federate,
  heldPopulation,
  inlinePool,
  runToEnd,
  type SecureAggregationOptions,
  secureAggregation,
  toyLeastSquares,
} from 'overhear/federation'
import { nativePrimitives, threadPool } from 'overhear/node'
import { rng } from 'overhear/numeric'
import { afterEach, describe, expect, test, vi } from 'vitest'

const sizes = [9, 30, 5, 41, 16, 8, 23, 11, 14, 6, 19, 27] // weights differ, those of clients who vanish too
const people = heldPopulation(
  sizes.map((n, k) => toyLeastSquares(rng(k), { clients: 1, recordsPerClient: n, heterogeneity: 0.5 })[0]!),
)
const spec: FederationSpec = {
  model: { kind: 'mlp', inputs: 10, hidden: [200], outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.02, localEpochs: 1, batchSize: 4 },
  seed: 5,
  rounds: 4,
  aggregateWeights: 'samples',
}
const d = 10 * 200 + 200 + 200 + 1

/** All rounds by as many workers; 0: in this thread. */
async function played(
  change: Partial<FederationSpec>,
  workers: number,
  { openly = false, ...options }: SecureAggregationOptions & { readonly openly?: boolean } = {},
) {
  const own = { ...spec, ...change } as FederationSpec
  const population = people
  const pool = workers === 0 ? inlinePool(own, { population }) : threadPool(own, { population, workers })
  const rounds: FederationRound[] = []
  try {
    const defence = secureAggregation({ primitives: nativePrimitives(), ...options })
    const defences = [openly ? { ...defence, exchange: defence.exchange!.openly!() } : defence]
    await runToEnd(federate(own, { population, pool, defences }), (round) => rounds.push(round))
    return rounds
  } finally {
    await pool.close()
  }
}

/** theta_i - theta of every participant, trained once more in this thread. */
async function changesOf({ round, participants, global }: FederationRound): Promise<Float64Array[]> {
  const turns = participants.map((id) => ({ round, client: people.indexOf(id)!, theta: global }))
  const pool = inlinePool(spec, { population: people })
  const updates = await pool.train(turns)
  await pool.close()
  return updates.map(
    (update) =>
      (update.kind === 'parameters' ? update.theta.map((x, j) => x - global[j]!) : update.kind) as Float64Array,
  )
}

afterEach(() => vi.restoreAllMocks())

/** Everything that worker threads hand to this one. */
function listen(): unknown[] {
  const heard: unknown[] = []
  const emit = Worker.prototype.emit
  vi.spyOn(Worker.prototype, 'emit').mockImplementation(function (this: Worker, ...args: unknown[]) {
    if (args[0] === 'message') heard.push(args[1])
    return (emit as (...all: unknown[]) => boolean).apply(this, args)
  } as never)
  return heard
}

/** 255 degrees of freedom: all but one in a billion lie below 415 (keys are drawn anew in every run). */
function chiOfBytes(bytes: Uint8Array): number {
  const bins = new Array<number>(256).fill(0)
  for (const byte of bytes) bins[byte]! += 1
  return bins.reduce((sum, count) => sum + (count - bytes.length / 256) ** 2 / (bytes.length / 256), 0)
}

describe("the server's thread", () => {
  test('hears bytes and counts from the threads of clients, and no number of theirs', async () => {
    const heard = listen()
    await played({}, 2)
    type Answer = { place: number; answer: Uint8Array }
    const large = heard.filter((one): one is Answer => 'answer' in (one as object))
    const rest = heard.filter((one) => !('answer' in (one as object))) as { answers?: Answer[] }[]
    const answers = [...large, ...rest.flatMap(({ answers: small = [] }) => small)]
    expect(answers.length).toBe(4 * 6 * 12)
    for (const { place, answer } of answers) {
      expect([typeof place, answer.constructor]).toEqual(['number', Uint8Array])
    }
    // Per round and thread: seated, six questions done, notes on leaving.
    expect(rest.length).toBe(4 * 2 * 8)
    for (const one of rest) {
      if ('done' in one) expect(one).toEqual({ done: true, answers: expect.any(Array) })
      else expect(one).toEqual({ notes: Array.from({ length: 6 }, () => ({ clipped: 0 })) })
    }
  })

  test('hears updates as uniform bytes that never come again', async () => {
    const heard: Uint8Array[] = []
    const tap: SecureAggregationOptions['tap'] = ({ to, phase, bytes }) => {
      if (to === 'server' && phase === 'masked') heard.push(bytes.slice(19))
      return undefined
    }
    await played({}, 2, { tap })
    expect(heard.map(({ length }) => length)).toEqual(new Array(48).fill(4 * (d + 1)))
    const blocks = new Set<string>()
    for (const bytes of heard) {
      expect(chiOfBytes(bytes)).toBeLessThan(415)
      for (let k = 0; k + 16 <= bytes.length; k += 16) blocks.add(bytes.slice(k, k + 16).join())
    }
    expect(blocks.size).toBe(48 * Math.floor((4 * (d + 1)) / 16))
  })

  test('hears everything else as uniform bytes too, but for what numbers it', async () => {
    const heard = { keys: [] as number[], shares: [] as number[], reveal: [] as number[] }
    /** Lists are places of two bytes, each followed by its entry. */
    const entries = (bytes: Uint8Array, width: number): Uint8Array[] =>
      Array.from({ length: bytes.length / (2 + width) }, (_, k) =>
        bytes.slice(k * (2 + width) + 2, (k + 1) * (2 + width)),
      )
    const tap: SecureAggregationOptions['tap'] = ({ to, phase, bytes }) => {
      if (to !== 'server' || !Object.hasOwn(heard, phase)) return undefined
      const body = bytes.slice(19)
      // A public key is a number below 2^255 - 19: its last byte has a bit less.
      if (phase === 'keys') heard.keys.push(...body.slice(0, 31), ...body.slice(32, 63))
      // A commitment and the sealed shares; a revealed share, less its kind and the carries of its numbers.
      if (phase === 'shares')
        heard.shares.push(...body.slice(0, 32), ...entries(body.slice(32), 89).flatMap((one) => [...one]))
      if (phase === 'reveal') heard.reveal.push(...entries(body, 35).flatMap((one) => [...one.slice(1, 33)]))
      return undefined
    }
    await played({}, 2, { tap })
    expect([heard.keys.length, heard.shares.length, heard.reveal.length]).toEqual([
      48 * 62,
      48 * (32 + 11 * 89),
      48 * 12 * 32,
    ])
    for (const [phase, bytes] of Object.entries(heard)) {
      expect(chiOfBytes(Uint8Array.from(bytes)), phase).toBeLessThan(415)
    }
  })

  test.each(['malicious', 'honest-but-curious'] as const)(
    'has the same rounds from threads where nothing is secret, a %s server',
    async (server) => {
      const change = { rounds: 2, dropouts: 0.1 }
      expect(await played(change, 2, { server, openly: true })).toEqual(await played(change, 0, { server }))
    },
  )

  test('has the sum of the updates nevertheless, and no update', async () => {
    for (const round of await played({ rounds: 2 }, 2)) {
      expect(round.updates.size).toBe(0)
      const changes = await changesOf(round)
      const weights = [...round.weights.values()]
      const bound = (12 * Math.max(...weights) * 8) / ((1 << 22) - 1)
      for (let j = 0; j < d; j++) {
        const exact = changes.reduce((sum, change, i) => sum + weights[i]! * change[j]!, 0)
        expect(Math.abs(round.aggregate![j]! - exact)).toBeLessThanOrEqual(bound)
      }
    }
  })
})

describe('the same bits', () => {
  test.each([
    ['all stay', {}, {}],
    ['some vanish, with neighbours', { dropouts: 0.15 }, { variant: 'graph', vanishing: 0.3, lateProb: 0.05 }],
    [
      'some ride, some climb',
      { misbehaving: { 2: { name: 'free-rider', update: 'stale' }, 4: { name: 'ascent' } } },
      {},
    ],
    ['gradients', { rule: { algorithm: 'fedsgd', learningRate: 0.02 } }, {}],
  ] as [string, Partial<FederationSpec>, SecureAggregationOptions][])(
    'wherever clients sit: %s',
    async (_, change, options) => {
      const models = async (workers: number) => (await played(change, workers, options)).map(({ next }) => next)
      const here = await models(0)
      expect(await models(1)).toEqual(here)
      expect(await models(3)).toEqual(here)
    },
  )
})

test('clients vanish in each of the six phases, and the run goes on', async () => {
  const asked = new Map<string, number>()
  const tap: SecureAggregationOptions['tap'] = ({ to, phase }) => {
    asked.set(`${to} ${phase}`, (asked.get(`${to} ${phase}`) ?? 0) + 1)
    return undefined
  }
  const rounds = await played({ dropouts: 0.07, rounds: 12 }, 2, { lateProb: 0.05, tap })
  const counts = ['keys', 'shares', 'held', 'masked', 'signed', 'reveal'].map((phase) => asked.get(`server ${phase}`)!)
  const invited = 12 * 12
  for (const [k, count] of counts.entries()) expect(count).toBeLessThan([invited, ...counts][k]!)
  expect(rounds.every(({ aborted }) => aborted === undefined)).toBe(true)
  expect(counts[3]).toBe(rounds.reduce((sum, { participants }) => sum + participants.length, 0))
})

describe('what goes wrong', () => {
  test('in a client is reported with round, client and learning rate', async () => {
    const rule = { algorithm: 'fedavg', learningRate: 1e30, localEpochs: 9, batchSize: 2 } as const
    await expect(played({ rule }, 2)).rejects.toMatchObject({
      code: 'E_NON_FINITE',
      message: expect.stringMatching(/^round 0, client "\d+": training diverged: .*learning rate/),
    })
  })

  test('with a message is reported by whoever refuses it, client or server', async () => {
    const spoil = (to: 'server' | 'client'): NonNullable<SecureAggregationOptions['tap']> => {
      return (message) => {
        if (message.to !== to || message.phase !== 'shares' || message.place !== 2) return undefined
        return message.bytes.slice(0, -1)
      }
    }
    const server = 'honest-but-curious'
    await expect(played({}, 2, { server, tap: spoil('server') })).rejects.toThrow(/refused a list/)
    await expect(played({}, 2, { server, tap: spoil('client') })).rejects.toThrow(/refused a list/)
    // Where faults cost a place: one round's participants are all but client 1, which sits at place 2.
    for (const to of ['server', 'client'] as const) {
      const [round] = await played({ rounds: 1 }, 2, { tap: spoil(to) })
      expect(round!.dropped).toEqual(['1'])
      expect(round!.excluded).toEqual([
        { client: '1', phase: 'shares', reason: expect.stringMatching(/refused a list/) },
      ])
    }
  })

  test('leaves the pool usable', async () => {
    const pool = threadPool(spec, { population: people, workers: 2 })
    const tap: SecureAggregationOptions['tap'] = ({ phase }) => (phase === 'masked' ? new Uint8Array(1) : undefined)
    const broken = secureAggregation({ server: 'honest-but-curious', tap })
    const begin = (defence: typeof broken) =>
      federate({ ...spec, rounds: 1 }, { population: people, pool, defences: [defence] }).next()
    await expect(begin(broken)).rejects.toThrow(/refused/)
    const { value } = await begin(secureAggregation())
    const [first] = await played({ rounds: 1 }, 0)
    expect((value as FederationRound).next).toEqual(first!.next)
    await pool.close()
  })

  test('with an exchange that threads do not know is said', async () => {
    const pool = threadPool(spec, { population: people, workers: 1 })
    const defence = { ...secureAggregation(), name: 'whispering' }
    const rounds = federate(spec, { population: people, pool, defences: [defence] })
    await expect(rounds.next()).rejects.toThrow(/unknown defence: "whispering".*secure-aggregation/)
    await pool.close()
  })
})
