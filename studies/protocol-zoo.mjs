// A zoo of training protocols, each stated rightly, not stated, or stated wrongly: what the attack `protocol` detects, and what
// attacks on attributes, labels and models are worth there.
//   node studies/protocol-zoo.mjs [--cells REGEX] [--attacks protocol|all|ID,ID] [--seeds 1,2] [--rounds 20]
// A cell is called protocol/statement/model, such as adam/wrong/mlp; without --cells all of them run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { attacks } from '../dist/attacks/index.js'
import { runJob } from '../dist/audit/job.js'
import { openRecording } from '../dist/audit/open-recording.js'
import { observersOf } from '../dist/audit/plan-jobs.js'
import { readScenario } from '../dist/audit/read-scenario.js'
import { rightSettings } from '../dist/doors/attacks.js'
import { inlinePool } from '../dist/federation/pool.js'
import { fileStore } from '../dist/node/files/file-store.js'
import { recordingPorts } from '../dist/node/recording-ports.js'
import { simulateModel } from '../dist/scenario/simulate-model.js'
import { print } from './figures.mjs'
import { batch, protocols, rate } from './zoo-protocols.mjs'

/** @typedef {import('../dist/scenario/scenario-schema.js').ScenarioInput} ScenarioInput */
/** @typedef {import('./zoo-protocols.mjs').Settings} Settings */
/** @typedef {import('./zoo-protocols.mjs').Keeping} Keeping */
/** @typedef {{ protocol: string, statement: string, model: string }} Cell */

export const statements = /** @type {const} */ (['stated', 'unstated', 'wrong'])

/** @type {Readonly<Record<string, { readonly kind: string, readonly [option: string]: unknown }>>} */
export const models = {
  linear: { kind: 'linear' },
  mlp: { kind: 'mlp', hidden: [16] },
  'mlp-tanh': { kind: 'mlp', hidden: [12, 8], activation: 'tanh' },
}

/** Every cell that makes sense: a linear model has no units to drop. @returns {Cell[]} */
export const cells = () =>
  Object.keys(protocols).flatMap((protocol) =>
    statements.flatMap((statement) =>
      Object.keys(models).flatMap((model) =>
        protocol === 'dropout' && model === 'linear' ? [] : [{ protocol, statement, model }],
      ),
    ),
  )

/** @param {Cell} cell */
export const nameOf = ({ protocol, statement, model }) => `${protocol}/${statement}/${model}`

/** @param {Cell} cell @param {{ seed?: number, rounds?: number }} [options] @returns {ScenarioInput} */
export function scenarioOf({ protocol, statement, model }, { seed = 1, rounds = 20 } = {}) {
  const keeping = /** @type {Keeping} */ (protocols[protocol])
  const states =
    statement === 'stated'
      ? {}
      : statement === 'wrong'
        ? keeping.wrong
        : Object.fromEntries(
            [...keeping.keys, ...(protocol === 'schedule' ? ['learningRate'] : [])].map((key) => [key, 'unknown']),
          )
  return /** @type {ScenarioInput} */ ({
    heldBack: 0,
    seed,
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.3 },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ ...models[model], ...keeping.model }],
    training: { rounds, batchSize: batch, localEpochs: 2, learningRate: rate, precision: 'f32', ...keeping.training },
    defences: keeping.defences ?? [],
    knowledge: { sensitive: ['union'], states },
  })
}

/**
 * @typedef {object} Row
 * @property {Cell} cell
 * @property {string} attack
 * @property {string} status
 * @property {number} seconds
 * @property {string} stated
 * @property {string} heard
 * @property {number | null} p
 * @property {readonly string[]} right settings of the cell that were heard rightly
 * @property {readonly string[]} missed
 * @property {readonly string[]} others settings beside those of the cell that were heard wrongly
 * @property {number | null} value
 * @property {number | null} chance
 * @property {{ sure: number, wrong: number, all: number } | null} sure of values that are claimed with 0.95 and more
 */

/**
 * Simulates a cell and runs attacks on it.
 * @param {Cell} cell @param {readonly string[]} ids @param {{ seed?: number, rounds?: number, params?: Settings }} [options]
 * @returns {Promise<Row[]>}
 */
export async function runCell(cell, ids, { params = {}, ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-zoo-'))
  try {
    const at = (/** @type {string} */ path) => join(folder, path)
    await simulateModel(readScenario(scenarioOf(cell, options)), 0, {
      folder: (path) => fileStore(at(path)),
      poolFor: (spec, population) => inlinePool(spec, { population }),
    })
    const paths = { transcript: at('transcript'), knowledge: at('knowledge.json'), truth: at('truth') }
    const { sources, truth } = await openRecording(paths, recordingPorts)
    const rows = []
    for (const id of ids) {
      const attack = attacks[id]
      if (attack === undefined) throw new Error(`unknown attack ${id}`)
      const [observer] = observersOf(attack, {})
      if (observer === undefined) continue
      const own = id === 'protocol' ? params : {}
      const start = performance.now()
      const job = { attack: id, params: own, observer, target: '0', seed: 1, controls: false }
      const result = await runJob(job, { sources, ...(truth !== undefined && { truth }) }, {})
      rows.push(await rowOf(cell, result, { truth, seconds: (performance.now() - start) / 1000 }))
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Cell} cell
 * @param {import('../dist/audit/attack-result.js').AttackResult} result
 * @param {{ truth: import('../dist/transcript/truth-file.js').TruthFile | undefined, seconds: number }} beside
 * @returns {Promise<Row>}
 */
async function rowOf(cell, result, { truth, seconds }) {
  const [finding] = result.findings
  const settings = finding?.claim.kind === 'protocol' ? /** @type {Settings} */ (finding.claim.settings) : undefined
  const graded = settings && truth?.protocol ? rightSettings(settings, truth.protocol) : new Map()
  const keys = /** @type {Keeping} */ (protocols[cell.protocol]).keys
  const named = (/** @type {(key: string, right: boolean) => boolean} */ fits) =>
    [...graded].flatMap(([key, right]) => (fits(key, right) ? [key] : []))
  return {
    cell,
    attack: result.attack,
    status:
      result.status === 'claimed'
        ? 'claimed'
        : `${result.status}: ${result.why ?? result.error?.message ?? result.missing?.join(', ')}`,
    seconds,
    stated: String(result.details.stated ?? ''),
    heard: String(result.details.heard ?? ''),
    p: result.fit?.p ?? null,
    right: named((key, right) => right && keys.includes(key)),
    missed: named((key, right) => !right && keys.includes(key)),
    others: named((key, right) => !right && !keys.includes(key)),
    value: finding?.score?.value ?? null,
    chance: finding?.score?.chance ?? null,
    sure: finding === undefined ? null : sureIn(finding),
  }
}

/** Values that are claimed with a confidence of 0.95 and more, and how many of them are wrong. @param {import('../dist/audit/attack-result.js').Finding} finding */
function sureIn({ claim, score }) {
  const right = score?.perRecord
  const confidence = /** @type {{ confidence?: ArrayLike<number> }} */ (claim).confidence
  if (right === undefined || confidence === undefined) return null
  const sure = Array.from(confidence).flatMap((c, i) => (c >= 0.95 ? [i] : []))
  return { sure: sure.length, wrong: sure.filter((i) => right[i] === 0).length, all: confidence.length }
}

/** @param {readonly Row[]} rows */
export function detectionTable(rows) {
  const lines = rows.map(({ cell, p, stated, heard, missed, others, seconds }) => {
    const found = missed.length === 0 ? 'yes' : `no (${missed.join(', ')})`
    return `| ${nameOf(cell)} | ${stated} | ${heard} | ${p === null ? '-' : p.toFixed(2)} | ${found} | ${others.join(', ') || '-'} | ${seconds.toFixed(1)} |`
  })
  return [
    '| cell | stated | heard | p of the stated | right | also wrong | s |',
    '|---|---|---|--:|---|---|--:|',
    ...lines,
  ].join('\n')
}

/** @param {readonly Row[]} rows */
export function attackTable(rows) {
  const figure = (/** @type {number | null} */ x) => (x === null ? '-' : x.toFixed(3))
  const lines = rows.map(({ cell, attack, status, value, chance, sure }) => {
    const share = sure === null ? '-' : `${sure.wrong} of ${sure.sure} (of ${sure.all})`
    return `| ${nameOf(cell)} | ${attack} | ${status} | ${figure(value)} | ${figure(chance)} | ${share} |`
  })
  return [
    '| cell | attack | status | score | chance | wrong among the sure |',
    '|---|---|---|--:|--:|--:|',
    ...lines,
  ].join('\n')
}

const aimed = [
  'attribute',
  'label',
  'labels',
  'label-mean',
  'label-counts',
  'metaclass-means',
  'metaclass-counts',
  'model',
]

/** @param {string} asked */
function attacksAsked(asked) {
  if (asked !== 'all') return asked.split(',')
  const passive = Object.values(attacks).filter(
    ({ target, needs }) => aimed.includes(target) && !needs.includes('channel'),
  )
  return ['protocol', ...passive.map(({ id }) => id).filter((id) => id !== 'lmra-mapping')]
}

/** What was heard in a cell, for whoever waits. @param {readonly Row[]} rows */
function inShort(rows) {
  const own = rows.find(({ attack }) => attack === 'protocol')
  if (own === undefined) return 'done'
  const missed = own.missed.length === 0 ? '' : `, missed: ${own.missed.join(', ')}`
  return `${own.stated} -> ${own.heard} (p = ${own.p?.toFixed(3) ?? '-'})${missed}`
}

async function main() {
  const { values } = parseArgs({
    options: {
      cells: { type: 'string', default: '' },
      attacks: { type: 'string', default: 'protocol' },
      seeds: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '20' },
    },
  })
  const wanted = new RegExp(values.cells)
  const ids = attacksAsked(values.attacks)
  /** @type {Row[]} */
  const rows = []
  for (const cell of cells().filter((one) => wanted.test(nameOf(one)))) {
    for (const seed of values.seeds.split(',').map(Number)) {
      const played = await runCell(cell, ids, { seed, rounds: Number(values.rounds) })
      rows.push(...played)
      process.stderr.write(`${nameOf(cell)}, seed ${seed}: ${inShort(played)}\n`)
    }
  }
  const own = rows.filter(({ attack }) => attack === 'protocol')
  if (own.length > 0) {
    print(detectionTable(own))
    const told = own.filter(({ cell }) => cell.statement !== 'stated')
    const count = (/** @type {readonly Row[]} */ some) =>
      `${some.filter(({ missed }) => missed.length === 0).length} of ${some.length}`
    print(
      `\nStated wrongly or not at all and heard rightly: ${count(told)}; stated rightly and left so: ${count(own.filter(({ cell }) => cell.statement === 'stated'))}.`,
    )
    print(
      `Stated wrongly, and the statement does not fit (p <= 0.05): ${own.filter(({ cell, p }) => cell.statement === 'wrong' && p !== null && p <= 0.05).length} of ${own.filter(({ cell }) => cell.statement === 'wrong').length}.`,
    )
  }
  const others = rows.filter(({ attack }) => attack !== 'protocol')
  if (others.length > 0) print(`\n${attackTable(others)}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
