// A zoo of training protocols, each stated rightly, not stated, or stated wrongly: what the attack `protocol` detects, and what
// attacks on attributes, labels and models are worth there.
//   node studies/protocol-zoo.mjs [--cells REGEX] [--attacks protocol|sure|all|ID,ID] [--seeds 1,2] [--rounds 20]
//     [--rows FILE.jsonl]   rows are appended as cells end, and cells that are there already are not run again
//     [--was FILE.jsonl]    rows of an older tree: how many of its right claims remain
//     [--only-summary]      nothing is run, rows are read
// A cell is called protocol/statement/model, such as adam/wrong/mlp; without --cells all of them run.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { attacks } from '../dist/attacks/index.js'
import { runJob } from '../dist/audit/job.js'
import { memoryKeeper } from '../dist/audit/kept/keeper.js'
import { openRecording } from '../dist/audit/open-recording.js'
import { observersOf } from '../dist/audit/plan-jobs.js'
import { readScenario } from '../dist/audit/read-scenario.js'
import { rightSettings } from '../dist/doors/attacks.js'
import { inlinePool } from '../dist/federation/pool.js'
import { fileStore } from '../dist/node/files/file-store.js'
import { recordingPorts } from '../dist/node/recording-ports.js'
import { simulateModel } from '../dist/scenario/simulate-model.js'
import { print } from './figures.mjs'
import { protocols } from './zoo-protocols.mjs'
import { attackTable, detectionTable, summaryOf } from './zoo-summary.mjs'
import { surenessOf } from './zoo-sureness.mjs'
import { cells, nameOf, scenarioOf, worlds } from './zoo-worlds.mjs'

/** @typedef {import('./zoo-protocols.mjs').Settings} Settings */
/** @typedef {import('./zoo-protocols.mjs').Keeping} Keeping */
/** @typedef {import('./zoo-worlds.mjs').Cell} Cell */
/** @typedef {import('./zoo-worlds.mjs').WorldName} WorldName */

export { attackTable, cells, detectionTable, nameOf, scenarioOf }

/**
 * @typedef {object} Row
 * @property {Cell} cell
 * @property {number} seed
 * @property {WorldName} world
 * @property {string} attack
 * @property {string} target
 * @property {string} status
 * @property {number} seconds
 * @property {string} stated
 * @property {string} heard
 * @property {number | null} p
 * @property {number | null} heardP
 * @property {readonly string[]} right settings of the cell that were heard rightly
 * @property {readonly string[]} missed
 * @property {readonly string[]} others settings beside those of the cell that were heard wrongly
 * @property {number | null} value
 * @property {number | null} chance
 * @property {import('./zoo-sureness.mjs').Sureness | null} sure
 */

/**
 * @typedef {object} CellOptions
 * @property {number} [seed]
 * @property {number} [rounds]
 * @property {WorldName} [world]
 * @property {Settings} [params] of the attack `protocol`
 */

/**
 * Simulates a cell and runs attacks on it.
 * @param {Cell} cell @param {readonly string[]} ids @param {CellOptions} [options]
 * @returns {Promise<Row[]>}
 */
export async function runCell(cell, ids, { params = {}, seed = 1, world = 'many', ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-zoo-'))
  try {
    const at = (/** @type {string} */ path) => join(folder, path)
    await simulateModel(readScenario(scenarioOf(cell, { seed, world, ...options })), 0, {
      folder: (path) => fileStore(at(path)),
      poolFor: (spec, population) => inlinePool(spec, { population }),
    })
    const paths = { transcript: at('transcript'), knowledge: at('knowledge.json'), truth: at('truth') }
    const keeper = memoryKeeper()
    const rows = []
    for (const target of worlds[world].targets) {
      const { sources: first, truth } = await openRecording(paths, recordingPorts)
      const sources = target === '0' ? first : aimed(first, target)
      for (const id of ids) {
        const attack = attacks[id]
        if (attack === undefined) throw new Error(`unknown attack ${id}`)
        const [observer] = observersOf(attack, {})
        if (observer === undefined) continue
        const start = performance.now()
        const job = { attack: id, params: id === 'protocol' ? params : {}, observer, target, seed: 1, controls: false }
        const result = await runJob(job, { sources, ...(truth !== undefined && { truth }) }, { keeper })
        const seconds = (performance.now() - start) / 1000
        rows.push(await rowOf({ cell, seed, world, target }, result, { truth, seconds }))
      }
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same, looking at another client, of whose records nothing is known. @param {import('../dist/threat/grant.js').Sources} sources @param {string} target */
function aimed(sources, target) {
  if (sources.knowledge === undefined) return sources
  const { round: _, batchSize: __, metaclassCounts: ___, ...common } = sources.knowledge
  return { ...sources, knowledge: { ...common, target, records: async () => undefined } }
}

/**
 * @param {Pick<Row, 'cell' | 'seed' | 'world' | 'target'>} where
 * @param {import('../dist/audit/attack-result.js').AttackResult} result
 * @param {{ truth: import('../dist/transcript/truth-file.js').TruthFile | undefined, seconds: number }} beside
 * @returns {Promise<Row>}
 */
async function rowOf(where, result, { truth, seconds }) {
  const [finding] = result.findings
  const settings = /** @type {Settings | undefined} */ (
    finding?.claim.kind === 'protocol' ? finding.claim.settings : result.fit?.heard
  )
  const graded = settings && truth?.protocol ? rightSettings(settings, truth.protocol) : new Map()
  const keys = /** @type {Keeping} */ (protocols[where.cell.protocol]).keys
  const named = (/** @type {(key: string, right: boolean) => boolean} */ fits) =>
    [...graded].flatMap(([key, right]) => (fits(key, right) ? [key] : []))
  return {
    ...where,
    attack: result.attack,
    status:
      result.status === 'claimed'
        ? 'claimed'
        : `${result.status}: ${result.why ?? result.error?.message ?? result.missing?.join(', ')}`,
    seconds: Number(seconds.toFixed(2)),
    stated: String(result.details.stated ?? ''),
    heard: String(result.details.heard ?? ''),
    p: result.fit?.p ?? null,
    heardP: typeof result.details.heardP === 'number' ? result.details.heardP : null,
    right: named((key, right) => right && keys.includes(key)),
    missed: named((key, right) => !right && keys.includes(key)),
    others: named((key, right) => !right && !keys.includes(key)),
    value: finding?.score?.value ?? null,
    chance: finding?.score?.chance ?? null,
    sure: await surenessOf(result, truth),
  }
}

/** Attacks that are asked in a world. @param {string} asked @param {WorldName} world @returns {readonly string[]} */
function attacksAsked(asked, world) {
  const own = worlds[world]
  const first = world === 'many' ? ['protocol'] : []
  if (asked === 'sure') return [...first, ...own.sure]
  if (asked === 'all') return [...first, ...own.sure, ...own.rest]
  return asked.split(',').filter((id) => first.includes(id) || own.sure.includes(id) || own.rest.includes(id))
}

/** What was heard in a cell, for whoever waits. @param {readonly Row[]} rows */
function inShort(rows) {
  const own = rows.find(({ attack }) => attack === 'protocol')
  if (own === undefined) return 'done'
  const missed = own.missed.length === 0 ? '' : `, missed: ${own.missed.join(', ')}`
  return `${own.stated} -> ${own.heard} (p = ${own.p?.toFixed(3) ?? '-'})${missed}`
}

/** @param {string | undefined} file @returns {Row[]} */
const rowsIn = (file) =>
  file === undefined || !existsSync(file)
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          try {
            return line === '' ? [] : [JSON.parse(line)]
          } catch {
            return [] // a line that was torn when somebody stopped it
          }
        })

async function main() {
  const { values } = parseArgs({
    options: {
      cells: { type: 'string', default: '' },
      attacks: { type: 'string', default: 'protocol' },
      seeds: { type: 'string', default: '1' },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      was: { type: 'string' },
      'only-summary': { type: 'boolean', default: false },
    },
  })
  const wanted = new RegExp(values.cells)
  const seeds = values.seeds.split(',').map(Number)
  const rows = rowsIn(values.rows)
  const key = (/** @type {Pick<Row, 'cell' | 'seed' | 'world' | 'attack'>} */ row) =>
    `${nameOf(row.cell)} ${row.seed} ${row.world} ${row.attack}`
  const done = new Set(rows.map(key))
  for (const seed of values['only-summary'] ? [] : seeds) {
    for (const cell of cells().filter((one) => wanted.test(nameOf(one)))) {
      for (const world of /** @type {WorldName[]} */ (Object.keys(worlds))) {
        const ids = attacksAsked(values.attacks, world).filter(
          (attack) => !done.has(key({ cell, seed, world, attack })),
        )
        if (ids.length === 0) continue
        const rounds = values.rounds === undefined ? {} : { rounds: Number(values.rounds) }
        const played = await runCell(cell, ids, { seed, world, ...rounds })
        rows.push(...played)
        if (values.rows !== undefined)
          appendFileSync(values.rows, played.map((row) => `${JSON.stringify(row)}\n`).join(''))
        if (world === 'many') process.stderr.write(`${nameOf(cell)}, seed ${seed}: ${inShort(played)}\n`)
      }
    }
  }
  const asked = rows.filter(({ cell, seed }) => wanted.test(nameOf(cell)) && seeds.includes(seed))
  const own = asked.filter(({ attack }) => attack === 'protocol')
  const others = asked.filter(({ attack }) => attack !== 'protocol')
  if (own.length > 0) print(detectionTable(own))
  if (others.length > 0) print(`\n${attackTable(others)}`)
  for (const line of summaryOf(asked, rowsIn(values.was))) print(line)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
