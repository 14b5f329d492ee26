import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../src/attacks/attack.js'
import { attacks } from '../src/attacks/index.js'
import type { Evidence } from '../src/audit/evidence.js'
import { runJob } from '../src/audit/job.js'
import { openRecording } from '../src/audit/open-recording.js'
import { observersOf } from '../src/audit/plan-jobs.js'
import { readScenario } from '../src/audit/read-scenario.js'
import { liveChannel } from '../src/federation/live-channel.js'
import { inlinePool } from '../src/federation/pool.js'
import { fileStore } from '../src/node/files/file-store.js'
import { recordingPorts } from '../src/node/recording-ports.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { simulateModel } from '../src/scenario/simulate-model.js'
import type { ObserverName } from '../src/threat/observers.js'
import { excessWithoutTruth, shuffledAttack } from './shuffled-world.js'

/** Small worlds in which, taken together, every attack has something to do. */
const worlds: Readonly<Record<string, ScenarioInput>> = {
  'a linear regression, full batches, half of the clients a round': {
    heldBack: 0,
    data: { name: 'cps-wages', params: { wage: 'log' }, rows: 200, auxiliary: 0.3 },
    partition: { name: 'iid', params: { clients: 4 } },
    models: [{ kind: 'linear' }],
    training: {
      rounds: 40,
      batchSize: null,
      localEpochs: 2,
      learningRate: 0.05,
      precision: 'f64',
      sampling: { name: 'fraction', params: { fraction: 0.5 } },
      misbehaving: { 2: { name: 'inversion', params: {} } },
    },
    knowledge: { sensitive: ['union'], candidates: 20, property: 'inversion', turnWindow: 8 },
  },
  'one record and a gradient': {
    heldBack: 0,
    data: { name: 'cps-wages', params: { wage: 'log' }, rows: 40, auxiliary: 0.5 },
    partition: { name: 'sizes', params: { sizes: [1, 1, 1] } },
    models: [{ kind: 'mlp', hidden: [8] }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 3, learningRate: 0.05, precision: 'f64' },
  },
  'a classification of images, one gradient of two': {
    heldBack: 0,
    data: { name: 'tiny-images', params: { classes: 10 }, auxiliary: 0.4 },
    partition: { name: 'sizes', params: { sizes: [2, 2] } },
    models: [{ kind: 'mlp', hidden: [16], activation: 'sigmoid' }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 2, learningRate: 0.05, precision: 'f64' },
  },
}

/** Parameters that keep the slow ones short here. */
const quick: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'lmra-active-adam': { rounds: 3 },
  dlg: { iterations: 100 },
  protocol: { rounds: 3, plays: 6 },
  'free-rider': { riding: 'zero', pairs: 10, curve: 2, maxSweeps: 1000 },
  'property-posterior': { pairs: 10, curve: 2, maxSweeps: 1000 },
  ...Object.fromEntries(
    ['disaggregation', 'property-ols', 'property-reg', 'prolin', 'property-blup'].map((id) => [
      id,
      { pairs: 10, curve: 2 },
    ]),
  ),
  contribution: { pairs: 10, curve: 2 },
  'lmra-mapping': { hidden: 100, iterations: 200 },
}

/** The same attack, its view behind a proxy that throws on any key that it did not ask for. */
function guarded(attack: Attack): Attack {
  const may = new Set<string>([...attack.needs, ...attack.uses])
  const run: Attack['run'] = (view, context) =>
    attack.run(
      new Proxy(view, {
        get(target, key) {
          if (typeof key === 'string' && !may.has(key)) throw new Error(`${key} was read and not granted`)
          return Reflect.get(target, key)
        },
      }),
      context,
    )
  return { ...attack, run }
}
const table = Object.fromEntries(Object.values(attacks).map((one) => [one.id, guarded(one)]))

const folder = mkdtempSync(join(tmpdir(), 'overhear-contract-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const claimed = new Set<string>()

async function evidenceOf(input: ScenarioInput, name: string): Promise<Evidence> {
  const at = (path: string): string => join(folder, name, path)
  const run = await simulateModel(readScenario(input), 0, {
    folder: (path) => fileStore(at(path)),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const { spec, population, checkpoint: from, targets } = run
  const paths = { transcript: at('transcript'), knowledge: at('knowledge.json'), truth: at('truth') }
  const { sources, truth } = await openRecording(paths, recordingPorts)
  const channel = liveChannel({ spec, population, pool: inlinePool(spec, { population }), from, target: targets[0]! })
  return { sources: { ...sources, channel }, truth: truth! }
}

/** A line from where the federation ended, as if nothing had been sent. */
const channelOf = ({ sources: { channel } }: Evidence) => channel!.restart!()

describe.each(Object.entries(worlds))('%s', (name, input) => {
  let evidence: Evidence
  beforeAll(async () => {
    evidence = await evidenceOf(input, name.replace(/\W+/g, '-'))
  })

  // A learned map of a network's thousand parameters takes minutes.
  const here = Object.keys(attacks).filter((id) => id !== 'lmra-mapping' || input.models[0]!.kind === 'linear')

  test.each(here.map((id) => [id]))('%s claims or says what is missing', async (id) => {
    const params = quick[id] ?? {}
    const observer = (observersOf(attacks[id]!, params)[0] ?? 'malicious-server') as ObserverName
    const job = { attack: id, params, observer, target: '0', seed: 1, controls: true }
    const fresh = (): Evidence => ({ ...evidence, sources: { ...evidence.sources, channel: channelOf(evidence) } })
    const result = await runJob(job, fresh(), { table })
    expect(result.error).toBeUndefined()
    if (result.status === 'not-applicable') {
      expect(result.missing!.length + (result.why ?? '').length).toBeGreaterThan(0)
      return
    }
    claimed.add(id)
    for (const { claim } of result.findings) expect(claim.kind).toBe(attacks[id]!.target)
    // What it says holds only if it finds what is there, and nothing where there is nothing.
    expect({ planted: result.controls?.planted.reason }).not.toEqual({ planted: expect.stringContaining('not found') })
    expect(result.controls?.planted.status, result.controls?.planted.reason).not.toBe('failed')
    const excess = await excessWithoutTruth((draw) =>
      runJob({ ...job, controls: false }, fresh(), { table: { ...table, [id]: shuffledAttack(table[id]!, draw) } }),
    )
    expect(excess, 'beats chance where there is nothing to find').toBeLessThan(1)
    const again = await runJob({ ...job, controls: false }, fresh(), { table })
    expect(again.findings).toEqual(result.findings)
  })
})

test('every attack had something to do in one of these worlds', () => {
  expect(Object.keys(attacks).filter((id) => !claimed.has(id))).toEqual([])
})

test('one file per attack, named after it', () => {
  const folder = fileURLToPath(new URL('../src/attacks', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path))
  for (const id of Object.keys(attacks)) expect(files.filter((name) => name === `${id}.ts`)).toHaveLength(1)
})
