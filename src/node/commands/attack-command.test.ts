import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client, linearFederation, localTurn, optimumOf, relativeError } from '../../../test/linear-federation.js'
import type { AttackResult } from '../../audit/attack-result.js'
import { rng } from '../../numeric/random/rng.js'
import { encode, type TensorToWrite } from '../../transcript/safetensors.js'
import { runAttackCommand } from './attack-command.js'

// A recording that somebody else made: names of their own, no list of parameters, nobody named as the target, and a truth
// that holds records and no optimum.
const folder = mkdtempSync(join(tmpdir(), 'overhear-foreign-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const d = 4
const { clients } = linearFederation({ d, clients: 3, records: 30 })

const csv = ({ X, y }: Client) =>
  [['a', 'b', 'c', 'y'], ...Array.from(y, (label, i) => [...X.data.subarray(i * d, i * d + d - 1), label])]
    .map((row) => row.join(','))
    .join('\n')

const tensors = (owner: string, theta: Float64Array): TensorToWrite[] => [
  { name: `${owner}/fc.bias`, shape: [1], data: theta.slice(d - 1) },
  { name: `${owner}/fc.weight`, shape: [1, d - 1], data: theta.slice(0, d - 1) },
]

beforeAll(() => {
  const stream = rng(4)
  const ids = ['north', 'south', 'west']
  mkdirSync(join(folder, 'rounds'))
  mkdirSync(join(folder, 'truth'))
  let global = stream.normals(d)
  for (let t = 0; t < 12; t++) {
    const sent = global.map((x) => x + 0.1 * stream.normal())
    const returned = clients.map((client) => localTurn(sent, client, { order: stream }))
    const file = [...tensors('global', sent), ...ids.flatMap((id, c) => tensors(`client/${id}`, returned[c]!))]
    writeFileSync(join(folder, 'rounds', `${String(t).padStart(6, '0')}.safetensors`), encode(file))
    global = sent.map((_, j) => returned.reduce((sum, one) => sum + one[j]! / 3, 0))
  }
  const manifest = {
    format: 'overhear-transcript/1',
    model: { kind: 'linear', inputs: d - 1, outputs: 1 },
    loss: 'mse',
    protocol: { share: 'parameters', batchSize: null },
    clients: ids.map((id) => ({ id })),
    rounds: Array.from({ length: 12 }, () => ({})),
  }
  writeFileSync(join(folder, 'transcript.json'), JSON.stringify(manifest))
  const entries = ids.map((id, c) => {
    writeFileSync(join(folder, 'truth', `${id}.csv`), csv(clients[c]!))
    return [id, { file: `${id}.csv`, label: 'y' }]
  })
  const truth = { format: 'overhear-truth/1', clients: Object.fromEntries(entries) }
  writeFileSync(join(folder, 'truth', 'truth.json'), JSON.stringify(truth))
})

const lines = vi.hoisted((): string[] => [])
vi.mock('../print.js', () => ({
  print: async (text: string) => lines.push(text),
  printJson: async (value: unknown) => lines.push(JSON.stringify(value)),
}))

async function run(...more: string[]): Promise<{ printed: string; code: number }> {
  lines.length = 0
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const code = await runAttackCommand(['lmra-exact', '--transcript', folder, '--quiet', ...more])
  return { printed: lines.join('\n'), code }
}

describe("somebody else's recording", () => {
  test('without a target every client is attacked, and graded by the optimum of its records', async () => {
    const { printed, code } = await run('--truth', join(folder, 'truth'), '--json')
    expect(code).toBe(0)
    const results = JSON.parse(printed) as AttackResult[]
    expect(results.map(({ target }) => target)).toEqual(['north', 'south', 'west'])
    for (const [c, { findings, status }] of results.entries()) {
      expect(status).toBe('claimed')
      const { claim, score } = findings[0]!
      expect(claim.kind === 'model' && relativeError(claim.theta, optimumOf(clients[c]!))).toBeLessThan(1e-9)
      expect(score).toMatchObject({ metric: 'loss' })
      expect(score!.lift).toBeCloseTo(1, 6)
      expect(score!.also.relativeError).toBeLessThan(1e-9)
    }
  })

  test('a target that is not there: the clients are listed', async () => {
    const knowledge = join(folder, 'knowledge.json')
    writeFileSync(knowledge, JSON.stringify({ format: 'overhear-knowledge/1', target: 'nroth' }))
    const found = run('--knowledge', knowledge)
    await expect(found).rejects.toThrow(
      'the target is client "nroth"; the recording has the clients north, south, west',
    )
  })

  test('one that is: it alone, without a list', async () => {
    const knowledge = join(folder, 'south.json')
    writeFileSync(knowledge, JSON.stringify({ format: 'overhear-knowledge/1', target: 'south' }))
    const { printed } = await run('--knowledge', knowledge, '--json')
    expect(JSON.parse(printed)).toMatchObject({ target: 'south', status: 'claimed', findings: [{ score: null }] })
  })

  test('as text: one after the other', async () => {
    const { printed } = await run('--truth', join(folder, 'truth'))
    expect(printed.match(/^lmra-exact, as eavesdropper: model of client (north|south|west)$/gm)).toHaveLength(3)
    expect(printed).toMatch(/loss [\d.e-]+, chance [\d.]+ \(the last global model\), lift 1.00/)
  })
})
