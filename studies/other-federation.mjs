// Transcripts that somebody else's federation made (numpy, PyTorch), attacked like our own simulator's of the same world: tanh,
// two hidden layers, batches of 16, two epochs.
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
import { mean, options, print, tableOf } from './figures.mjs'
import { surenessOf } from './zoo-sureness.mjs'
import { scenarioOf } from './zoo-worlds.mjs'

/** @typedef {{ attack: string, status: string, value: number | null, p: number | null, sure: import('./zoo-sureness.mjs').Sureness | null }} Figure */

const asked = ['protocol', 'aia-linear', 'aia-model', 'label-mean', 'metaclass-means', 'metaclass-counts']

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

/**
 * One world, by our simulator and by others: what attacks are worth on each.
 * @param {{ seed: number, model?: string, python: string, by: readonly string[], attacks?: readonly string[] }} options
 * @returns {Promise<Record<string, Figure[]>>}
 */
export async function sameWorld({ seed, model = 'mlp-tanh', python, by, attacks = asked }) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-others-'))
  try {
    const at = (/** @type {string} */ path) => join(folder, path)
    const scenario = readScenario(scenarioOf({ protocol: 'sgd', statement: 'stated', model }, { seed }))
    await simulateModel(scenario, 0, {
      folder: (path) => fileStore(at(path)),
      poolFor: (spec, population) => inlinePool(spec, { population }),
    })
    /** @type {Record<string, Figure[]>} */
    const found = { overhear: await figuresOf(at('transcript'), at, attacks) }
    for (const one of by) {
      mkdirSync(at(one), { recursive: true })
      const script = join(dirname(fileURLToPath(import.meta.url)), 'other-federation.py')
      execFileSync(python, [script, folder, at(one), '--seed', String(seed), '--with', one], { stdio: 'pipe' })
      found[one] = await figuresOf(at(one), at, attacks)
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} transcript @param {(path: string) => string} at @param {readonly string[]} attacks @returns {Promise<Figure[]>} */
async function figuresOf(transcript, at, attacks) {
  const { sources, truth } = await openRecording(
    { transcript, knowledge: at('knowledge.json'), truth: at('truth') },
    recordingPorts,
  )
  const figures = []
  for (const attack of attacks) {
    const job = {
      attack,
      params: {},
      observer: /** @type {const} */ ('eavesdropper'),
      target: '0',
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
      const own = all.map((one) => /** @type {Figure} */ (one[maker]?.find((row) => row.attack === attack)))
      const values = own.flatMap(({ value }) => (value === null ? [] : [value]))
      const sum = (/** @type {'all' | 'right' | 'sure' | 'wrong'} */ key) =>
        own.reduce((total, { sure }) => total + (sure?.[key] ?? 0), 0)
      const ps = own.map(({ p }) => (p === null ? '-' : p.toPrecision(2))).join(', ')
      return [
        attack,
        maker,
        `${values.length} of ${own.length}`,
        values.length === 0 ? '-' : mean(values).toFixed(3),
        values.map((value) => value.toFixed(2)).join(' '),
        `${sum('right')} of ${sum('all')}`,
        `${sum('wrong')} of ${sum('sure')}`,
        ps,
      ]
    }),
  )
  for (const line of tableOf(
    ['attack', 'made by', 'claimed', 'score', 'by seed', 'right', 'wrong among the sure', 'p'],
    rows,
  ))
    print(line)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
