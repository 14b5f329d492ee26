import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import { type Attack, claimed, defineAttack, type Outcome } from '../../attacks/attack.js'
import type { Claim } from '../../attacks/claim.js'
import { type Rng, rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Table } from '../../transcript/encoded-table.js'
import { type Finding, plain } from '../attack-result.js'
import { runAttack, type Surroundings } from '../run-attack.js'
import { type Retelling, retoldClaims } from './retold-claims.js'

const people = (n: number) => tableOf(['x'], Array.from({ length: n }, (_, i) => [i]), { labels: Array.from({ length: n }, (_, i) => i % 3) }) // biome-ignore format: a line
const sourcesOf = (records: Table, rounds: readonly number[] = [0, 1, 2, 3, 4]): Sources =>
  ({
    transcript: {
      manifest: { recordedFor: { kind: 'server' }, protocol: {}, model: { kind: 'opaque' } },
      rounds: () => rounds.map((round) => ({ round, participants: ['a'], tampered: [] })),
      readRound: async () => ({ global: Float64Array.of(0) }),
    },
    knowledge: { target: 'a', records: async () => records, candidates: async () => undefined, auxiliary: async () => undefined }, // biome-ignore format: a line
  }) as unknown as Sources

interface Seen {
  readonly xs: readonly number[]
  readonly labels: readonly number[]
  readonly rounds: readonly number[]
  readonly rng: Rng
}
interface Asked extends Partial<Omit<Retelling, 'params' | 'findings'>> {
  readonly perRecord?: boolean
  readonly n?: number
  readonly needs?: readonly string[]
  readonly right?: boolean
  readonly channel?: boolean
  readonly rounds?: readonly number[]
}
/** What comes of retelling to an attack that claims so, and how often it was run for it. */
async function retold(claimOf: (seen: Seen) => Claim | Outcome, asked: Asked = {}) {
  const { perRecord = true, n = 12, needs = ['records'], right = false, channel = false, how = 'same-labels' } = asked
  let runs = 0
  const attack = defineAttack({
    ...{ id: 'own', title: '', paper: 'lmra', where: '', target: 'attribute', params: {}, perRecord },
    ...{ needs: [...needs, 'tampered'], plant: { none: '' }, shuffle: { none: '' } },
    run: async (
      view: { records?: Table; tampered: { round: number }[]; 'records.label'?: Float64Array },
      { rng: own }: { rng: Rng },
    ) => {
      runs++
      const seen = { xs: [...(view.records?.features.data ?? [])], labels: [...(view['records.label'] ?? [])], rounds: view.tampered.map(({ round }) => round), rng: own } // biome-ignore format: a line
      const found = claimOf(seen)
      return 'status' in found ? found : claimed(found)
    },
  } as unknown as Parameters<typeof defineAttack>[0]) as Attack
  const sources = sourcesOf(people(n), asked.rounds)
  const around = { observer: 'malicious-server', rng: rng(1), sources } as Surroundings
  const own = await runAttack(attack, {}, around)
  if (own.status !== 'claimed') throw new Error('no claim')
  const score = right ? { accuracy: 1, lift: 1 } : null
  const findings = plain(own.claims).map((claim) => ({ claim, score })) as unknown as Finding[]
  runs = 0
  const found = await retoldClaims(attack, {
    ...{ params: {}, findings, how, redrawn: () => ({ ...around, rng: rng(2) }) },
    around: channel
      ? { ...around, sources: { ...sources, channel: async (_: string, theta: Float64Array) => theta } }
      : around,
  })
  return { found, runs }
}
const attribute = (values: readonly number[], more: object = {}): Claim =>
  ({ kind: 'attribute', client: 'a', name: 's', values, ...more }) as Claim
const byPerson = ({ xs }: Seen): Claim => attribute(xs.map((x) => x % 2))
const byPlace = ({ xs }: Seen): Claim => attribute(xs.map((_, i) => (i < xs.length / 4 ? 1 : 0)))

describe('records told of in another order, or of every other one alone', () => {
  test('are claimed the same of by whoever looks at each', async () => {
    expect(await retold(byPerson)).toEqual({ found: { how: 'fewer', apart: 0, follows: true }, runs: 2 })
    expect(await retold(byPerson, { perRecord: false })).toEqual({ found: { how: 'reordered', apart: 0, follows: true }, runs: 1 }) // biome-ignore format: a line
  })

  test('show whoever looks at where they stand', async () => {
    // The first quarter is claimed: told backwards, three at either end of twelve are claimed otherwise.
    expect((await retold(byPlace, { perRecord: false })).found).toEqual({ how: 'reordered', apart: 0.5, again: 0, follows: false }) // biome-ignore format: a line
    const two = ({ xs }: Seen): Claim => attribute(xs.map((_, i) => (i === 0 ? 1 : 0)))
    // Of twelve the two at the ends are a sixth, less than a fourth: rounding decides ties.
    expect((await retold(two, { perRecord: false })).found).toEqual({ how: 'reordered', apart: 2 / 12, follows: true })
    expect((await retold(two, { perRecord: false, n: 8 })).found).toEqual({
      how: 'reordered',
      apart: 0.25,
      follows: true,
    })
    expect((await retold(two, { perRecord: false, n: 7 })).found).toMatchObject({ apart: 2 / 7, follows: false })
  })

  test('that does not follow is told, and not the one that does', async () => {
    const ends = ({ xs }: Seen): Claim => attribute(xs.map((_, i) => (i === 0 || i === xs.length - 1 ? 1 : 0)))
    // Backwards it is the same; of every other record, the last one is another.
    expect((await retold(ends)).found).toMatchObject({ how: 'fewer', follows: false })
    expect((await retold(({ xs }) => attribute(xs.map((x, i) => (xs.length < 12 ? x % 2 : i < 6 ? 1 : x % 2))))).found).toMatchObject({ follows: false }) // biome-ignore format: a line
  })

  test('say nothing against whoever draws lots', async () => {
    const drawn = ({ xs, rng: own }: Seen): Claim => attribute(xs.map(() => own.integer(2)))
    const { found } = await retold(drawn, { n: 60 })
    expect(found!.again).toBeGreaterThan(0.2)
    expect(found).toMatchObject({ how: 'fewer', follows: true })
  })

  test('are told to nobody who is right about all of them, or sends into a live federation', async () => {
    expect(await retold(byPlace, { right: true })).toEqual({ found: undefined, runs: 0 })
    expect(await retold(byPlace, { channel: true })).toEqual({ found: undefined, runs: 0 })
  })

  test('say nothing where nothing is claimed of them, or no claim can be compared', async () => {
    let first = true
    const once = (seen: Seen): Claim | Outcome => {
      const own = first
      first = false
      return own ? byPlace(seen) : { status: 'not-applicable', missing: ['x'] }
    }
    expect((await retold(once)).found).toBeUndefined()
    const mean = (): Claim => ({ kind: 'label-mean', client: 'a', round: 0, value: 1 }) as Claim
    expect(await retold(mean)).toEqual({ found: undefined, runs: 0 })
  })
})

describe('labels of other records', () => {
  const all = { how: 'all', needs: ['records', 'records.label'], right: true } as const
  const sure = (values: readonly number[], confidence: number) =>
    attribute(values, { confidence: values.map(() => confidence) })
  const reading = ({ labels }: Seen): Claim =>
    sure(
      labels.map((y) => Number(y > 1)),
      0.5,
    )
  const blind = ({ xs }: Seen): Claim =>
    sure(
      xs.map(() => 1),
      0.5,
    )

  test('show whoever needs labels and does not read them', async () => {
    expect(await retold(blind, all)).toEqual({ found: { how: 'labels', apart: 0, follows: false }, runs: 1 })
    expect(await retold(reading, all)).toEqual({ found: { how: 'labels', apart: 1, follows: true }, runs: 1 })
  })

  test('are told where all is told, to whoever needs them and says how sure it is', async () => {
    expect((await retold(blind, { ...all, how: 'same-labels' })).runs).toBe(0)
    expect((await retold(blind, { ...all, needs: ['records'] })).runs).toBe(0)
    expect((await retold(({ xs }) => attribute(xs.map(() => 1)), all)).runs).toBe(0)
    const refusing = ({ labels }: Seen): Claim | Outcome => (labels[0] === 0 ? sure(labels, 0.5) : { status: 'not-applicable', missing: ['x'] }) // biome-ignore format: a line
    expect(await retold(refusing, all)).toEqual({ found: undefined, runs: 1 })
  })
})

describe('a model without the first message', () => {
  const model = (theta: number): Claim => ({ kind: 'model', client: 'a', theta: Float64Array.of(theta) }) as Claim
  const asked = { needs: ['target'], perRecord: false, rounds: [1, 2, 3, 4, 5] } as const

  test('is the same, or moves with the last one too', async () => {
    expect((await retold(({ rounds }) => model(rounds.at(-1)!), asked)).found).toEqual({ how: 'later', apart: 0, follows: true }) // biome-ignore format: a line
    // 15 of all: 14 without the first, 10 without the last.
    const sum = ({ rounds }: Seen) => model(rounds.reduce((a, b) => a + b))
    expect((await retold(sum, asked)).found).toEqual({ how: 'later', apart: 1 / 15, again: 5 / 15, follows: true })
  })

  test('shows what hangs on that one alone', async () => {
    expect((await retold(({ rounds }) => model(rounds[0]!), asked)).found).toEqual({ how: 'later', apart: 1, again: 0, follows: false }) // biome-ignore format: a line
  })

  test('is not asked for of few messages', async () => {
    expect((await retold(({ rounds }) => model(rounds[0]!), { ...asked, rounds: [1, 2, 3] })).found).toBeUndefined()
  })
})
