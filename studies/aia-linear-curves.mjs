// What weakens aia-linear: one seed and one client of Medical a point, one setting changed at a time.
import { matrix, rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'
import { besides, medicalClient } from './aia-linear-parts.mjs'
import { turnsOnly } from './attribute-run.mjs'
import { at } from './figures.mjs'

/** @typedef {Pick<import('./attribute-run.mjs').Client, 'view' | 'truth'>} Seen */

const [seed, client] = [1, 0]
/** @param {number} n */
const count = (n) => Array.from({ length: n }, (_, i) => i)

/**
 * @typedef {object} Point
 * @property {string} name
 * @property {Partial<import('./attribute-run.mjs').RunOptions>} [federation] options that differ
 * @property {(one: Seen) => Seen} [seen] what is done to the view
 * @property {Record<string, unknown>} [params] of the attack
 */
/** @type {Record<string, readonly Point[]>} */
const curves = {
  rounds: [1, 5, 10, 20, 50].map((first) => ({
    name: `first ${first} rounds`,
    seen: ({ view, truth }) => ({ view: turnsOnly(view, count(first)), truth }),
  })),
  heard: [0.5, 0.25, 0.1].map((share) => ({
    name: `${100 * share} % of 100 rounds heard`,
    seen: ({ view, truth }) => {
      const rounds = rng(seed)
        .fork('heard')
        .sample(100, Math.round(100 * share))
      return {
        view: turnsOnly(
          view,
          [...rounds].sort((a, b) => a - b),
        ),
        truth,
      }
    },
  })),
  batch: [16, 64, null].map((batchSize) => ({
    name: batchSize === null ? 'full batch' : `batches of ${batchSize}`,
    federation: { batchSize },
  })),
  epochs: [2, 5].map((localEpochs) => ({
    name: `${localEpochs} local epochs, ${Math.ceil(100 / localEpochs)} rounds`,
    federation: { localEpochs, rounds: Math.ceil(100 / localEpochs) },
  })),
  rate: [
    ...[0.8, 1.25].map((by) => ({ name: `rate stated ${by} times the true one`, seen: stated(by) })),
    ...['one', 'each'].map((rate) => ({ name: `rate unknown, rate=${rate}`, seen: stated(null), params: { rate } })),
  ],
  privacy: [0, 0.1, 0.3, 1].map((noiseMultiplier) => ({
    name: `dp-sgd, norm 5e5, noise multiplier ${noiseMultiplier}`,
    federation: { privacy: { maxNorm: 5e5, noiseMultiplier } },
    seen: fourth,
  })),
  known: [0.9, 0.75, 0.5].map((share) => ({
    name: `${100 * share} % of the records known`,
    seen: (one) => known(share)(fourth(one)),
  })),
  attribute: ['sex'].map((attribute) => ({
    name: `${attribute}, first 30 rounds`,
    federation: { attribute },
    seen: ({ view, truth }) => ({ view: turnsOnly(view, count(30)), truth }),
  })),
  dropout: [0.5].map((dropout) => ({
    name: `dropout ${dropout} stated, none in the network`,
    federation: { dropout },
    seen: fourth,
  })),
}

/** A quarter of the messages, the last among them: enough here, and four times faster. @param {Seen} one @returns {Seen} */
function fourth({ view, truth }) {
  return {
    truth,
    view: turnsOnly(
      view,
      view.exchanges.rounds.filter((round) => round % 4 === 3),
    ),
  }
}

/** The attacker is told another learning rate, or none. @param {number | null} by @returns {(one: Seen) => Seen} */
function stated(by) {
  return ({ view, truth }) => {
    const { learningRate: own = Number.NaN, ...rest } = view
    const learningRate = by === null ? null : by * own
    /** @param {number} round */
    const read = async (round) => ({ ...(await view.exchanges.read(round)), learningRate })
    return {
      truth,
      view: {
        ...rest,
        ...(learningRate !== null && { learningRate }),
        protocol: { ...view.protocol, learningRate },
        exchanges: { ...view.exchanges, read },
      },
    }
  }
}

/** The attacker holds a part of the records and knows how many there are. @param {number} share @returns {(one: Seen) => Seen} */
function known(share) {
  return ({ view, truth }) => {
    const { columns, features } = view.records
    const { cols: k, data } = features
    const rows = rng(seed)
      .fork('known')
      .sample(features.rows, Math.round(share * features.rows))
    const own = matrix(rows.length, k)
    rows.forEach((row, i) => {
      own.data.set(data.subarray(row * k, (row + 1) * k), i * k)
    })
    const labels = Float64Array.from(rows, (row) => at(view['records.label'], row))
    return {
      truth: Int32Array.from(rows, (row) => at(truth, row)),
      view: { ...view, records: { columns, features: own }, 'records.label': labels },
    }
  }
}

/** @param {import('./aia-linear-parts.mjs').Choice} choice @returns {import('./aia-linear-parts.mjs').Task[]} */
export function curveTasks({ curves: wanted }) {
  return wanted.flatMap((curve) =>
    lookup(curves, curve, 'curve').map(({ name, federation = {}, seen = (one) => one, params = {} }) => ({
      name,
      measure: async () => {
        const { view, truth } = seen(await medicalClient(seed, client, federation))
        return { curve, seed, client, ...(await besides(view, truth, params)) }
      },
    })),
  )
}
