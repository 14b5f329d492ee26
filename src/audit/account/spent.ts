/** What a setup spends: the mechanism that its steps are, for each client, and epsilon between two bounds. */
import { type Bounds, epsilonBounds, largestAdvantage } from '../../accounting/loss-bounds.js'
import { gaussianMuSquared, type Mechanism, type Neighbours, type SampledGaussian } from '../../accounting/mechanism.js'
import { type RdpEpsilon, rdpEpsilon } from '../../accounting/rdp-account.js'
import { treeSensitivity } from '../../accounting/tree-sums.js'
import { roundingShare } from '../../defences/secure-aggregation/shared-noise.js'
import { OverhearError } from '../../errors.js'
import { exp } from '../../numeric/special/elementary-functions.js'
import { type Setup, type SetupClient, stepsOfTurn, wholeBatches } from './setup.js'

/** One accounted composition. */
export interface Spent {
  readonly neighbours: Neighbours
  readonly delta: number
  /** Between which two numbers epsilon lies, by privacy losses; from 0 to the bound by Rényi divergences where there is no other. */
  readonly epsilon: Bounds
  /** The bound by Rényi divergences; null where there is none for these steps. */
  readonly renyi: RdpEpsilon | null
  /** Of any guess whether a record (or client) took part: true alarms less false ones, at most. */
  readonly advantage: number
}

export function spentBy(
  mechanisms: readonly Mechanism[],
  { delta, neighbours }: Pick<Spent, 'delta' | 'neighbours'>,
): Spent {
  const none = neighbours === 'replace' && mechanisms.some((one) => one.kind === 'gaussian' && one.sampleRate < 1)
  return {
    neighbours,
    delta,
    epsilon: epsilonBounds(mechanisms, delta, { neighbours, tolerance: 2e-4 }),
    renyi: none ? null : rdpEpsilon(mechanisms, delta, { neighbours }),
    advantage: largestAdvantage(mechanisms, neighbours).upper,
  }
}

/** What one client's records (or the client as a whole) go through. */
export interface ClientSteps {
  readonly mechanism: Mechanism
  readonly neighbours: Neighbours
  /** How the batches are drawn, in words. */
  readonly batches: string
  /** Noise on whole numbers: only Rényi divergences bound it, and a change may be longer by this share of C once rounded. */
  readonly rounded?: number
}

/**
 * Sums of discrete Gaussians have the Rényi divergences of one Gaussian but for less than 1e-60 at the deviations that clients
 * accept ([kairouz2021b] Thm. 1: tau), on changes that rounding has made a little longer. No lower bound is known.
 */
function spentRounded(one: SampledGaussian, share: number, at: Pick<Spent, 'delta' | 'neighbours'>): Spent {
  const longer = { ...one, noiseMultiplier: one.noiseMultiplier / (1 + share) }
  const renyi = rdpEpsilon([longer], at.delta, at)
  // Pinsker's bound on the distance in variation by the divergence, and that of Bretagnolle and Huber.
  const divergence = 0.5 * gaussianMuSquared(longer, at.neighbours)!
  const advantage = Math.min(Math.sqrt(divergence / 2), Math.sqrt(1 - exp(-divergence)))
  return { ...at, epsilon: { lower: 0, upper: renyi.epsilon }, renyi, advantage }
}

const cannot = (what: string, hint: string): OverhearError => new OverhearError('E_INPUT', what, hint)

/** The mechanism that a client's turns are; an error says what is missing for it. */
export function clientSteps(setup: Setup, client: SetupClient): ClientSteps {
  const { privacy } = setup
  if (privacy === null) throw cannot('no differential privacy is stated', 'without noise no epsilon holds')
  const { noiseMultiplier, maxNorm, unit = 'record' } = privacy
  if (noiseMultiplier === null || noiseMultiplier === 0) {
    throw cannot(`the noise multiplier is ${noiseMultiplier ?? 'not stated'}`, 'without noise no epsilon holds')
  }
  if (maxNorm === null) throw cannot('no clipping norm is stated', 'what is not clipped can move the sum without limit')
  return unit === 'client' ? wholeClient(setup, client, noiseMultiplier) : oneRecord(setup, client, noiseMultiplier)
}

/** Nodes of a tree with noise of their own are one Gaussian step, as far as the client moves all of them together. */
function runningSums(setup: Setup, client: SetupClient, noiseMultiplier: number): ClientSteps {
  // A round without anybody has no sum.
  const held = setup.participants?.filter((ids) => ids.length > 0)
  const rounds = held?.length ?? setup.rounds
  const all = Array.from({ length: rounds }, (_, r) => r + 1)
  const turns = held === undefined ? all : all.filter((t) => held[t - 1]!.includes(client.id))
  const moved = treeSensitivity(turns, rounds)
  return {
    neighbours: setup.privacy!.neighbours ?? 'add-remove',
    batches: `running sums of a tree, ${turns.length} turns in ${rounds} rounds`,
    mechanism: {
      kind: 'gaussian',
      noiseMultiplier: noiseMultiplier / Math.max(1, moved),
      sampleRate: 1,
      steps: moved > 0 ? 1 : 0,
    },
  }
}

/** A client's update is clipped, the noise is on the sum: one step for each of its turns, or each round where it is sampled. */
function wholeClient(setup: Setup, client: SetupClient, noiseMultiplier: number): ClientSteps {
  const { mechanism, sampleRate, sampling, neighbours = 'add-remove' } = setup.privacy!
  if (mechanism === 'dp-ftrl') return runningSums(setup, client, noiseMultiplier)
  if (mechanism === 'distributed-dp') {
    return {
      neighbours,
      batches: 'as many sums as the client has turns, each of as few clients as may be',
      rounded: roundingShare,
      mechanism: { kind: 'gaussian', noiseMultiplier, sampleRate: 1, steps: client.turns },
    }
  }
  const sampled = sampling === 'poisson' && sampleRate !== null && sampleRate > 0 && sampleRate < 1
  return {
    neighbours,
    batches: sampled
      ? `each client takes part with probability ${sampleRate}`
      : 'as many steps as the client has turns',
    mechanism: {
      kind: 'gaussian',
      noiseMultiplier,
      sampleRate: sampled ? sampleRate : 1,
      steps: sampled ? setup.rounds : client.turns,
    },
  }
}

function oneRecord(setup: Setup, client: SetupClient, noiseMultiplier: number): ClientSteps {
  const { sampleRate, sampling, neighbours } = setup.privacy!
  const perTurn = stepsOfTurn(setup, client.records)
  const { records, turns } = client
  const sampled = sampleRate !== null && sampleRate > 0
  const whole = wholeBatches(setup, records)
  if (perTurn === null) {
    throw cannot(`how many records client ${client.id} has is not known`, 'its steps follow from them: state samples')
  }
  if (sampled && (sampling ?? 'poisson') === 'poisson') {
    return {
      neighbours: neighbours ?? 'add-remove',
      batches: `Poisson, each record with probability ${sampleRate}`,
      mechanism: { kind: 'gaussian', noiseMultiplier, sampleRate, steps: turns * perTurn },
    }
  }
  if (sampling === 'fixed' && !whole && records !== null) {
    return {
      neighbours: 'replace',
      batches: `${setup.batchSize} of ${records} records, drawn anew for each step`,
      mechanism: {
        kind: 'fixed-size',
        noiseMultiplier,
        sampleRate: setup.batchSize! / records,
        steps: turns * perTurn,
      },
    }
  }
  // Batches of a shuffled order: a record is in one step of each epoch, and nothing is hidden by which.
  const epochs = setup.localSteps === null || whole ? null : Math.ceil((setup.localSteps * setup.batchSize!) / records!)
  return {
    neighbours: whole ? (neighbours ?? 'add-remove') : 'replace',
    batches: whole ? 'all records in every step' : 'each record once in an epoch, which hides nothing by itself',
    mechanism: {
      kind: 'gaussian',
      noiseMultiplier,
      sampleRate: 1,
      steps: turns * (whole ? perTurn : (epochs ?? setup.localEpochs ?? 1)),
    },
  }
}

export interface ClientSpent extends Spent {
  readonly client: string
  readonly turns: number
  readonly steps: number
  readonly batches: string
}

/** Every client by its own participation, those who spend most first; alike compositions are computed once. */
export function clientsSpent(setup: Setup, delta?: number): ClientSpent[] {
  const stated = delta ?? setup.privacy?.delta ?? null
  if (stated === null || !(stated > 0 && stated < 1)) {
    throw cannot(`delta is ${stated ?? 'not stated'}`, 'give --delta, below one over the records')
  }
  const known = new Map<string, Spent>()
  const all = setup.clients.map((client): ClientSpent => {
    const { mechanism, neighbours, batches, rounded } = clientSteps(setup, client)
    const key = JSON.stringify([mechanism, neighbours])
    const at = { delta: stated, neighbours }
    const spent =
      known.get(key) ??
      (rounded === undefined ? spentBy([mechanism], at) : spentRounded(mechanism as SampledGaussian, rounded, at))
    known.set(key, spent)
    const steps = 'steps' in mechanism ? mechanism.steps : 0
    return { client: client.id, turns: client.turns, steps, batches, ...spent }
  })
  return all.sort((a, b) => b.epsilon.upper - a.epsilon.upper)
}
