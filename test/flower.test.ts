/** The Python recorder inside Flower: what it writes is what our own simulator writes of the same world. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const tests = join(root, 'recorders/python/tests')
const environment = { ...process.env, PYTHONPATH: join(root, 'recorders/python'), FLWR_TELEMETRY_ENABLED: '0' }
const python = [process.env.OVERHEAR_PYTHON, join(root, 'node_modules/.cache/flower/bin/python'), 'python3']
  .filter((path) => path !== undefined)
  .find((path) => !path.includes('/') || existsSync(path))!

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: command === python ? tests : root,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  expect({ status, error, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, error: undefined, stderr: '' })
  return stdout
}

const overhear = (...args: string[]): unknown =>
  JSON.parse(run(process.execPath, join(root, 'bin/overhear.mjs'), ...args, '--json', '--quiet'))

const probe = spawnSync(python, ['-c', 'import flwr, numpy'], { env: environment, encoding: 'utf8' })
const missing = probe.status === 0 ? undefined : (probe.stderr ?? String(probe.error)).trim().split('\n').at(-1)
if (missing !== undefined) process.stdout.write(`the recorder of Flower is skipped: ${python}: ${missing}\n`)

describe.skipIf(missing !== undefined)('the recorder', { timeout: 300_000 }, () => {
  let work = ''
  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'overhear-flower-'))
  })
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  /** A world by our simulator, and the same by Flower: the folder of both. */
  function twice(name: string, scenario: object, share: number): string {
    const file = join(work, `${name}.yaml`)
    writeFileSync(file, JSON.stringify({ name, seed: 5, repeats: 1, heldBack: 0.5, ...scenario })) // JSON is YAML
    overhear('simulate', file, '--out', join(work, name))
    run(python, 'same_world.py', join(work, name), join(work, name, 'flower'), String(share))
    return join(work, name)
  }

  interface Result {
    readonly status: string
    readonly findings: readonly {
      readonly claim: { readonly values?: number[] }
      readonly score: { value: number; also: Record<string, number> }
    }[]
  }
  const attack = (id: string, folder: string, transcript: string, target = '0'): Result => {
    const known = JSON.parse(readFileSync(join(folder, 'knowledge.json'), 'utf8')) as object
    const file = join(folder, `aimed-${target}.json`)
    writeFileSync(file, JSON.stringify({ ...known, target }))
    const aimed = ['--knowledge', file, '--truth', join(folder, 'truth'), '--observer', 'server']
    return overhear('attack', id, '--transcript', join(folder, transcript), ...aimed) as Result
  }

  test('passes its own tests', () => {
    run(python, '-m', 'unittest')
  })

  test('least squares of a linear model, half of six clients a round: every optimum to rounding', () => {
    const folder = twice(
      'linear',
      {
        data: { name: 'toy-least-squares', params: { clients: 6, recordsPerClient: 120, heterogeneity: 1 } },
        partition: { name: 'by-column' },
        models: [{ kind: 'linear', learningRate: 0.2 }],
        training: { rounds: 60, localEpochs: 5, batchSize: null },
        knowledge: { targets: 'all' },
      },
      0.5,
    )
    expect(readdirSync(join(folder, 'flower/rounds'))).toHaveLength(60)
    for (const client of ['0', '1', '2', '3', '4', '5']) {
      const { status, findings } = attack('lmra-ols', folder, 'flower', client)
      expect(status).toBe('claimed')
      expect(findings[0]!.score.also.relativeError).toBeLessThan(1e-9)
    }
  })

  test('the lines of its README lead from a Flower app to a report', () => {
    const place = join(work, 'readme')
    const [command, ...args] = run(python, 'readme.py', place).trim().split('\n').at(-1)!.split(' ')
    expect(command).toBe('overhear')
    const paths = args.map((word) => (word.startsWith('run/') ? join(place, word) : word))
    const audited = overhear(...paths, '--out', join(place, 'audit'), '--observer', 'eavesdropper')
    const { verdict, report, questions, recording } = audited as {
      verdict: { tested: number }
      report: string
      questions: { kind: string; ladder: Record<string, number | null>; test: { record: { repeats: number } | null } }[]
      recording: { attacked: string[]; questions: Record<'decided' | 'open', { what: string }[]> & { never: string[] } }
    }
    expect(verdict.tested).toBeGreaterThan(0)
    // The ladder, from the records that were held back, in one training; and what that one can decide.
    const { ladder, test } = questions.find(({ kind }) => kind === 'model')!
    expect([ladder.client, ladder.record].every(Number.isFinite)).toBe(true)
    expect(test.record!.repeats).toBe(1)
    expect(recording.attacked).toEqual(['100'])
    const { decided, open, never } = recording.questions
    expect([...decided, ...open].map(({ what }) => what)).toContain('model')
    expect(never.at(-1)).toContain('other trainings')
    expect(readFileSync(report, 'utf8')).toContain('model of client 100')
  })

  test("Flower's own secure aggregation: who returns the opposite is told from the sums", () => {
    const folder = join(work, 'secure')
    run(python, 'secure.py', folder, '24')
    const known = ['--knowledge', join(folder, 'knowledge.json'), '--truth', join(folder, 'truth')]
    const of = (id: string, observer: string): Result =>
      overhear('attack', id, '--transcript', join(folder, 'transcript'), ...known, '--observer', observer) as Result
    for (const id of ['property-ols', 'prolin']) {
      const { status, findings } = of(id, 'secagg-server')
      expect(status).toBe('claimed')
      expect(findings[0]!.score).toMatchObject({ metric: 'AUC', value: 1 })
    }
    expect(of('lmra-ols', 'secagg-server').status).toBe('not-applicable')
  })

  test('a network of all clients: attribute attacks are worth what they are on our own transcript', () => {
    const folder = twice(
      'network',
      {
        data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
        partition: { name: 'heterogeneous', params: { clients: 6, heterogeneity: 0.3, attribute: 'union' } },
        models: [{ kind: 'mlp', hidden: [16], learningRate: 0.02 }],
        training: { rounds: 25, localEpochs: 3, batchSize: null },
        knowledge: { targets: ['0'], sensitive: ['union'] },
      },
      1,
    )
    for (const id of ['aia-model', 'aia-linear']) {
      const [ours, theirs] = [attack(id, folder, 'transcript'), attack(id, folder, 'flower')]
      expect(theirs.status).toBe('claimed')
      expect(theirs.findings[0]!.claim.values).toEqual(ours.findings[0]!.claim.values)
      expect(Math.abs(theirs.findings[0]!.score.value - ours.findings[0]!.score.value)).toBeLessThan(0.01)
    }
  })
})
