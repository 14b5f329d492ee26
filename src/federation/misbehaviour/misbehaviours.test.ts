import { describe, expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../../test/small-federation.js'
import { functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { scaleVector } from '../../numeric/random/scale-vector.js'
import { type FederationRound, federate, runToEnd } from '../federate.js'
import { type FederationSpec, type MisbehaviourSpec, type RuleSpec, settle } from '../spec.js'
import { changeOf } from '../updates.js'
import { misbehaviours } from './index.js'

async function roundsOf(spec: FederationSpec): Promise<FederationRound[]> {
  const rounds: FederationRound[] = []
  await runToEnd(federate(spec, { population: smallPopulation }), (round) => rounds.push(round))
  return rounds
}
const withOne = (one: MisbehaviourSpec, rule: RuleSpec = smallSpec.rule): FederationSpec => ({
  ...smallSpec,
  rule,
  misbehaving: { 1: one },
})
const change = ({ updates, global, learningRate }: FederationRound, id: string) =>
  changeOf(updates.get(id)!, { received: global, learningRate })

describe.each(Object.entries(misbehaviours))('misbehaviour contract: %s', (name, entry) => {
  const spec = { name } as MisbehaviourSpec
  test('is known by its own name', () => expect(entry.id).toBe(name))
  test('spoils the one who misbehaves and nobody else', async () => {
    const [[bad], [good]] = [await roundsOf(withOne(spec)), await roundsOf(smallSpec)]
    expect(bad!.misbehaved).toEqual(['1'])
    expect(good!.misbehaved).toEqual([])
    expect(bad!.updates.get('1')).not.toEqual(good!.updates.get('1'))
    for (const id of ['0', '2']) expect(bad!.updates.get(id)).toEqual(good!.updates.get(id))
    expect(bad!.next).not.toEqual(good!.next)
  })
  test.each(['parameters', 'delta', 'gradient'] as const)('means the same when %s are shared', async (share) => {
    const rule = { algorithm: 'fedsgd', learningRate: 0.05 } as const
    const [a, b] = [await roundsOf(withOne(spec, rule)), await roundsOf(withOne(spec, { ...rule, share }))]
    for (const [t, round] of b.entries()) {
      expect(round.updates.get('1')!.kind).toBe(share)
      const twin = change(a[t]!, '1')
      for (const [j, x] of change(round, '1').entries()) expect(x).toBeCloseTo(twin[j]!, 12)
    }
  })
  test('happens as often as it should, and is reported truly', async () => {
    const half = { ...withOne({ ...spec, prob: 0.5 }), rounds: 200 }
    const rounds = await roundsOf(half)
    const times = rounds.filter(({ misbehaved }) => misbehaved.length > 0).length
    expect(Math.abs(times - 100)).toBeLessThan(5 * Math.sqrt(50))
    expect((await roundsOf({ ...half, misbehaving: { 1: { ...spec, prob: 0 } } })).at(-1)!.next).toEqual(
      (await roundsOf({ ...smallSpec, rounds: 200 })).at(-1)!.next,
    )
  })
})

test('inversion is the negated update', async () => {
  const [bad] = await roundsOf(withOne({ name: 'inversion' }))
  const [good] = await roundsOf(smallSpec)
  const honest = change(good!, '1')
  for (const [j, x] of change(bad!, '1').entries()) expect(x).toBeCloseTo(-honest[j]!, 14)
})

describe('a scaled update', () => {
  const scale = { factor: -4, part: 0.4, key: 3 }
  const rule = { algorithm: 'fedavg', learningRate: 0.05, localSteps: 1 } as const
  test('is the honest one times the vector, the same one in every round', async () => {
    const { gradient } = functionsOf(createModel(smallSpec.model))
    const vector = scaleVector(5, scale)
    expect([...vector].sort()).toEqual([-4, -4, 1, 1, 1])
    const rounds = await roundsOf(withOne({ name: 'scaled', ...scale }, rule))
    expect(rounds.length).toBeGreaterThan(1)
    for (const round of rounds) {
      const { grad } = gradient(round.global, smallRecords[1]!)
      for (const [j, x] of change(round, '1').entries()) expect(x).toBeCloseTo(-0.05 * vector[j]! * grad[j]!, 12)
    }
  })
  test('by 1 is the honest one to the last bit', async () => {
    const plain = await roundsOf(withOne({ name: 'scaled', ...scale, factor: 1 }))
    expect(plain.at(-1)!.next).toEqual((await roundsOf(smallSpec)).at(-1)!.next)
  })
})

describe('ascent', () => {
  const loss = functionsOf(createModel(smallSpec.model))
  test('climbs the loss by steps of its own, within its bound', async () => {
    const rule = { algorithm: 'fedavg', learningRate: 0.05, localSteps: 3 } as const
    for (const maxNorm of [0, 2, 0.01]) {
      const [round] = await roundsOf(withOne({ name: 'ascent', maxNorm }, rule))
      let theta = round!.global
      for (let s = 0; s < 3; s++) {
        const { grad } = loss.gradient(theta, smallRecords[1]!)
        theta = theta.map((x, j) => x + 0.05 * grad[j]!)
      }
      const free = theta.map((x, j) => x - round!.global[j]!)
      const scale = maxNorm > 0 && norm(free) > maxNorm ? maxNorm / norm(free) : 1
      const made = change(round!, '1')
      for (const [j, x] of made.entries()) expect(x).toBeCloseTo(scale * free[j]!, 12)
      expect(
        loss.loss(
          round!.global.map((x, j) => x + made[j]!),
          smallRecords[1]!,
        ),
      ).toBeGreaterThan(loss.loss(round!.global, smallRecords[1]!))
      if (maxNorm === 0.01) expect(norm(made)).toBeCloseTo(0.01, 12)
    }
  })
})

describe('a free rider', () => {
  const made = async (update: 'zero' | 'stale' | 'noise', more = {}) => {
    const rounds = await roundsOf({ ...withOne({ name: 'free-rider', update, noiseStd: 0.3 }), ...more })
    return { rounds, changes: rounds.flatMap((round) => (round.updates.has('1') ? [change(round, '1')] : [])) }
  }
  test('returns what it was sent', async () => {
    for (const dTheta of (await made('zero')).changes) expect([...dTheta]).toEqual([0, 0, 0, 0, 0])
  })
  test('repeats what has changed since its last turn', async () => {
    const schedule = { sampling: { name: 'schedule', rounds: '0,1;0,2;1,2;1' } as const, rounds: 5 }
    const { rounds, changes } = await made('stale', schedule)
    expect(changes.length).toBe(4) // it is asked in rounds 0, 2, 3 and 4
    const seen = rounds.filter(({ updates }) => updates.has('1')).map(({ global }) => global)
    expect([...changes[0]!]).toEqual([0, 0, 0, 0, 0])
    for (const i of [1, 2, 3]) {
      for (const [j, x] of changes[i]!.entries()) expect(x).toBeCloseTo(seen[i]![j]! - seen[i - 1]![j]!, 14)
    }
    expect(norm(changes[1]!)).toBeGreaterThan(0)
  })
  test('draws noise of its own, other noise each round', async () => {
    const { changes } = await made('noise', { rounds: 400 })
    const all = changes.flatMap((dTheta) => [...dTheta])
    const std = Math.sqrt(all.reduce((sum, x) => sum + x * x, 0) / all.length)
    expect(Math.abs(std / 0.3 - 1)).toBeLessThan(4 / Math.sqrt(2 * all.length))
    expect(changes[0]).not.toEqual(changes[1])
  })
})

describe('wrong labels', () => {
  /** What a client trained on, by the gradient of one full step of a model without hidden layers. */
  const rule = { algorithm: 'fedavg', learningRate: 0.05, localSteps: 1 } as const
  test('are those of other records, the same in every round', async () => {
    const rounds = await roundsOf(withOne({ name: 'mislabelled' }, rule))
    const { labels, features } = smallRecords[1]!
    const { gradient } = functionsOf(createModel(smallSpec.model))
    // The gradient is linear in the labels: of one step, X'(prediction - y) tells X'y.
    const moved = rounds.map((round) => {
      const honest = gradient(round.global, { features, labels }).grad
      return change(round, '1').map((x, j) => (x / -0.05 - honest[j]!) * (features.rows / 2))
    })
    for (const one of moved) {
      for (const [j, x] of one.entries()) expect(x).toBeCloseTo(moved[0]![j]!, 10)
      // The bias's share is the sum of what was exchanged: a permutation leaves it.
      expect(one[4]).toBeCloseTo(0, 10)
      expect(norm(one)).toBeGreaterThan(0.01)
    }
  })
  const wrongBy = (labels: Float64Array, classes: number | undefined, part = 1, n = labels.length) => {
    let seen = labels
    const train = ({ labels: own }: { labels?: Float64Array } = {}) => {
      seen = own!
      return { kind: 'delta' as const, dTheta: new Float64Array(0) }
    }
    const turn = { records: () => ({ features: matrix(n, 1), labels }), classes, lasting: rng(5), train }
    misbehaviours.mislabelled.act(turn as never, { part, prob: 1 })
    return seen
  }
  test('are a permutation of numbers that leaves none in place', () => {
    const labels = Float64Array.from({ length: 30 }, (_, i) => i)
    const wrong = wrongBy(labels, undefined)
    expect([...wrong].sort((a, b) => a - b)).toEqual([...labels])
    expect(wrong.some((y, i) => y === i)).toBe(false)
    expect(wrongBy(labels, undefined, 0.2).filter((y, i) => y !== i)).toHaveLength(6)
    expect([...wrongBy(Float64Array.of(4), undefined)]).toEqual([4])
    expect([...wrongBy(Float64Array.of(4, 5), undefined, 0.01)]).toEqual([5, 4])
    // Several numbers of a record stay together.
    expect([...wrongBy(Float64Array.of(1, 2, 3, 4), undefined, 1, 2)]).toEqual([3, 4, 1, 2])
  })
  test('are other classes, each as often', () => {
    const labels = Float64Array.from({ length: 900 }, (_, i) => i % 4)
    const wrong = wrongBy(labels, 4)
    expect(wrong.every((y, i) => y !== labels[i] && y >= 0 && y < 4 && Number.isInteger(y))).toBe(true)
    for (const by of [1, 2, 3]) {
      const times = wrong.filter((y, i) => (y - labels[i]! + 4) % 4 === by).length
      expect(Math.abs(times - 300)).toBeLessThan(5 * Math.sqrt(200))
    }
    expect([...wrongBy(Float64Array.of(0, 1, 1), 2)]).toEqual([1, 0, 0])
    const rows = wrongBy(Float64Array.of(1, 0, 0, 0, 0, 1), 3, 1, 2)
    expect([rows[0], rows[5]]).toEqual([0, 0])
    expect([rows[1]! + rows[2]!, rows[3]! + rows[4]!]).toEqual([1, 1])
  })
})

test('what cannot be is said', async () => {
  const wrong = (misbehaving: object) => () => settle({ ...smallSpec, misbehaving: misbehaving as never })
  expect(wrong({ 1: { name: 'invert' } })).toThrow('unknown misbehaviour: "invert"')
  expect(wrong({ 1: { name: 'ascent', prob: 2 } })).toThrow('misbehaviour ascent: prob is 2')
  await expect(roundsOf({ ...smallSpec, misbehaving: { 7: { name: 'inversion' } } })).rejects.toThrow(
    'misbehaving names client "7"',
  )
})
