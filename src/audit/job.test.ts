import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../attacks/attack.js'
import { aiaModel } from '../attacks/attributes/aia-model.js'
import type { AttributeClaim } from '../attacks/claim.js'
import { attacks } from '../attacks/index.js'
import { OverhearError } from '../errors.js'
import { inlinePool } from '../federation/pool.js'
import { fileStore } from '../node/files/file-store.js'
import { recordingPorts } from '../node/recording-ports.js'
import { simulateModel } from '../scenario/simulate-model.js'
import type { AttackResult, Finding } from './attack-result.js'
import type { Evidence } from './evidence.js'
import { runJob } from './job.js'
import { openRecording } from './open-recording.js'
import type { Job } from './plan-jobs.js'
import { readScenario } from './read-scenario.js'
import { verdictOf } from './verdict.js'

/** A linear model on workers whose union tells much of their wage. */
const scenario = readScenario({
  name: 'job',
  heldBack: 0,
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
  await simulateModel(scenario, 0, {
    folder: (path) => fileStore(join(folder, path)),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const at = (name: string) => join(folder, name)
  const paths = { transcript: at('transcript'), knowledge: at('knowledge.json'), truth: at('truth') }
  evidence = await openRecording(paths, recordingPorts)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a job', () => {
  test('claims, is graded against chance, and finds what was planted', async () => {
    const result = await runJob(job, evidence)
    expect(result).toMatchObject({
      status: 'claimed',
      oracle: false,
      target: '0',
      findings: [
        { claim: { kind: 'attribute', name: 'union' }, score: { metric: 'auc', accuracy: expect.any(Number) } },
      ],
    })
    const [{ score }] = result.findings as [Finding]
    expect(score).toMatchObject({ chance: expect.any(Number), interval: expect.any(Array) })
    expect(result.controls).toMatchObject({ planted: { status: 'passed' } })
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  })

  test('is the same every time', async () => {
    expect(await runJob(job, evidence)).toEqual(await runJob(job, evidence))
  })

  test('tells its claim before its controls run, and with that claim runs the controls alone', async () => {
    const whole = await runJob(job, evidence)
    const told: AttackResult[] = []
    const broken: Attack = {
      ...aiaModel,
      plant: () => {
        throw new TypeError('a slip')
      },
    }
    const onClaimed = (result: AttackResult) => told.push(result)
    const table = { ...attacks, 'aia-model': broken }
    await expect(runJob(job, evidence, { table, onClaimed })).rejects.toThrow('a slip')
    const { controls, ...rest } = whole
    expect(told).toEqual([rest])
    const never: Attack = { ...aiaModel, run: () => Promise.reject(new Error('it is asked again')) }
    await expect(runJob(job, evidence, { table: { ...attacks, 'aia-model': never } })).rejects.toThrow('asked again')
    expect(await runJob(job, evidence, { claimed: rest, onClaimed })).toEqual(whole)
    expect(told).toHaveLength(1)
  })

  test('counts the time of its controls', async () => {
    let time = 0
    const { millis } = await runJob(job, evidence, { now: () => ++time * 10 })
    const without = await runJob({ ...job, controls: false }, evidence, { now: () => ++time * 10 })
    expect([millis, without.millis]).toEqual([20, 10])
  })

  test('says what is missing', async () => {
    expect(await runJob({ ...job, observer: 'secagg-server' }, evidence)).toMatchObject({
      status: 'not-applicable',
      missing: ['exchanges'],
      findings: [],
    })
  })

  test('without a truth claims and is not graded', async () => {
    const result = await runJob(job, { sources: evidence.sources })
    expect(result).toMatchObject({ status: 'claimed', findings: [{ claim: { kind: 'attribute' }, score: null }] })
    expect(result.findings[0]).not.toHaveProperty('lacks')
    expect(result.controls).toBeUndefined()
  })

  test('tells how far its attack is, and ends as its check says', async () => {
    const ticking: Attack = {
      ...aiaModel,
      async run(_, { tick }) {
        for (let i = 0; i < 3; i++) tick(i, 3)
        return { status: 'claimed', claims: [], warnings: [], details: {} }
      },
    }
    const [table, once] = [
      { ...attacks, 'aia-model': ticking },
      { ...job, controls: false },
    ]
    const ticks: number[] = []
    let checks = 0
    const check = () => {
      if (++checks === 2) throw new OverhearError('E_TIME', 'out of time')
    }
    const hooks = { table, check, onTick: (done: number) => ticks.push(done) }
    expect(await runJob(once, evidence, hooks)).toMatchObject({
      status: 'failed',
      findings: [],
      error: { code: 'E_TIME', message: 'out of time' },
    })
    expect({ checks, ticks }).toEqual({ checks: 2, ticks: [0] })
    const stop = () => {
      throw new OverhearError('E_INTERRUPTED', 'stop')
    }
    await expect(runJob(once, evidence, { table, check: stop })).rejects.toThrow('stop')
  })

  test('says of each claim which keys of the truth are missing for a grade', async () => {
    const truth = { ...evidence.truth!, client: async () => undefined }
    const { findings } = await runJob({ ...job, controls: false }, { ...evidence, truth })
    expect(findings).toMatchObject([{ claim: { name: 'union' }, score: null, lacks: ['clients.0'] }])
  })

  test('of an oracle is marked, and needs the truth', async () => {
    const oracle = { ...job, attack: 'model-oracle', controls: false }
    expect(await runJob(oracle, evidence)).toMatchObject({
      oracle: true,
      status: 'claimed',
      findings: [{ score: { metric: 'loss', lift: 1, also: { relativeError: 0 } } }],
    })
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
    const verdict = verdictOf([], [result])
    expect(verdict.level).toBe('not-tested')
    expect(verdict.doubts.join()).toContain('did not find a leak that was planted')
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
    expect(result).toMatchObject({ status: 'failed', findings: [], error: { code: expect.stringMatching(/^E_/) } })
  })
})
