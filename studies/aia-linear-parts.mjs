// What the study of aia-linear measures, but for the curves: one task a row.
import { modelOracle } from '../dist/audit/oracles/model-oracle.js'
import { attacks } from '../dist/doors/attacks.js'
import { createModel, functionsOf } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import { accuracy, federate, run, sourceOf, turnsOnly } from './attribute-run.mjs'

/** Settings of aia Table 1 for Medical, as its code has them. */
export const medical = { partition: { id: 'iid', params: { clients: 2 } }, attribute: 'smoker', learningRate: 2e-6 }

/** Loaded and trained once for as long as the options stay the same. */
let kept = { key: '', federation: undefined }
export async function medicalClient(seed, client, options = {}) {
  const key = JSON.stringify([seed, options])
  if (kept.key !== key)
    kept = { key, federation: federate({ source: await sourceOf('medical'), ...medical, seed, ...options }) }
  return kept.federation.clients[client]
}

/** How an attack's guesses fare: the sure ones are those with a confidence of 0.99 and more. */
export function graded(outcome, truth) {
  const { confidence, values } = outcome.claims[0]
  const wrong = truth.map((v, i) => Number(values[i] !== v))
  const sure = truth.map((_, i) => Number(confidence[i] >= 0.99))
  const { solver, determined, misfit, passes } = outcome.details
  return {
    accuracy: accuracy(outcome, truth),
    wrong: sum(wrong),
    confidence: sum(confidence) / truth.length,
    sure: sum(sure),
    sureWrong: sum(sure.map((one, i) => one * wrong[i])),
    warnings: outcome.warnings,
    details: { solver, determined, misfit, passes },
  }
}

const sum = (xs) => xs.reduce((total, x) => total + x, 0)

/** Always the commonest value. */
export function majority(truth) {
  const counts = new Map()
  for (const v of truth) counts.set(v, (counts.get(v) ?? 0) + 1)
  return Math.max(...counts.values()) / truth.length
}

/** What aia-linear said of a client of Medical, for what builds on it. */
const said = new Map()

/** aia-linear beside what needs no messages and what needs the last alone. */
export async function besides(view, truth, params = {}) {
  return compared(view, truth, await run('aia-linear', view, params))
}

async function compared(view, truth, outcome) {
  if (outcome.status !== 'claimed') return { records: truth.length, refused: outcome.why ?? outcome.missing }
  const last = graded(await run('aia-model', view), truth)
  return {
    records: truth.length,
    majority: majority(truth),
    lastReturned: last.accuracy,
    lastReturnedSureWrong: last.sureWrong,
    ...graded(outcome, truth),
  }
}

const over = ({ seeds, clients }, measure) =>
  seeds.flatMap((seed) =>
    clients.map((client) => ({
      name: `seed ${seed}, client ${client}`,
      measure: async () => ({ seed, client, ...(await measure(seed, client)) }),
    })),
  )

const parts = {
  medical: (options) =>
    over(options, async (seed, client) => {
      const { view, truth } = await medicalClient(seed, client)
      const outcome = await run('aia-linear', view)
      said.set(`${seed} ${client}`, outcome)
      return compared(view, truth, outcome)
    }),
  exact: (options) =>
    ['f64', 'f32'].flatMap((precision) =>
      over(options, async (seed, client) => {
        const { view, truth } = await medicalClient(seed, client, { rounds: 1, batchSize: null, precision })
        const outcome = await run('aia-linear', view)
        const { condition, trustedDigits, verified, misfit } = outcome.details
        return {
          ...{ precision, records: truth.length, ...graded(outcome, truth) },
          details: { condition, trustedDigits, verified, misfit },
        }
      }).map(({ name, measure }) => ({ name: `${precision}, ${name}`, measure })),
    ),
  active: (options) =>
    over(options, async (seed, client) => {
      const { view, truth, turn } = await medicalClient(seed, client)
      let sent = 0
      const channel = async (_, theta) => turn(theta, sent++)
      return { records: truth.length, ...graded(await run('aia-linear-active', { ...view, channel }), truth) }
    }),
  model: (options) =>
    over(options, async (seed, client) => {
      const { view, truth, records } = await medicalClient(seed, client)
      const functions = functionsOf(createModel(view.model), { loss: view.loss })
      const attributes = said.get(`${seed} ${client}`) ?? (await run('aia-linear', view))
      const trained = await onClaim('lmra-data', view, attributes)
      const oracle = await modelOracle.run(view, {
        truth: { client: async () => records },
        params: { iterations: 3000 },
      })
      const found = [await run('last-returned', view), trained, oracle]
      const [before, after, best] = found.map(({ claims: [{ theta }] }) => functions.loss(theta, records))
      const [, own, oracles] = await Promise.all(
        found.map(async (model) => accuracy(await onClaim('aia-model', view, model), truth)),
      )
      return {
        ...{ records: truth.length, lossBefore: before, lossAfter: after, lossOracle: best },
        ...{ accuracy: own, oracleAccuracy: oracles },
        details: { iterations: trained.details.iterations, stopped: trained.details.stopped },
      }
    }),
  income: ({ heterogeneity, income }) =>
    heterogeneity
      .flatMap((h) => income.map(([seed, client]) => ({ h, seed, client })))
      .map(({ h, seed, client }) => ({
        name: `h ${h}, seed ${seed}, client ${client}`,
        measure: async () => {
          const { view, truth } = await incomeClient({ h, seed, client })
          const some = view.exchanges.rounds.filter((round) => round % 4 === 3) // the last one among them
          return { h, ...(await besides(turnsOnly(view, some), truth, { rehearsals: 2 })) }
        },
      })),
}

export function partTasks(part, options) {
  if (parts[part] === undefined) throw new Error(`no part ${part}: ${Object.keys(parts).join(', ')}, curves`)
  return parts[part](options)
}

/** An attack that builds on what another one has said already. */
function onClaim(id, view, outcome) {
  return attacks[id].run(view, { params: {}, rng: rng(1).fork('attack', id), tick() {}, claimOf: async () => outcome })
}

/** Louisiana 2024, full encoding, ten clients. */
async function incomeClient({ h, seed, client }) {
  const source = await sourceOf('acs-income')
  const partition = { id: 'heterogeneous', params: { heterogeneity: h } }
  const { clients } = federate({ source, partition, attribute: 'SEX', learningRate: 5e-7, seed })
  return clients[client]
}
