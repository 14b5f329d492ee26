// Transcripts that somebody else's federation made (numpy, PyTorch), attacked like our own simulator's of the same world: tanh,
// two hidden layers, batches of 16, two epochs. regression-label is asked about clients of one record each.
//   node studies/other-federation.mjs [--seeds 1,2,3] [--with numpy,torch] [--model mlp-tanh] [--python /usr/bin/python3]
//     [--attacks label-mean,metaclass-means]   all of them unless told
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runJob } from '../dist/audit/job.js'
import { openRecording } from '../dist/audit/open-recording.js'
import { readScenario } from '../dist/audit/read-scenario.js'
import { inlinePool } from '../dist/federation/pool.js'
import { fileStore } from '../dist/node/files/file-store.js'
import { recordingPorts } from '../dist/node/recording-ports.js'
import { simulateModel } from '../dist/scenario/simulate-model.js'
import { at, deviation, mean, options, print, tableOf } from './figures.mjs'
import { surenessOf } from './zoo-sureness.mjs'
import { scenarioOf, worlds } from './zoo-worlds.mjs'

/** @typedef {{ attack: string, status: string, value: number | null, p: number | null, sure: import('./zoo-sureness.mjs').Sureness | null }} Figure */

const asked = [
  ...['protocol', 'aia-linear', 'aia-model', 'aia-gradient', 'label-mean', 'metaclass-means', 'metaclass-counts'],
  ...['last-returned', 'lmra-mapping', 'lmra-data', 'regression-label'],
]

/** Why a federation cannot be played here; undefined where it can. @param {string} python @param {string} by */
export function missing(python, by) {
  try {
    execFileSync(python, ['-c', by === 'torch' ? 'import numpy, torch' : 'import numpy'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    const [why] = String(/** @type {{ stderr?: Buffer }} */ (error).stderr ?? error)
      .trim()
      .split('\n')
      .slice(-1)
    return `${python} cannot import ${by}: ${why}`
  }
}

/** @typedef {{ seed: number, model?: string, python: string, by: readonly string[], attacks?: readonly string[] }} Asked */

/**
 * The same worlds, by our simulator and by others: what attacks are worth on each.
 * @param {Asked} options @returns {Promise<Record<string, Figure[]>>}
 */
export async function sameWorld({ attacks = asked, ...options }) {
  const single = attacks.filter((attack) => worlds.single.sure.includes(attack))
  const many = attacks.filter((attack) => !single.includes(attack))
  const found = many.length === 0 ? {} : await playedBy({ ...options, attacks: many, world: 'many' })
  if (single.length === 0) return found
  for (const [maker, figures] of Object.entries(await playedBy({ ...options, attacks: single, world: 'single' })))
    found[maker] = [...(found[maker] ?? []), ...figures]
  return found
}

/** @param {Asked & { attacks: readonly string[], world: 'many' | 'single' }} options @returns {Promise<Record<string, Figure[]>>} */
async function playedBy({ seed, model = 'mlp-tanh', python, by, attacks, world }) {
  const { targets } = worlds[world]
  const folder = mkdtempSync(join(tmpdir(), 'overhear-others-'))
  try {
    const within = (/** @type {string} */ path) => join(folder, path)
    const scenario = readScenario(scenarioOf({ protocol: 'sgd', statement: 'stated', model }, { seed, world }))
    await simulateModel(scenario, 0, {
      folder: (path) => fileStore(within(path)),
      poolFor: (spec, population) => inlinePool(spec, { population }),
    })
    /** @type {Record<string, Figure[]>} */
    const found = { overhear: await figuresOf(within('transcript'), within, { attacks, targets }) }
    for (const one of by) {
      mkdirSync(within(one), { recursive: true })
      const script = join(dirname(fileURLToPath(import.meta.url)), 'other-federation.py')
      execFileSync(python, [script, folder, within(one), '--seed', String(seed), '--with', one], { stdio: 'pipe' })
      found[one] = await figuresOf(within(one), within, { attacks, targets })
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} transcript @param {(path: string) => string} at
 * @param {{ attacks: readonly string[], targets: readonly string[] }} asked @returns {Promise<Figure[]>}
 */
async function figuresOf(transcript, at, { attacks, targets }) {
  const { sources, truth } = await openRecording(
    { transcript, knowledge: at('knowledge.json'), truth: at('truth') },
    recordingPorts,
  )
  const figures = []
  for (const [attack, target] of attacks.flatMap((one) => targets.map((id) => /** @type {const} */ ([one, id])))) {
    const job = {
      attack,
      params: {},
      observer: /** @type {const} */ ('eavesdropper'),
      target,
      seed: 1,
      controls: false,
    }
    const result = await runJob(job, { sources, ...(truth !== undefined && { truth }) }, {})
    figures.push({
      attack,
      status: result.status,
      value: result.findings[0]?.score?.value ?? null,
      p: result.fit?.p ?? null,
      sure: await surenessOf(result, truth),
    })
  }
  return figures
}

/** @param {readonly Figure[]} rows */
const valuesIn = (rows) => rows.flatMap(({ value }) => (value === null ? [] : [value]))

/** @param {readonly number[]} values */
const middle = (values) =>
  at(
    [...values].sort((a, b) => a - b),
    values.length >> 1,
  )

/** @param {number} x */
const figure = (x) => (x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1) : x.toFixed(3))

async function main() {
  const {
    seeds,
    with: by,
    model,
    python,
    attacks,
  } = options({
    ...{ seeds: '1,2,3', with: 'numpy,torch', model: 'mlp-tanh', python: '/usr/bin/python3', attacks: asked.join(',') },
  })
  const ids = attacks.split(',')
  const able = by.split(',').filter((one) => {
    const why = missing(python, one)
    if (why !== undefined) print(`skipped: ${why}`)
    return why === undefined
  })
  /** @type {Record<string, Figure[]>[]} */
  const all = []
  for (const seed of seeds.split(',').map(Number))
    all.push(await sameWorld({ seed, model, python, by: able, attacks: ids }))
  const makers = ['overhear', ...able]
  const rows = ids.flatMap((attack) =>
    makers.map((maker) => {
      const bySeed = all.map((one) => (one[maker] ?? []).filter((row) => row.attack === attack))
      const own = bySeed.flat()
      const values = valuesIn(own)
      // Of several targets the middle one stands for a seed: errors of a label span many powers of ten.
      const seeded = bySeed.map(valuesIn).flatMap((some) => (some.length === 0 ? [] : [middle(some)]))
      const sum = (/** @type {'all' | 'right' | 'sure' | 'wrong'} */ key) =>
        own.reduce((total, { sure }) => total + (sure?.[key] ?? 0), 0)
      const ps = own.map(({ p }) => (p === null ? '-' : p.toPrecision(2))).join(', ')
      return [
        attack,
        maker,
        `${values.length} of ${own.length}`,
        seeded.length === 0 ? '-' : figure(mean(seeded)),
        seeded.length < 2 ? '-' : figure(deviation(seeded)),
        seeded.map((value) => value.toPrecision(2)).join(' '),
        `${sum('right')} of ${sum('all')}`,
        `${sum('wrong')} of ${sum('sure')}`,
        ps,
      ]
    }),
  )
  for (const line of tableOf(
    ['attack', 'made by', 'claimed', 'score', 'deviation', 'by seed', 'right', 'wrong among the sure', 'p'],
    rows,
  ))
    print(line)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
