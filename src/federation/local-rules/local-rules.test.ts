import { describe, expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../../test/small-federation.js'
import { type Batch, functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { cholesky, choleskySolve } from '../../numeric/linalg/cholesky.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { batchRows } from '../batches.js'
import { type FederationRound, federate, runToEnd } from '../federate.js'
import { heldPopulation } from '../population.js'
import { type FederationSpec, type RuleSpec, settle } from '../spec.js'
import { turnStream } from '../turn.js'
import { modelAfter } from '../updates.js'
import { localRules } from './index.js'

const model = createModel(smallSpec.model)
const functions = functionsOf(model)

async function roundsOf(spec: FederationSpec, population = smallPopulation): Promise<FederationRound[]> {
  const rounds: FederationRound[] = []
  await runToEnd(federate(spec, { population }), (round) => rounds.push(round))
  return rounds
}

function pick({ features, labels }: Batch, rows: ArrayLike<number>): Batch {
  const { cols, data } = features
  const list = Array.from(rows)
  const picked = list.flatMap((i) => [...data.subarray(i * cols, (i + 1) * cols)])
  return {
    features: matrix(list.length, cols, Float64Array.from(picked)),
    labels: Float64Array.from(list, (i) => labels[i]!),
  }
}

const close = (a: ArrayLike<number>, b: ArrayLike<number>, digits = 12): void => {
  expect(a.length).toBe(b.length)
  for (let j = 0; j < a.length; j++) expect(a[j]).toBeCloseTo(b[j]!, digits)
}

describe.each(Object.entries(localRules))('local rule contract: %s', (name, rule) => {
  const algorithm = name as keyof typeof localRules
  const ruleSpec: RuleSpec = { algorithm, learningRate: 0.05 }
  const batched = 'batchSize' in rule.params

  test('the table knows it by its own name, and its defaults are legal', () => {
    expect(rule.id).toBe(name)
    expect(settle({ ...smallSpec, rule: ruleSpec }).plan.learningRate).toBe(0.05)
  })
  test('same seed, same bits; another seed, another run', async () => {
    const spec = { ...smallSpec, rule: ruleSpec }
    const [a, b, c] = [await roundsOf(spec), await roundsOf(spec), await roundsOf({ ...spec, seed: 4 })]
    expect(a.map((r) => r.next)).toEqual(b.map((r) => r.next))
    expect(a.map((r) => r.updates)).toEqual(b.map((r) => r.updates))
    expect(a.at(-1)!.next).not.toEqual(c.at(-1)!.next)
  })
  test('one client, one step on all records is gradient descent', async () => {
    const one = heldPopulation([smallRecords[1]!])
    const steps = batched ? { localSteps: 1 } : {}
    const rounds = await roundsOf({ ...smallSpec, rounds: 5, rule: { ...ruleSpec, ...steps } }, one)
    let theta = rounds[0]!.global
    for (const { next } of rounds) {
      const { grad } = functions.gradient(theta, smallRecords[1]!)
      theta = theta.map((x, j) => x - 0.05 * grad[j]!)
      close(next, theta)
    }
  })
  test.each(rule.shares)('sharing %s changes the message, not the training', async (share) => {
    const [plain, other] = [undefined, share].map((s) => {
      return roundsOf({ ...smallSpec, rule: { ...ruleSpec, ...(s !== undefined && { share: s }) } })
    })
    for (const [t, { updates, next, global }] of (await other!).entries()) {
      const twin = (await plain!)[t]!
      close(next, twin.next)
      for (const [id, update] of updates) {
        expect(update.kind).toBe(share)
        const frame = { received: global, learningRate: 0.05 }
        close(modelAfter(update, frame), modelAfter(twin.updates.get(id)!, frame))
      }
    }
  })
  // n = 7: one record at a time, all in one, one more than there are.
  test.each(batched ? [1, 6, 7, 8, null] : [])('batches of %s records are those of plain SGD', async (batchSize) => {
    const one = heldPopulation([smallRecords[0]!])
    const spec = { ...smallSpec, rounds: 2, rule: { ...ruleSpec, localEpochs: 3, batchSize } }
    const { plan } = settle(spec)
    for (const { round, global, next } of await roundsOf(spec, one)) {
      const batches = batchRows(7, { plan, rng: turnStream(spec, { round, client: 0 }) })
      expect(batches.map((rows) => rows.length)).toEqual(
        Array.from({ length: 3 }, () => ({ 1: [1, 1, 1, 1, 1, 1, 1], 6: [6, 1] })[batchSize ?? 0] ?? [7]).flat(),
      )
      let theta = global
      for (const rows of batches) {
        const { grad } = functions.gradient(theta, pick(smallRecords[0]!, rows))
        theta = theta.map((x, j) => x - 0.05 * (grad[j]! + plan.proxMu * (theta[j]! - global[j]!)))
      }
      close(next, theta)
    }
  })
  test('a key that it does not have is refused, null is its default', () => {
    expect(() => settle({ ...smallSpec, rule: { ...ruleSpec, batch: 3 } as never })).toThrow(
      `unknown setting of local rule ${name}: "batch"`,
    )
    expect(settle({ ...smallSpec, rule: { ...ruleSpec, batchSize: null, localSteps: null } }).plan.batchSize).toBe(null)
  })
})

describe('batches', () => {
  const plan = { ...settle(smallSpec).plan, localEpochs: 2, batchSize: 4 }
  const stream = rng('turn')
  const rowsOf = (more: object) => batchRows(10, { plan: { ...plan, ...more }, rng: stream }).map((rows) => [...rows])
  test('every epoch reads every record once, the last batch short', () => {
    for (const shuffle of ['epoch', 'round', 'never']) {
      const batches = rowsOf({ shuffle })
      expect(batches.map((rows) => rows.length)).toEqual([4, 4, 2, 4, 4, 2])
      for (const epoch of [batches.slice(0, 3), batches.slice(3)]) {
        expect(epoch.flat().sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      }
    }
  })
  test('are reordered for every epoch, for every turn, never', () => {
    const halves = (batches: number[][]) => [batches.slice(0, 3).flat(), batches.slice(3).flat()] as const
    const [first, second] = halves(rowsOf({ shuffle: 'epoch' }))
    expect(first).not.toEqual(second)
    const [a, b] = halves(rowsOf({ shuffle: 'round' }))
    expect(a).toEqual(b)
    expect(a).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(rowsOf({ shuffle: 'never' }).slice(0, 3)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ])
  })
  test('steps are counted through the epochs', () => {
    const steps = rowsOf({ localEpochs: null, localSteps: 5 })
    expect(steps).toEqual(rowsOf({ localEpochs: 2 }).slice(0, 5))
  })
})

test('Poisson samples take each record with its probability, for as many steps', () => {
  const turn = { plan: { ...settle(smallSpec).plan, localEpochs: 100, batchSize: 4 }, rng: rng('p'), sampleRate: 0.2 }
  const batches = batchRows(10, turn)
  expect(batches.length).toBe(300)
  const times = new Array<number>(10).fill(0)
  for (const rows of batches) for (const row of rows) times[row]!++
  for (const n of times) expect(Math.abs(n - 60)).toBeLessThan(5 * Math.sqrt(300 * 0.2 * 0.8))
  expect(batches.some((rows) => rows.length === 0)).toBe(true)
})

test('momentum is forgotten between turns', async () => {
  const one = heldPopulation([smallRecords[1]!])
  const rule = { algorithm: 'fedavg', learningRate: 0.03, localSteps: 3, momentum: 0.8 } as const
  for (const { global, next } of await roundsOf({ ...smallSpec, rule }, one)) {
    let [theta, v] = [global, new Float64Array(5)]
    for (let s = 0; s < 3; s++) {
      const { grad } = functions.gradient(theta, smallRecords[1]!)
      v = v.map((x, j) => 0.8 * x + grad[j]!)
      theta = theta.map((x, j) => x - 0.03 * v[j]!)
    }
    close(next, theta)
  }
})

test('sums weigh clients by their records, or equally', async () => {
  const rule = { algorithm: 'fedsgd', learningRate: 0.1 } as const
  for (const aggregateWeights of ['samples', 'one'] as const) {
    const [{ global, next }] = (await roundsOf({ ...smallSpec, rule, aggregateWeights, rounds: 1 })) as [
      FederationRound,
    ]
    const n = aggregateWeights === 'samples' ? [7, 12, 5] : [1, 1, 1]
    const total = n[0]! + n[1]! + n[2]!
    const grads = smallRecords.map((records) => functions.gradient(global, records).grad)
    close(
      next,
      global.map((x, j) => x - 0.1 * grads.reduce((sum, g, k) => sum + (n[k]! / total) * g[j]!, 0)),
    )
  }
})

/** H = (1/n) A^T A and the least squares of A theta = y, where A has a column of ones at its end. */
function normal({ features, labels }: Batch) {
  const { rows: n, cols, data } = features
  const d = cols + 1
  const at = (i: number, j: number) => (j < cols ? data[i * cols + j]! : 1)
  const H = matrix(d, d)
  const b = new Float64Array(d)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      b[j]! += (at(i, j) * labels[i]!) / n
      for (let k = 0; k < d; k++) H.data[j * d + k]! += (at(i, j) * at(i, k)) / n
    }
  }
  const best = choleskySolve(cholesky(H), matrix(d, 1, b)).data
  return { d, H, best }
}

/** (I - c H)^E v. */
function contracted(H: { data: Float64Array }, v: Float64Array, { c, E }: { c: number; E: number }): Float64Array {
  let u = v
  for (let e = 0; e < E; e++) {
    u = u.map((x, j) => x - c * u.reduce((sum, y, k) => sum + H.data[j * u.length + k]! * y, 0))
  }
  return u
}

describe('linear least squares, full batch', () => {
  test('FedAvg follows the closed affine map of [lmra] 3.1 over 50 rounds', async () => {
    const rule = { algorithm: 'fedavg', learningRate: 0.1, localEpochs: 5 } as const
    const rounds = await roundsOf({ ...smallSpec, rounds: 50, rule })
    expect(rounds.length).toBe(50)
    const laws = smallRecords.map(normal)
    let worst = 0
    for (const { global, updates } of rounds) {
      for (const [k, { H, best }] of laws.entries()) {
        // theta_c = theta* + (I - 2 eta H)^E (theta - theta*), H the mean over records: theta - theta_c = W (theta - theta*).
        const left = contracted(
          H,
          global.map((x, j) => x - best[j]!),
          { c: 0.2, E: 5 },
        )
        const update = updates.get(String(k))!
        if (update.kind !== 'parameters') throw new Error('parameters were asked for')
        for (const [j, x] of update.theta.entries()) worst = Math.max(worst, Math.abs(x - best[j]! - left[j]!))
      }
    }
    expect(worst).toBeLessThan(1e-12)
    expect(rounds[0]!.next).not.toEqual(rounds[49]!.next)
  })

  test('FedProx comes to rest where the pull equals the gradient, at a distance that mu decides', async () => {
    const one = heldPopulation([smallRecords[1]!])
    const { H, best, d } = normal(smallRecords[1]!)
    for (const proxMu of [0, 0.5, 5]) {
      const rule = { algorithm: 'fedprox', learningRate: 0.08, localSteps: 8000, proxMu } as const
      const [{ global, next }] = (await roundsOf({ ...smallSpec, rounds: 1, rule }, one)) as [FederationRound]
      // 2 H (theta - theta*) + mu (theta - theta_t) = 0
      for (let j = 0; j < d; j++) {
        let residual = proxMu * (next[j]! - global[j]!)
        for (let k = 0; k < d; k++) residual += 2 * H.data[j * d + k]! * (next[k]! - best[k]!)
        expect(Math.abs(residual)).toBeLessThan(1e-10)
      }
    }
  })
})
