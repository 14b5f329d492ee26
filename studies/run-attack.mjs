// Runs attacks of the table outside an audit, on views that a study has made, and reads what they claim.
import { attacks } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'

/** @typedef {import('../dist/attacks/attack.js').AnyView} AnyView */
/** @typedef {import('../dist/attacks/attack.js').Context} Context */
/** @typedef {import('../dist/attacks/attack.js').Detail} Detail */
/** @typedef {import('../dist/doors/attacks.js').Outcome} Outcome */
/** @typedef {import('../dist/threat/granted-keys.js').Knowledge['protocol']} Protocol */
/** @typedef {Readonly<Record<string, unknown>>} Params */
/** @typedef {import('../dist/doors/models.js').ModelSpec & import('../dist/threat/granted-keys.js').Knowledge['model']} Spec a model as a manifest has it, nothing left open */

/** Lets the engine take back the memory of programs that nobody holds: it hears of them between tasks only. */
const breathe = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Runs an attack on a view cut down to what it may have. Others that it asks (`from=`) run on the same view, unless
 * `claimOf` answers for them.
 * @param {string} id
 * @param {AnyView} view
 * @param {{ params?: Params, seed?: number, stream?: Context['rng'], claimOf?: Context['claimOf'] }} [options]
 * @returns {Promise<Outcome>}
 */
export async function runAttack(id, view, { params = {}, seed = 1, stream, claimOf } = {}) {
  const attack = lookup(attacks, id, 'attack')
  /** @type {AnyView} */
  let granted = {}
  for (const key of [...attack.needs, ...attack.uses]) if (key in view) granted = { ...granted, [key]: view[key] }
  await breathe()
  return attack.run(granted, {
    params,
    rng: stream ?? rng(seed).fork('attack', id),
    tick() {},
    claimOf: claimOf ?? ((other, its = {}) => runAttack(other, view, { params: its, seed })),
  })
}

/** @param {Outcome} outcome */
export function claimed(outcome) {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  return outcome
}

/**
 * The first claim, which is of this kind.
 * @template {import('../dist/doors/attacks.js').ClaimKind} K
 * @param {Outcome} outcome
 * @param {K} kind
 */
export function claimIn(outcome, kind) {
  const [claim] = claimed(outcome).claims
  if (!isOf(kind, claim)) throw new Error(`a claim of kind ${kind} was expected, not ${claim?.kind}`)
  return claim
}

/**
 * @template {import('../dist/doors/attacks.js').ClaimKind} K
 * @param {K} kind
 * @param {import('../dist/doors/attacks.js').Claim | undefined} claim
 * @returns {claim is import('../dist/doors/attacks.js').ClaimOf<K>}
 */
function isOf(kind, claim) {
  return claim?.kind === kind
}

/** A figure beside a claim; one that is not a number is an error. @param {Outcome} outcome @param {string} name */
export function numberIn(outcome, name) {
  const detail = claimed(outcome).details[name]
  if (typeof detail !== 'number') throw new Error(`${name} is ${JSON.stringify(detail)}`)
  return detail
}

/** @type {Protocol} */
const plain = {
  algorithm: 'fedsgd',
  share: 'gradient',
  localEpochs: null,
  localSteps: null,
  batchSize: null,
  learningRate: null,
  momentum: 0,
  proxMu: 0,
  dropout: 0,
  lossScale: 1,
  aggregateWeights: 'one',
  aggregation: 'weighted-mean',
  secureAggregation: false,
  differentialPrivacy: null,
}

/** A protocol that is told of but for what is said here: one gradient, nothing that protects. @param {Partial<Protocol>} own @returns {Protocol} */
export const protocolOf = (own) => ({ ...plain, ...own })
