import { describe, expect, test } from 'vitest'
import { attackOn } from '../../../test/attack-context.js'
import { linearFederation, truthOf, viewOf } from '../../../test/linear-federation.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { type Attack, type Claimed, claimed } from '../attack.js'
import { membershipLoss, split } from './membership-loss.js'

const squares = (values: readonly number[]) => {
  const mean = values.reduce((sum, x) => sum + x / values.length, 0)
  return values.reduce((sum, x) => sum + (x - mean) ** 2, 0)
}

/** All cuts, one by one: what the two parts vary by is least. */
function everyCut(losses: readonly number[]) {
  const sorted = losses.toSorted((a, b) => a - b)
  const least = sorted.find((x) => x > 0)!
  const logs = sorted.map((x) => Math.log(Math.max(x, least)))
  const cuts = logs.slice(1).map((_, k) => ({
    threshold: (sorted[k]! + sorted[k + 1]!) / 2,
    within: squares(logs.slice(0, k + 1)) + squares(logs.slice(k + 1)),
  }))
  const best = cuts.reduce((a, b) => (b.within < a.within ? b : a))
  return { threshold: best.threshold, explained: 1 - best.within / squares(logs) }
}

describe('the best split of log losses', () => {
  test.each([2, 3, 4, 7, 20])('of %d losses, as every cut tried says', (n) => {
    for (let seed = 0; seed < 12; seed++) {
      const losses = Array.from({ length: n }, (_, i) => Math.exp(3 * rng(seed).fork(i).normal()))
      if (seed % 3 === 0) losses[n - 1] = 0
      if (losses.filter((x) => x > 0).length < 2) continue
      const [found, asked] = [split(Float64Array.from(losses)), everyCut(losses)]
      expect(found.threshold).toBe(asked.threshold)
      expect(found.explained).toBeCloseTo(asked.explained, 10)
      expect(found.explained).toBeLessThanOrEqual(1)
    }
  })

  test('of two it explains all, at either end of a row too', () => {
    expect(split(Float64Array.of(1, 4))).toEqual({ threshold: 2.5, explained: 1 })
    expect(split(Float64Array.of(9, 9, 9, 1)).threshold).toBe(5)
    expect(split(Float64Array.of(9, 1, 1, 1)).threshold).toBe(5)
  })
})

const world = linearFederation({ d: 4, records: 6 })
const truth = truthOf(world)
const own = (await truth.client('0'))!
const { model, loss, protocol } = viewOf(world)
/** Two records of the client, two strangers, and a record of the client with another label. */
const rows = [0, 3, -1, -2, 5]
const features = matrix(
  5,
  3,
  Float64Array.from(rows.flatMap((i) => (i < 0 ? [i, 7, 2 * i] : [...own.features.data.slice(3 * i, 3 * i + 3)]))),
)
const labels = Float64Array.from(rows, (i) => (i < 0 ? i : own.labels![i]! + (i === 5 ? 1 : 0)))
const view = {
  candidates: { columns: own.columns, features },
  'candidates.label': labels,
  target: '0',
  model,
  loss,
  protocol,
}
const predicted = Array.from({ length: 5 }, (_, i) =>
  [0, 1, 2].reduce((sum, j) => sum + features.data[3 * i + j]! * world.optimum[j]!, world.optimum[3]!),
)
const asParams = (params: object) => ({ view: view as never, params: params as never, truth, rng: rng(1) })

describe('controls', () => {
  const plant = membershipLoss.plant as Exclude<Attack['plant'], { none: string }>
  const shuffle = membershipLoss.shuffle as Exclude<Attack['shuffle'], { none: string }>

  test('planted: members have what the model says, by a millionth of its size, others ten times that off', async () => {
    const { view: planted, claims } = await plant(asParams({ from: 'last-returned' }))
    const size = Math.max(1, ...predicted.map(Math.abs))
    for (const [i, z] of predicted.entries()) {
      const off = (planted['candidates.label']![i]! - z) / size
      expect(off).toBeCloseTo(i < 2 ? 1e-6 : 10, 9)
    }
    expect(claims!['last-returned']).toMatchObject({ claims: [{ kind: 'model', client: '0', theta: world.optimum }] })
    expect(planted.globals).toBe(undefined)
    const globals = (await plant(asParams({ from: 'global' }))).view.globals!
    expect([globals.rounds, await globals.read(0)]).toEqual([[0], world.optimum])
  })

  test('planted, of classes: members have theirs, others the next one', async () => {
    const logistic = { kind: 'logistic', inputs: 3, outputs: 1, bias: true }
    const classes = Float64Array.from(own.labels!, (y) => Number(y > 0))
    const binary = {
      ...view,
      model: logistic,
      loss: 'binary-cross-entropy',
      'candidates.label': Float64Array.from(rows, (i) => (i < 0 ? 1 : classes[i]!)),
    }
    const told = { ...truth, client: async () => ({ ...own, labels: classes }) }
    const { view: planted } = await plant({
      ...asParams({ from: 'last-returned' }),
      view: binary as never,
      truth: told as never,
    })
    const said = predicted.map((z) => Number(z > 0))
    expect([...planted['candidates.label']!]).toEqual(said.map((y, i) => ([0, 1, 4].includes(i) ? y : 1 - y)))
  })

  test('need a truth that holds the records', async () => {
    for (const table of [undefined, { ...own, labels: undefined }]) {
      const told = { ...truth, client: async () => table }
      const input = { ...asParams({ from: 'last-returned' }), truth: told as never }
      await expect(plant(input)).rejects.toThrow()
    }
  })

  test('shuffled: candidates change places and keep their labels', async () => {
    const { view: shuffled } = await shuffle({ view: view as never, params: {}, rng: rng(4) })
    const order = [...rng(4).permutation(5)]
    expect([...shuffled['candidates.label']!]).toEqual(order.map((i) => labels[i]))
    const first = Array.from({ length: 5 }, (_, i) => shuffled.candidates!.features.data[3 * i])
    expect(first).toEqual(order.map((i) => features.data[3 * i]))
  })
})

describe('what is told beside the claim', () => {
  const attacked = async (
    change: object,
    params: Readonly<Record<string, unknown>> = {},
    onShare = (_: number): void => {},
  ) => {
    const claims = { 'last-returned': claimed({ kind: 'model', client: '0', theta: world.optimum }) }
    return (await attackOn(membershipLoss, { ...view, ...change }, { claims, params, onShare })) as Claimed
  }

  test('the rule, its threshold and how many candidates there were', async () => {
    const auxiliary = { columns: own.columns, features }
    const { details } = await attacked({ auxiliary, 'auxiliary.label': labels })
    const missed = predicted.map((z, i) => (z - labels[i]!) ** 2)
    expect(details).toMatchObject({ from: 'last-returned', rule: 'auxiliary', candidates: 5, auxiliary: 5 })
    expect(details.threshold).toBeCloseTo(
      missed.reduce((sum, x) => sum + x / 5, 0),
      9,
    )
    const halved = await attacked({ auxiliary, 'auxiliary.label': labels }, { threshold: 'split' })
    const asked = everyCut(missed)
    expect(halved.details.rule).toBe('split')
    expect(halved.details.threshold).toBeCloseTo(asked.threshold, 8)
    expect(halved.details.splitExplains).toBeCloseTo(asked.explained, 8)
    const scores = (halved.claims[0] as { scores?: Float64Array }).scores!
    for (const [i, x] of missed.entries()) expect(scores[i]).toBeCloseTo(-x, 8)
  })

  test('whether the losses fall into two groups: from three quarters on', async () => {
    const at = async (logs: readonly number[]) => {
      const asked = { 'candidates.label': Float64Array.from(predicted, (z, i) => z + Math.exp(logs[i]! / 2)) }
      const { warnings, details } = await attacked(asked)
      const explained = details.splitExplains as number
      if (warnings.length > 0)
        expect(warnings[0]).toContain(`(the split explains ${(100 * explained).toPrecision(3)} %`)
      return [explained < 0.75, warnings.length]
    }
    expect(await at([0, 0, 0, 1, 1])).toEqual([false, 0])
    expect(await at([0, 0.3, 1, 1.3, 0.15])).toEqual([false, 0])
    expect(await at([0, 1.2, 1.5, 1.8, 3])).toEqual([true, 1])
  })

  test('progress, every thousand candidates', async () => {
    const many = matrix(2001, 3, rng(1).normals(6003))
    const shares: number[] = []
    const change = { candidates: { columns: own.columns, features: many }, 'candidates.label': new Float64Array(2001) }
    await attacked(change, {}, (share) => shares.push(share))
    expect(shares).toEqual([0, 1000 / 2001, 2000 / 2001])
  })
})
