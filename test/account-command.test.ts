import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { captured as run } from './captured-command.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-account-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const steps = ['--sample-rate', '0.05', '--noise-multiplier', '1.1', '--steps', '60', '--delta', '1e-5']

describe('overhear account', () => {
  test('from flags, as text and as one JSON document', async () => {
    const { code, out } = await run('account', ...steps)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^epsilon 2\.335\d to 2\.33[56]\d* at delta 0.00001, by privacy losses; neighbours: one record more or less/,
    )
    expect(out).toMatch(/by Rényi divergences: 2\.74\d\d at order [\d.]+ \(improved conversion\)/)
    expect(out).toMatch(/at most [\d.]+ percentage points/)
    const { out: json } = await run('account', ...steps, '--json')
    const document = JSON.parse(json) as {
      epsilon: { lower: number; upper: number }
      neighbours: string
      advantage: number
    }
    expect(document.neighbours).toBe('add-remove')
    expect(document.epsilon.lower).toBeLessThan(2.3359116114625484)
    expect(document.epsilon.upper).toBeGreaterThan(2.335911)
    expect(document.advantage).toBeGreaterThan(0.05)
  })

  test('the other relation, and batches of fixed size', async () => {
    expect((await run('account', ...steps, '--neighbours', 'replace')).out).toMatch(
      /^epsilon 3\.25.*one record replaced/,
    )
    const fixed = await run('account', ...steps, '--batches', 'fixed')
    expect(fixed.out).toMatch(/^epsilon [\d.]+ to [\d.]+ .*one record replaced by another/)
  })

  test('what keeps to a target', async () => {
    const { out } = await run('account', '--epsilon', '2', '--delta', '1e-5', '--sample-rate', '1', '--steps', '50')
    expect(out).toMatch(/^noiseMultiplier 14\.09838 keeps to epsilon 2/)
    const wrong = await run('account', '--epsilon', '2', '--delta', '1e-5', '--steps', '50')
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('1 of three flags')
  })

  test('canaries beside it: a broken mechanism is said first', async () => {
    const { out } = await run('account', ...steps, '--canaries', '1000', '--guesses', '200', '--correct', '200')
    expect(out).toMatch(/^BROKEN: canaries show an epsilon of at least 4\.166/)
    const fine = await run('account', ...steps, '--canaries', '1000', '--guesses', '100', '--correct', '90')
    expect(fine.out).toMatch(/^canaries show an epsilon of at least 1\.62.*accounted for/)
  })

  test('a scenario, and a recording of it: client by client', async () => {
    const scenario = join(folder, 'dp.yaml')
    writeFileSync(
      scenario,
      `data: { name: cps-wages }
partition: { name: iid, params: { clients: 3 } }
models: [{ kind: linear }]
training: { rounds: 4, batchSize: null, learningRate: 0.01, sampling: { name: fraction, params: { fraction: 0.67 } } }
defences: [{ name: dp-sgd, params: { noiseMultiplier: 2, delta: 1.0e-4 } }]
`,
    )
    const planned = await run('account', scenario)
    expect(planned.out).toMatch(/turns at most/)
    const out = join(folder, 'run')
    expect((await run('simulate', scenario, '--out', out, '--quiet')).code).toBe(0)
    const { out: json } = await run('account', join(out, 'transcript'), '--json')
    const document = JSON.parse(json) as {
      from: string
      clients: { client: string; turns: number; epsilon: { upper: number } }[]
    }
    expect(document.from).toBe('transcript')
    const lines = readFileSync(join(out, 'transcript', 'rounds.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const rounds = lines.map((line) => JSON.parse(line) as { participants: string[] })
    for (const { client, turns } of document.clients) {
      expect(turns).toBe(rounds.filter(({ participants }) => participants.includes(client)).length)
    }
    const [first, ...rest] = document.clients
    expect(rest.every(({ epsilon }) => epsilon.upper <= first!.epsilon.upper)).toBe(true)
  })

  test('the folder of a run: what its attacks reached stands beside the bound', async () => {
    const [scenario, out] = [join(folder, 'run.yaml'), join(folder, 'audited')]
    writeFileSync(
      scenario,
      `data: { name: cps-wages }
partition: { name: iid, params: { clients: 2 } }
models: [{ kind: linear }]
training: { rounds: 2, batchSize: null, learningRate: 0.01 }
defences: [{ name: dp-sgd, params: { noiseMultiplier: 2, delta: 1.0e-4 } }]
attacks: [last-returned]
observers: [eavesdropper]
controls: false
repeats: 1
`,
    )
    expect((await run('audit', scenario, '--out', out, '--quiet', '--workers', '1')).code).toBeLessThan(5)
    const bound = /No guess whether a record was in the training has an AUC above 0\.\d+; /
    const told = await run('account', out)
    expect(told.out).toMatch(new RegExp(`${bound.source}no attack of this audit asked\\.`))
    const file = join(out, 'audit.json')
    const document = JSON.parse(readFileSync(file, 'utf8'))
    const ladder = { ...document.questions[0].ladder, metric: 'AUC', record: 0.625 }
    const asked = { ...document.questions[0], kind: 'members', level: 'none-found', ladder }
    writeFileSync(file, JSON.stringify({ ...document, questions: [asked] }))
    const json = JSON.parse((await run('account', out, '--json')).out)
    expect(json).toMatchObject({
      from: 'scenario',
      reached: expect.stringContaining('the best of this audit has 0.625'),
    })
  })

  test('wrong numbers and missing ones', async () => {
    expect((await run('account')).err).toContain('--delta is missing')
    expect((await run('account', ...steps.slice(0, -1), '2')).err).toContain(
      '--delta is "2"; a number above 0 and at most 1',
    )
    expect((await run('account', ...steps, '--batches', 'random')).err).toContain('known: poisson, fixed')
  })
})
