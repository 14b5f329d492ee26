import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sarifSchema } from './sarif-schema.js'

const root = fileURLToPath(new URL('..', import.meta.url))
let work = ''
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'overhear-privacy-'))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

function overhear(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'bin/overhear.mjs'), ...args], {
    cwd: work,
    encoding: 'utf8',
  })
  return { stdout, stderr, status, flat: stdout.replace(/\s+/g, ' ') }
}

const world = {
  name: 'privacy',
  seed: 4,
  repeats: 2,
  data: { name: 'cps-wages', params: { wage: 'log' }, validation: 0.1, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear', learningRate: 0.05 }],
  training: { rounds: 12, localEpochs: 2, batchSize: 16 },
  knowledge: { targets: ['0'], sensitive: ['union'], candidates: 20 },
  observers: ['eavesdropper'],
  attacks: ['last-returned', 'membership-loss', 'aia-model'],
}
/** Noise that is a tenth of what is stated. */
const plugin = `import { defineDefence, definePlugin } from '${root}dist/bundle/doors/plugin.js'
const quiet = defineDefence({
  id: 'quiet-noise',
  title: 'a tenth of the noise that is stated',
  params: {},
  create: () => ({
    step: { maxNorm: 1, noiseMultiplier: 0.6, sampleRate: 0.3 },
    protocol: {
      differentialPrivacy: { mechanism: 'quiet-noise', maxNorm: 1, noiseMultiplier: 6, sampleRate: 0.3, delta: 1e-5 },
    },
  }),
})
export default definePlugin({ name: 'quiet', defences: [quiet] })
`

const written = (name: string, more: object): string => {
  writeFileSync(join(work, `${name}.yaml`), JSON.stringify({ ...world, name, ...more }))
  return `${name}.yaml`
}

describe('a mechanism that does not do what it says', () => {
  beforeAll(() => {
    writeFileSync(join(work, 'quiet.mjs'), plugin)
    written('broken', { plugins: ['quiet.mjs'], defences: [{ name: 'quiet-noise' }] })
  })
  const broken = /^BROKEN: canaries show an epsilon of at least [\d.]+, and the mechanism as it is stated allows 1\.71/

  test('is said first by an audit, in its report, in SARIF that the schema accepts, and in JUnit', () => {
    const files = ['--sarif', 'found.sarif', '--junit', 'found.xml', '--out', 'run']
    const { stdout, flat, status, stderr } = overhear('audit', 'broken.yaml', '--trust-plugins', '--quiet', ...files)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(broken)
    expect(flat).toContain('epsilon (quiet-noise): no figure is claimed; 1.71')
    const sarif = JSON.parse(readFileSync(join(work, 'found.sarif'), 'utf8'))
    expect(sarifSchema().safeParse(sarif).error).toBeUndefined()
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: 'privacy/broken-promise', level: 'error', kind: 'fail' })
    expect(readFileSync(join(work, 'found.xml'), 'utf8')).toContain('<failure type="broken-promise" message="BROKEN: ')
    const report = readFileSync(join(work, 'run', 'report.html'), 'utf8')
    expect(report.indexOf('<p class="word leak">BROKEN: canaries')).toBeGreaterThan(0)
    expect(report.indexOf('<p class="word leak">BROKEN: canaries')).toBeLessThan(
      report.indexOf('questions were tested'),
    )
  })

  test('is said first by account --empirical', () => {
    expect(overhear('account', 'broken.yaml', '--trust-plugins', '--empirical').stdout).toMatch(broken)
  })
})

describe('noise that follows from a target', () => {
  const params = { epsilon: 2, noiseMultiplier: null, sampleRate: 0.3, delta: 1e-4 }
  beforeAll(() => written('target', { defences: [{ name: 'dp-sgd', params }] }))

  test('is what account, lint and audit go by, and what is recorded', () => {
    expect(overhear('account', 'target.yaml').stdout).toMatch(
      /^epsilon 2 is claimed, and kept\nepsilon 1\.999\d to 2 at/,
    )
    expect(overhear('lint', 'target.yaml').stdout).toContain('nothing to object to')
    const { flat } = overhear('audit', 'target.yaml', '--quiet', '--out', 'kept')
    expect(flat).toMatch(/^verdict: /)
    expect(flat).toMatch(
      /epsilon \(dp-sgd\): 2 is claimed; 1\.999\d to 2 at delta 0\.0001 is accounted for, .* No guess whether a record was in the training has an AUC above 0\.69\d;/,
    )
    const { protocol } = JSON.parse(readFileSync(join(work, 'kept', 'transcript', 'transcript.json'), 'utf8'))
    expect(protocol.differentialPrivacy).toMatchObject({ epsilon: 2, unit: 'record', sampling: 'poisson' })
    expect(protocol.differentialPrivacy.noiseMultiplier).toBeGreaterThan(1)
  })

  test('a claim with less noise than it takes is a broken promise', () => {
    written('claim', { defences: [{ name: 'dp-sgd', params: { ...params, noiseMultiplier: 1 } }] })
    expect(overhear('account', 'claim.yaml').stdout).toMatch(/^BROKEN PROMISE: epsilon 2 is claimed/)
    expect(overhear('lint', 'claim.yaml').stdout).toContain('OH101 claimed-epsilon')
  })
})

describe('advice at the end of an audit', () => {
  beforeAll(() => written('plain', { controls: false }))

  test('is run in the folder of the audit when asked, and stands in its report', () => {
    const { stdout, status } = overhear(
      'audit',
      'plain.yaml',
      '--advise',
      '--budget',
      '2s',
      '--quiet',
      '--out',
      'advised',
    )
    expect(status).toBe(0)
    expect(stdout).toMatch(/^verdict: /)
    expect(stdout).toContain('as-it-is')
    expect(JSON.parse(readFileSync(join(work, 'advised', 'advice.json'), 'utf8'))).toMatchObject({ budget: 2 })
    expect(readFileSync(join(work, 'advised', 'report.html'), 'utf8')).toContain('as-it-is')
  })

  test('is refused where there is no scenario, and a time for nothing', () => {
    expect(overhear('audit', '--transcript', 'kept/transcript', '--advise')).toMatchObject({ status: 2 })
    expect(overhear('audit', 'plain.yaml', '--budget', '2s').stderr).toContain('--budget was given without --advise')
    expect(overhear('audit', 'plain.yaml', '--advise', '--budget', 'soon').stderr).toContain('a time is needed')
  })
})
