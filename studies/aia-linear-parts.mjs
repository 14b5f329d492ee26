// What the study of aia-linear measures, but for the curves: one task a row.
import { functionsOf } from '../dist/doors/models.js'
import { lookup } from '../dist/errors.js'
import { accuracy, federate, runOracle, turnsOnly } from './attribute-run.mjs'
import { at } from './figures.mjs'
import { claimed, claimIn, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {import('./attribute-run.mjs').Client} Client */
/** @typedef {import('./attribute-run.mjs').ClientView} ClientView */
/** @typedef {import('./run-attack.mjs').Detail} Detail */
/** @typedef {import('./run-attack.mjs').Outcome} Outcome */

/**
 * What a task measures; each part has some of it.
 * @typedef {object} Measured
 * @property {number} records
 * @property {number} [seed]
 * @property {number} [client]
 * @property {number} [h]
 * @property {string} [curve]
 * @property {string} [precision]
 * @property {string | readonly string[]} [refused] why there is no claim
 * @property {number} [majority]
 * @property {number} [lastReturned]
 * @property {number} [lastReturnedSureWrong]
 * @property {number} [accuracy]
 * @property {number} [oracleAccuracy]
 * @property {number} [wrong]
 * @property {number} [confidence]
 * @property {number} [sure]
 * @property {number} [sureWrong]
 * @property {number} [lossBefore]
 * @property {number} [lossAfter]
 * @property {number} [lossOracle]
 * @property {readonly string[]} [warnings]
 * @property {Record<string, Detail | undefined>} [details]
 */
/** @typedef {{ name: string, measure: () => Promise<Measured> }} Task */
/** @typedef {Measured & { part: string, name: string, seconds: number }} Row as the ledger keeps it */

/**
 * @typedef {object} Choice
 * @property {readonly number[]} seeds
 * @property {readonly number[]} clients
 * @property {readonly number[]} heterogeneity
 * @property {readonly { seed: number, client: number }[]} income
 * @property {readonly string[]} curves
 */

/** Settings of aia Table 1 for Medical, as its code has them. */
const medical = { partition: { id: 'iid', params: { clients: 2 } }, attribute: 'smoker', learningRate: 2e-6 }

/** Loaded and trained once for as long as the options stay the same. */
let kept = { key: '', clients: /** @type {Client[]} */ ([]) }
/** @param {number} seed @param {number} client @param {Partial<import('./attribute-run.mjs').RunOptions>} [options] */
export async function medicalClient(seed, client, options = {}) {
  const key = JSON.stringify([seed, options])
  if (kept.key !== key)
    kept = { key, clients: federate({ source: await sourceOf('medical'), ...medical, seed, ...options }) }
  return at(kept.clients, client)
}

/** How an attack's guesses fare: the sure ones are those with a confidence of 0.99 and more. @param {Outcome} outcome @param {Int32Array} truth */
function graded(outcome, truth) {
  const { confidence = [], values } = claimIn(outcome, 'attribute')
  const wrong = Array.from(truth, (v, i) => Number(values[i] !== v))
  const sure = Array.from(truth, (_, i) => Number(at(confidence, i) >= 0.99))
  const { warnings, details } = claimed(outcome)
  const { solver, determined, misfit, passes } = details
  return {
    accuracy: accuracy(outcome, truth),
    wrong: sum(wrong),
    confidence: sum(Array.from(confidence)) / truth.length,
    sure: sum(sure),
    sureWrong: sum(sure.map((one, i) => one * at(wrong, i))),
    warnings,
    details: { solver, determined, misfit, passes },
  }
}

/** @param {readonly number[]} xs */
const sum = (xs) => xs.reduce((total, x) => total + x, 0)

/** Always the commonest value. @param {Int32Array} truth */
function majority(truth) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const v of truth) counts.set(v, (counts.get(v) ?? 0) + 1)
  return Math.max(...counts.values()) / truth.length
}

/** What aia-linear said of a client of Medical, for what builds on it. @type {Map<string, Outcome>} */
const said = new Map()

/** aia-linear beside what needs no messages and what needs the last alone. @param {ClientView} view @param {Int32Array} truth @param {Record<string, unknown>} [params] */
export async function besides(view, truth, params = {}) {
  return compared(view, truth, await runAttack('aia-linear', view, { params }))
}

/** @param {ClientView} view @param {Int32Array} truth @param {Outcome} outcome @returns {Promise<Measured>} */
async function compared(view, truth, outcome) {
  if (outcome.status !== 'claimed') return { records: truth.length, refused: outcome.why ?? outcome.missing }
  const last = graded(await runAttack('aia-model', view), truth)
  return {
    records: truth.length,
    majority: majority(truth),
    lastReturned: last.accuracy,
    lastReturnedSureWrong: last.sureWrong,
    ...graded(outcome, truth),
  }
}

/**
 * A task for each client of each seed.
 * @param {Choice} options
 * @param {(seed: number, client: number) => Promise<Measured>} measure
 * @returns {Task[]}
 */
const over = ({ seeds, clients }, measure) =>
  seeds.flatMap((seed) =>
    clients.map((client) => ({
      name: `seed ${seed}, client ${client}`,
      measure: async () => ({ seed, client, ...(await measure(seed, client)) }),
    })),
  )

/** @type {Record<string, (options: Choice) => Task[]>} */
const parts = {
  medical: (options) =>
    over(options, async (seed, client) => {
      const { view, truth } = await medicalClient(seed, client)
      const outcome = await runAttack('aia-linear', view)
      said.set(`${seed} ${client}`, outcome)
      return compared(view, truth, outcome)
    }),
  exact: (options) =>
    /** @type {const} */ (['f64', 'f32']).flatMap((precision) =>
      over(options, async (seed, client) => {
        const { view, truth } = await medicalClient(seed, client, { rounds: 1, batchSize: null, precision })
        const outcome = await runAttack('aia-linear', view)
        const { condition, trustedDigits, verified, misfit } = claimed(outcome).details
        return {
          precision,
          records: truth.length,
          ...graded(outcome, truth),
          details: { condition, trustedDigits, verified, misfit },
        }
      }).map(({ name, measure }) => ({ name: `${precision}, ${name}`, measure })),
    ),
  active: (options) =>
    over(options, async (seed, client) => {
      const { view, truth, turn } = await medicalClient(seed, client)
      let sent = 0
      /** @param {string} _ @param {Float64Array} theta */
      const channel = async (_, theta) => turn(theta, sent++)
      return { records: truth.length, ...graded(await runAttack('aia-linear-active', { ...view, channel }), truth) }
    }),
  model: (options) =>
    over(options, async (seed, client) => {
      const target = await medicalClient(seed, client)
      const { view, truth, records, model } = target
      const functions = functionsOf(model, { loss: view.loss })
      const attributes = said.get(`${seed} ${client}`) ?? (await runAttack('aia-linear', view))
      const trained = await onClaim('lmra-data', view, attributes)
      const oracle = await runOracle('model-oracle', target, { params: { iterations: 3000 } })
      const last = await runAttack('last-returned', view)
      /** @param {Outcome} outcome */
      const lossOf = (outcome) => functions.loss(claimIn(outcome, 'model').theta, records)
      /** @param {Outcome} outcome */
      const accuracyOf = async (outcome) => accuracy(await onClaim('aia-model', view, outcome), truth)
      const { iterations, stopped } = claimed(trained).details
      return {
        records: truth.length,
        lossBefore: lossOf(last),
        lossAfter: lossOf(trained),
        lossOracle: lossOf(oracle),
        accuracy: await accuracyOf(trained),
        oracleAccuracy: await accuracyOf(oracle),
        details: { iterations, stopped },
      }
    }),
  income: ({ heterogeneity, income }) =>
    heterogeneity
      .flatMap((h) => income.map((one) => ({ h, ...one })))
      .map(({ h, seed, client }) => ({
        name: `h ${h}, seed ${seed}, client ${client}`,
        measure: async () => {
          const { view, truth } = await incomeClient({ h, seed, client })
          const some = view.exchanges.rounds.filter((round) => round % 4 === 3) // the last one among them
          return { h, ...(await besides(turnsOnly(view, some), truth, { rehearsals: 2 })) }
        },
      })),
}

/** @param {string} part @param {Choice} options */
export function partTasks(part, options) {
  return lookup(parts, part, 'part')(options)
}

/** An attack that builds on what another one has said already. @param {string} id @param {ClientView} view @param {Outcome} outcome */
function onClaim(id, view, outcome) {
  return runAttack(id, view, { claimOf: async () => outcome })
}

/** Louisiana 2024, full encoding, ten clients. @param {{ h: number, seed: number, client: number }} which */
async function incomeClient({ h, seed, client }) {
  const source = await sourceOf('acs-income')
  const partition = { id: 'heterogeneous', params: { heterogeneity: h } }
  const clients = federate({ source, partition, attribute: 'SEX', learningRate: 5e-7, seed })
  return at(clients, client)
}
