import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { AuditDocument } from '../src/audit/document.js'
import { inLabelUnits } from '../src/audit/finished/label-units.js'
import { rng } from '../src/numeric/random/rng.js'
import { resultWith, scoreWith } from './audit-results.js'
import { captured } from './captured-command.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-units-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

/** The same people, whose charges are in dollars or in cents. */
function audited(name: string, unit: number): Promise<AuditDocument> {
  const draws = rng(5)
  const rows = Array.from({ length: 150 }, (_, i) => {
    const [age, smoker] = [18 + draws.integer(46), draws.integer(4) === 0]
    return `${age},${smoker ? 'yes' : 'no'},h${i % 5},${unit * (8192 + 256 * age + (smoker ? 16384 : 0) + draws.integer(4096))}`
  })
  writeFileSync(join(work, `${name}.csv`), `age,smoker,hospital,charges\n${rows.join('\n')}\n`)
  writeFileSync(
    join(work, `${name}.yaml`),
    `name: units
repeats: 2
data: { name: csv, params: { file: ${name}.csv, label: charges, sensitive: smoker, client: hospital } }
partition: { name: by-column }
models: [{ kind: linear }]
training: { rounds: 4, learningRate: 0.05, batchSize: null, precision: f64 }
knowledge: { targets: [h0] }
observers: [eavesdropper]
attacks: [last-returned, label-mean, lmra-label, aia-model]
controls: false
`,
  )
  return captured('audit', join(work, `${name}.yaml`), '--out', join(work, name), '--json', '--quiet').then(
    ({ out }) => {
      return JSON.parse(out) as AuditDocument
    },
  )
}

const near = (a: number, b: number): void => expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-6 * Math.abs(b))

test('figures about labels are in the unit of the table: the same people in cents have errors a hundred times as large', async () => {
  // A power of two, so that scaled labels are the same to the bit.
  const [dollars, cents] = [await audited('dollars', 1), await audited('cents', 128)]
  const factors = { 'label-mean': 128, labels: 128, model: 128 * 128, attribute: 1 } as const
  expect(dollars.questions.map(({ kind }) => kind).sort()).toEqual(Object.keys(factors).sort())
  for (const [i, { kind, ladder, test: steps, level }] of dollars.questions.entries()) {
    const [factor, other] = [factors[kind as keyof typeof factors], cents.questions[i]!]
    for (const rung of ['guess', 'federation', 'client', 'record', 'everybody'] as const) {
      const [a, b] = [ladder[rung], other.ladder[rung]]
      if (a === null) expect(b).toBe(null)
      else near(b!, factor * a)
    }
    near(other.test.record!.effect, factor * steps.record!.effect)
    expect(other.level).toBe(level)
  }
  const mean = dollars.observers[0]!.attacks.find(({ attack }) => attack === 'label-mean')!.findings[0]!
  // Thousands of dollars, not tenths of a deviation.
  expect((mean.claim as { value: number }).value).toBeGreaterThan(8192)
  expect(mean.score!.value).toBeGreaterThan(10)
  const labels = dollars.observers[0]!.attacks.find(({ attack }) => attack === 'lmra-label')!.findings[0]!
  for (const one of (labels.claim as unknown as { labels: number[] }).labels) expect(one).toBeGreaterThan(4096)
  expect(dollars.verdict.sentences.join(' ')).not.toContain('standardised')
}, 60_000)

test('what has no label in it stays as it is, and so does everything where nothing was scaled', () => {
  const planned = {} as never
  const results = [
    resultWith({
      claim: { kind: 'metaclass-counts', values: [3, 4] },
      score: scoreWith({ metric: 'MAE', better: 'lower' }),
    }),
    resultWith({ claim: { kind: 'attribute', name: 'x', values: [0] } }),
    resultWith({ claim: { kind: 'model', theta: [1] }, score: scoreWith({ metric: 'relative error' }) }),
  ].map((result) => ({ planned, result }))
  expect(inLabelUnits(results, () => ({ scale: 7, shift: 1 }))).toEqual(results)
  const means = [
    {
      planned,
      result: resultWith({
        claim: { kind: 'metaclass-means', values: [1, 2] },
        score: scoreWith({
          metric: 'MAE',
          value: 0.5,
          chance: 2,
          interval: [0, 1],
          also: { present: 2, naive: 3 },
          perRecord: [1],
        }),
      }),
    },
  ]
  expect(inLabelUnits(means, () => undefined)).toEqual(means)
  const [{ result }] = inLabelUnits(means, () => ({ scale: 10, shift: 5 })) as [(typeof means)[0]]
  expect(result.findings[0]).toMatchObject({
    claim: { values: [15, 25] },
    score: { value: 5, chance: 20, interval: [0, 10], also: { present: 2, naive: 30 }, perRecord: [10], lift: 0.8 },
  })
})
