/**
 * Canaries in a real training: records of one client, or clients, each of which is in or out by a fair coin, and what can be
 * heard of them. Each has parameters of its own that nobody else moves, so that what it does is not lost among the others'.
 */

import { oneRunAudit, type ScoredCanaries } from '../../accounting/one-run.js'
import type { Records } from '../../data/records.js'
import { OverhearError } from '../../errors.js'
import { type FederationRound, federate } from '../../federation/federate.js'
import type { Defence } from '../../federation/hooks.js'
import { heldPopulation, type Population } from '../../federation/population.js'
import { type FederationSpec, settle } from '../../federation/spec.js'
import { changeOf } from '../../federation/updates.js'
import { functionsOf } from '../../models/functions.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'

/** Records, and which parameters are whose. */
export interface Canaries {
  readonly records: Records
  /** Places of theta that only canary i moves far. */
  own(i: number): readonly number[]
}

export interface CanaryFederation {
  readonly spec: FederationSpec
  readonly population: Population
  readonly defences: readonly Defence[]
  readonly canaries: Canaries
  /** Records of a client (its number), or clients of their own. */
  readonly among: { readonly unit: 'record'; readonly client: number } | { readonly unit: 'client' }
  /** Of the coins. */
  readonly seed: number
}

/** What was heard of every canary, in several ways; more speaks for "in". */
export interface HeardCanaries {
  readonly inTraining: readonly boolean[]
  readonly scores: readonly Float64Array[]
  /** Records of the client under a record's canaries; null for clients. */
  readonly records: number | null
}

/** Trains with some of the canaries, and listens. */
export async function heardCanaries(federation: CanaryFederation): Promise<HeardCanaries> {
  const { spec, defences, canaries, among, seed } = federation
  const m = canaries.records.features.rows
  const inTraining = Array.from(rng(seed).fork('canaries', 'coins').uniforms(m), (u) => u < 0.5)
  const population = withCanaries(federation, inTraining)
  const before = federation.population.count
  const heard = listener(federation, population)
  for await (const round of federate(spec, { population, defences })) {
    if (among.unit === 'record') heard.message(round, population.id(among.client))
    else if (defences.some(({ aggregate }) => aggregate !== undefined)) heard.sum(round, before)
    else heard.messages(round, before)
  }
  const records = among.unit === 'record' ? population.samples(among.client) : null
  return { inTraining, scores: heard.scores(), records }
}

/** The bound from whichever way of listening is best, all of them paid for. */
export function canaryBound(
  { inTraining, scores }: HeardCanaries,
  { delta, confidence }: { readonly delta: number; readonly confidence: number },
): number {
  const strict = 1 - (1 - confidence) / scores.length
  const bounds = scores.map((one) => {
    const scored: ScoredCanaries = { scores: one, inTraining }
    return oneRunAudit(scored, { delta, confidence: strict, thresholds: 'bonferroni' }).epsilon
  })
  return Math.max(...bounds)
}

/** Those who are out hold a record that is all zeros in the place of theirs, where they are clients; as records they are not there. */
function withCanaries({ population, canaries, among }: CanaryFederation, inTraining: readonly boolean[]): Population {
  const { features, labels } = canaries.records
  const all = Array.from({ length: population.count }, (_, k) => population.records(k))
  const each = labels.length / features.rows
  const rows = (list: readonly number[], times = 1): Records => {
    const made = {
      features: matrix(list.length * times, features.cols),
      labels: new Float64Array(list.length * times * each),
    }
    for (let t = 0; t < times; t++) {
      for (const [at, i] of list.entries()) {
        const place = t * list.length + at
        made.features.data.set(
          features.data.subarray(i * features.cols, (i + 1) * features.cols),
          place * features.cols,
        )
        made.labels.set(labels.subarray(i * each, (i + 1) * each), place * each)
      }
    }
    return made
  }
  const inside = inTraining.flatMap((is, i) => (is ? [i] : []))
  if (among.unit === 'record') {
    const own = all[among.client]!
    const [n, more] = [own.features.rows, rows(inside)]
    const joined = matrix(n + inside.length, features.cols)
    joined.data.set(own.features.data)
    joined.data.set(more.features.data, n * features.cols)
    all[among.client] = { features: joined, labels: Float64Array.of(...own.labels, ...more.labels) }
    return heldPopulation(all)
  }
  // As many copies as the largest client has records: it counts as much as anybody may.
  const most = Math.max(...all.map((one) => one.features.rows))
  const nothing = { features: matrix(most, features.cols), labels: new Float64Array(most * each) }
  return heldPopulation([...all, ...inTraining.map((is, i) => (is ? rows([i], most) : nothing))])
}

function listener({ spec, canaries }: CanaryFederation, population: Population) {
  const settled = settle(spec)
  const { model, loss, lossScale } = settled
  const functions = functionsOf(model, { loss, lossScale })
  const m = canaries.records.features.rows
  const [total, contrast] = [new Float64Array(m), new Float64Array(m)]
  const sides = Array.from({ length: m }, () => ({ with: 0, without: 0, turns: 0, others: 0 }))
  const { features, labels } = canaries.records
  const each = labels.length / m
  const flat = model.affine && model.outputs === 1 && loss === 'mse'
  /** Where canary i would push its own parameters from here. */
  const directionsAt = (theta: Float64Array): Float64Array[] => {
    if (flat) {
      // The gradient of a record is its inputs times its error: one place has one sign.
      const { data } = functions.predict(theta, features)
      return Array.from(labels, (y, i) =>
        Float64Array.from(canaries.own(i), (j) =>
          Math.sign((y - data[i]!) * (features.data[i * features.cols + j] ?? 1)),
        ),
      )
    }
    const found: Float64Array[] = []
    for (let i = 0; i < m; i += 32) {
      const n = Math.min(32, m - i)
      const batch = {
        features: {
          ...matrix(0, features.cols),
          rows: n,
          data: features.data.slice(i * features.cols, (i + n) * features.cols),
        },
        labels: labels.slice(i * each, (i + n) * each),
      }
      const { data } = functions.gradPerExample(theta, batch)
      for (let k = 0; k < n; k++) {
        const own = Float64Array.from(canaries.own(i + k), (j) => -data[k * functions.size + j]!)
        const length = Math.sqrt(own.reduce((sum, x) => sum + x * x, 0))
        found.push(length > 0 ? own.map((x) => x / length) : own)
      }
    }
    return found
  }
  const along = (change: Float64Array, i: number, direction: Float64Array): number =>
    canaries.own(i).reduce((sum, j, at) => sum + change[j]! * direction[at]!, 0)
  const changeIn = ({ updates, global, sent, learningRate }: FederationRound, id: string): Float64Array | undefined => {
    const update = updates.get(id)
    return update && changeOf(update, { received: sent.get(id) ?? global, learningRate })
  }
  return {
    /** The message of the client whose records they are. */
    message(round: FederationRound, id: string): void {
      const change = changeIn(round, id)
      if (change === undefined) return
      for (const [i, direction] of directionsAt(round.global).entries()) total[i]! += along(change, i, direction)
    },
    /** The sum: with the canary, and beside that, sums of rounds that it was asked in less those of others. */
    sum(round: FederationRound, before: number): void {
      const change = round.aggregate ?? round.next.map((x, j) => x - round.global[j]!)
      for (const [i, direction] of directionsAt(round.global).entries()) {
        const moved = along(change, i, direction)
        const side = sides[i]!
        if (round.participants.includes(population.id(before + i))) {
          total[i]! += moved
          side.with += moved
          side.turns++
        } else {
          side.without += moved
          side.others++
        }
      }
      for (const [i, { with: a, without: b, turns, others }] of sides.entries())
        contrast[i] = turns > 0 && others > 0 ? a / turns - b / others : 0
    },
    /** Every client's own message, and the same less what all others sent in its place. */
    messages(round: FederationRound, before: number): void {
      const mean = new Float64Array(round.global.length)
      const changes = new Map(round.participants.map((id) => [id, changeIn(round, id)!]))
      for (const change of changes.values()) for (let j = 0; j < mean.length; j++) mean[j]! += change[j]! / changes.size
      for (const [i, direction] of directionsAt(round.global).entries()) {
        const change = changes.get(population.id(before + i))
        if (change === undefined) continue
        const [own, all] = [along(change, i, direction), along(mean, i, direction)]
        total[i]! += own
        contrast[i]! += own - all
      }
    },
    scores: (): Float64Array[] => (contrast.some((x) => x !== 0) ? [total, contrast] : [total]),
  }
}

/** The same federation with m columns more, each of which only one canary has anything in. */
export function widened(
  spec: FederationSpec,
  population: Population,
  { canaries: m, reach = 5 }: { readonly canaries: number; readonly reach?: number },
): Pick<CanaryFederation, 'spec' | 'population' | 'canaries'> {
  const { model, loss } = settle(spec)
  if (model.dense === undefined) {
    throw new OverhearError(
      'E_INPUT',
      `canaries in a ${model.kind} model`,
      'they need a model of fully connected layers',
    )
  }
  const [narrow, wide] = [model.inputs, model.inputs + m]
  const all = Array.from({ length: population.count }, (_, k) => population.records(k))
  const held = all.map(({ features, labels }) => {
    const made = matrix(features.rows, wide)
    for (let i = 0; i < features.rows; i++)
      made.data.set(features.data.subarray(i * narrow, (i + 1) * narrow), i * wide)
    return { features: made, labels }
  })
  const features = matrix(m, wide)
  for (let i = 0; i < m; i++) features.data[i * wide + narrow + i] = reach
  const size = Math.max(1, ...all.map(({ labels }) => labels.reduce((most, y) => Math.max(most, Math.abs(y)), 0)))
  const each = all[0]!.labels.length / all[0]!.features.rows
  // So far from what anybody would predict that no noise turns it round; of classes the last.
  const label = loss === 'mse' ? 1000 * size : size
  const units = model.dense.hidden[0] ?? model.outputs
  return {
    spec: { ...spec, model: { ...spec.model, inputs: wide } as FederationSpec['model'] },
    population: heldPopulation(held),
    canaries: {
      records: { features, labels: new Float64Array(m * each).fill(label) },
      own: (i) => Array.from({ length: units }, (_, h) => h * wide + narrow + i),
    },
  }
}
