import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../src/node/cli.js'
import { rng } from '../src/numeric/random/rng.js'

const lines = vi.hoisted((): string[] => [])
vi.mock('../src/node/print.js', () => ({
  print: async (text: string) => lines.push(text),
  printJson: async (value: unknown) => lines.push(JSON.stringify(value)),
}))
const work = mkdtempSync(join(tmpdir(), 'overhear-rate-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Charges in dollars, as in docs/getting-started.md: tens of thousands. */
beforeAll(() => {
  mkdirSync(join(work, 'data'))
  const draws = rng(1)
  const rows = Array.from({ length: 180 }, (_, i) => {
    const [age, smoker] = [18 + draws.integer(46), draws.integer(4) === 0]
    const charges = 2000 + 250 * age + (smoker ? 24_000 : 0) + 3000 * draws.normal()
    return `${age},${smoker ? 'yes' : 'no'},h${i % 3},${charges.toFixed(2)}`
  })
  writeFileSync(join(work, 'patients.csv'), `age,smoker,hospital,charges\n${rows.join('\n')}\n`)
})

const scenario = (params: string, rate: string): string => `name: patients
heldBack: 0
data: { name: csv, params: { file: patients.csv, label: charges, sensitive: smoker, client: hospital${params} } }
partition: { name: by-column }
models: [{ kind: linear }, { kind: mlp, hidden: [16] }]
training: { rounds: 20, learningRate: ${rate} }
knowledge: { targets: [h0] }
`
interface Run {
  readonly model: string
  readonly heldOutLoss: number
  readonly value: number
  readonly label?: { readonly scale: number; readonly shift: number }
}
const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})

async function simulate(name: string, text: string, ...more: string[]) {
  writeFileSync(join(work, `${name}.yaml`), text)
  lines.length = 0
  complaints.mockClear()
  const args = ['simulate', join(work, `${name}.yaml`), '--out', join(work, name), '--json', '--quiet', ...more]
  const status = await main(args)
  const told =
    status === 0 ? (JSON.parse(lines.join('')) as { runs: Run[]; scenario: { models: object[] } }) : undefined
  return { status, told, err: complaints.mock.calls.flat().join('') }
}

test('labels in dollars are scaled for the training, and its losses are told in dollars', async () => {
  const { status, told } = await simulate('scaled', scenario('', '0.05'))
  expect(status).toBe(0)
  for (const { heldOutLoss, value, label } of told!.runs) {
    expect(value).toBeGreaterThan(0.4)
    expect(label!.scale).toBeGreaterThan(5000)
    expect(label!.shift).toBeGreaterThan(10_000)
    // (1 - R2) of the label's variance, about.
    expect(heldOutLoss / (label!.scale * label!.scale)).toBeCloseTo(1 - value, 0)
  }
  const records = readFileSync(join(work, 'scaled', '0-linear', 'truth', 'h0.csv'), 'utf8').split('\n')
  expect(Math.abs(Number(records[1]!.split(',').at(-1)))).toBeLessThan(6)
})

test('as they are, a network diverges, and the advice can be followed', async () => {
  const { status, err } = await simulate('dollars', scenario(', labelScale: none', '0.05'))
  expect(status).toBe(2)
  expect(err).toContain(
    'lower the learning rate (0.05), say by --set training.learningRate=0.005, or have one found by "auto"',
  )
})

test('a rate is found for every model, whatever the labels, and stands in the scenario that is told', async () => {
  for (const [name, params] of [
    ['auto-scaled', ''],
    ['auto-dollars', ', labelScale: none'],
  ] as const) {
    const { status, told } = await simulate(name, scenario(params, 'auto'))
    expect(status).toBe(0)
    expect(told!.scenario.models).toEqual([
      { kind: 'linear', learningRate: expect.any(Number) },
      { kind: 'mlp', hidden: [16], learningRate: expect.any(Number) },
    ])
    expect(told!.runs[0]!.value).toBeGreaterThan(0.5)
  }
  const one = scenario('', '0.02').replace('hidden: [16] }', 'hidden: [16], learningRate: auto }')
  const { told } = await simulate('auto-one', one)
  expect(told!.scenario.models).toEqual([
    { kind: 'linear' },
    { kind: 'mlp', hidden: [16], learningRate: expect.any(Number) },
  ])
  const set = await simulate('auto-set', scenario('', '7'), '--set', 'training.learningRate=auto')
  expect(set.status).toBe(0)
})
