import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../attacks/attack.js'
import { aiaModel } from '../attacks/attributes/aia-model.js'
import type { AttributeClaim } from '../attacks/claim.js'
import { attacks } from '../attacks/index.js'
import { inlinePool } from '../federation/pool.js'
import { fileStore } from '../node/files/file-store.js'
import { openEvidence } from '../node/files/open-run.js'
import { simulate } from '../scenario/simulate.js'
import type { Evidence } from './evidence.js'
import { runJob } from './job.js'
import type { Job } from './plan-jobs.js'
import { readScenario } from './read-scenario.js'
import { isSound, verdictOf } from './verdict.js'

/** A linear model on workers whose union tells much of their wage. */
const scenario = readScenario({
  name: 'job',
  data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
  partition: { name: 'heterogeneous', params: { clients: 2, heterogeneity: 0.5, attribute: 'union' } },
  models: [{ kind: 'linear' }],
  training: { rounds: 60, learningRate: 0.05, batchSize: 16 },
})
const job: Job = { attack: 'aia-model', params: {}, observer: 'server', target: '0', seed: 1, controls: true }

let folder = ''
let evidence: Evidence
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-job-'))
  await simulate(scenario, 0, {
    folder: (path) => fileStore(join(folder, path)),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const at = (name: string) => join(folder, name)
  evidence = await openEvidence({ transcript: at('transcript'), knowledge: at('knowledge.json'), truth: at('truth') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a job', () => {
  test('claims, is graded against chance, and passes its controls', async () => {
    const result = await runJob(job, evidence)
    expect(result).toMatchObject({
      status: 'claimed',
      oracle: false,
      target: '0',
      claim: { kind: 'attribute', name: 'union' },
    })
    expect(result.score).toMatchObject({ metric: 'accuracy', chance: expect.any(Number), interval: expect.any(Array) })
    expect(result.controls).toMatchObject({ planted: { status: 'passed' }, shuffled: { status: 'passed' } })
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  })

  test('is the same every time', async () => {
    expect(await runJob(job, evidence)).toEqual(await runJob(job, evidence))
  })

  test('says what is missing', async () => {
    expect(await runJob({ ...job, observer: 'secagg-server' }, evidence)).toMatchObject({
      status: 'not-applicable',
      missing: ['exchanges'],
      score: null,
    })
  })

  test('without a truth claims and is not graded', async () => {
    const result = await runJob(job, { sources: evidence.sources })
    expect(result).toMatchObject({ status: 'claimed', score: null })
    expect(result.controls).toBeUndefined()
  })

  test('of an oracle is marked, and needs the truth', async () => {
    const oracle = { ...job, attack: 'model-oracle', controls: false }
    expect(await runJob(oracle, evidence)).toMatchObject({ oracle: true, status: 'claimed', score: { value: 0 } })
    expect(await runJob(oracle, { sources: evidence.sources })).toMatchObject({
      status: 'not-applicable',
      missing: ['truth'],
    })
  })
})

/** The audit itself under test: an attack that is not what it says. */
describe('an attack that was tampered with', () => {
  const claimOf = (values: readonly number[]): AttributeClaim => ({
    kind: 'attribute',
    client: '0',
    name: 'union',
    values,
  })
  const mutant = (run: Attack['run']) =>
    runJob(job, evidence, { table: { ...attacks, 'aia-model': { ...aiaModel, run } } })

  test('and guesses at random is called broken, not the system private', async () => {
    const result = await mutant(async ({ records }, { rng }) => {
      const n = records!.features.rows
      return {
        status: 'claimed',
        claims: [claimOf(Array.from({ length: n }, () => rng.integer(2)))],
        warnings: [],
        details: {},
      }
    })
    expect(result.controls?.planted.status).toBe('broken')
    expect(isSound(result)).toBe(false)
    const verdict = verdictOf([result])
    expect(verdict.level).toBe('none-found')
    expect(verdict.reasons.join()).toContain('did not find a planted leak')
  })

  test('and reads the truth is caught by the shuffled world, however good it looks', async () => {
    const table = (await evidence.truth!.client('0'))!
    const sensitive = evidence.sources.knowledge!.sensitive![0]!
    if (sensitive.kind === 'continuous') throw new Error('union is binary')
    const { columns, values } = sensitive
    const j = table.columns.indexOf(columns[0]!)
    const truth = Array.from({ length: table.features.rows }, (_, i) => {
      return Math.abs(table.features.data[i * table.features.cols + j]! - values[1]![0]!) < 1e-9 ? 1 : 0
    })
    const result = await mutant(async () => ({
      status: 'claimed',
      claims: [claimOf(truth)],
      warnings: [],
      details: {},
    }))
    expect(result.score?.value).toBe(1)
    expect(result.controls).toMatchObject({ planted: { status: 'passed' }, shuffled: { status: 'broken' } })
    const verdict = verdictOf([result])
    expect(verdict.level).toBe('none-found')
    expect(verdict.reasons.join()).toContain('where there was nothing to find')
  })

  test('and claims a model that is not finite has failed', async () => {
    const result = await mutant(async () => ({
      status: 'claimed',
      claims: [{ kind: 'model', client: '0', theta: Float64Array.of(1, Number.NaN) }],
      warnings: [],
      details: {},
    }))
    expect(result).toMatchObject({ status: 'failed', error: { code: 'E_NON_FINITE' } })
  })

  test.each([
    ['holds numbers too large to be graded', { kind: 'model', client: '0', theta: new Float64Array(12).fill(1e300) }],
    ['has a value that is none', claimOf([Number.NaN])],
    ['has a value for too few records', claimOf([1])],
  ] as const)('and whose claim %s has failed, and the audit goes on', async (_, claim) => {
    const result = await mutant(async () => ({ status: 'claimed', claims: [claim], warnings: [], details: {} }))
    expect(result).toMatchObject({ status: 'failed', score: null, error: { code: expect.stringMatching(/^E_/) } })
    expect(result.claim).toBeUndefined()
  })
})
