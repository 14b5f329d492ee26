/** Lint on thirty examples whose author had not seen the rules; `expected.json` says in words what is wrong with each. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { captured } from './captured-command.js'

const corpus = fileURLToPath(new URL('lint-corpus/blind', import.meta.url))
const made = mkdtempSync(join(tmpdir(), 'overhear-lint-blind-'))
execFileSync(process.execPath, [join(corpus, 'make-transcripts.mjs'), made])
afterAll(() => rmSync(made, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

/** Which rule is about which item of the specification. A batch of one is the case of exact recovery that has a rule of its own. */
const rules: Readonly<Record<string, readonly string[]>> = {
  'a claimed epsilon recomputed and compared': ['OH101', 'OH102', 'OH103', 'OH106'],
  'noise not composed over rounds or layers': ['OH102'],
  'deviation and variance mixed up': ['OH103'],
  'clipping norm taken from private data': ['OH104'],
  'clipping that skips scalar parameters or biases': ['OH105'],
  'accountant for Poisson batches where batches are of fixed size': ['OH106'],
  'delta larger than 1/n': ['OH107'],
  'one seed for all clients': ['OH201'],
  'full participation with secure aggregation and few clients': ['OH203'],
  'participation of full column rank (clients separable, forecast of the round)': ['OH204'],
  'cohorts that differ in one client': ['OH205'],
  'honest-but-curious aggregation with a server that is not trusted': ['OH206'],
  'batch of one': ['OH301'],
  'd+1 messages of a linear model already on the wire': ['OH302'],
  'settings for which exact label or record recovery holds': ['OH301', 'OH303'],
  'held-back records missing': ['OH304'],
}

interface Example {
  readonly path: string
  readonly kind: 'scenario' | 'transcript'
  readonly faults: readonly string[]
}
const examples = JSON.parse(readFileSync(join(corpus, 'expected.json'), 'utf8')) as Example[]

test('there are fifteen of each', () => {
  expect(examples.filter(({ faults }) => faults.length > 0)).toHaveLength(15)
  expect(examples.filter(({ faults }) => faults.length === 0)).toHaveLength(15)
})

test.each(examples)('$path', async ({ path, kind, faults }) => {
  const { out } = await captured('lint', join(kind === 'scenario' ? corpus : made, path), '--json')
  const { findings } = JSON.parse(out) as { findings: { code: string; evidence: string }[] }
  const codes = findings.map(({ code }) => code)
  for (const fault of faults)
    expect(
      rules[fault]!.some((code) => codes.includes(code)),
      fault,
    ).toBe(true)
  const known = new Set(faults.flatMap((fault) => rules[fault]!))
  expect(findings.filter(({ code }) => !known.has(code))).toEqual([])
})
