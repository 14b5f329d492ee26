import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { lookup } from '../../errors.js'
import { mlp } from '../../models/mlp.js'
import { trainer } from '../../models/trainer.js'
import { main } from '../cli.js'
import { apart, type BenchResult, benchText } from './bench-command.js'
import { madeUp, sparseRows } from './bench-data.js'
import { type Workload, workloads } from './bench-workloads.js'
import { type Peer, type PeerName, peerNames, startPeer } from './peer.js'

const printed = vi.hoisted(() => vi.fn())
vi.mock('../print.js', () => ({
  print: async (text: string) => printed(text),
  printJson: async (value: unknown) => printed(JSON.stringify(value)),
}))
const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  printed.mockClear()
  complained.mockClear()
})

const peers = new Map<PeerName, Peer>()
const absent: string[] = []
beforeAll(async () => {
  for (const name of peerNames) {
    const peer = await startPeer(name)
    if (typeof peer === 'string') absent.push(peer)
    else peers.set(name, peer)
  }
})
afterAll(() => {
  for (const peer of peers.values()) peer.close()
})
const needs = (context: { skip(reason: string): void }, name: PeerName): void => {
  if (!peers.has(name)) context.skip(absent.join('; '))
}

async function bench(...args: string[]): Promise<{ status: number; result: BenchResult }> {
  const status = await main(['bench', '--quick', '--quiet', '--only', 'linear', '--json', ...args])
  expect(printed).toHaveBeenCalledTimes(1)
  return { status, result: JSON.parse(printed.mock.calls[0]![0] as string) as BenchResult }
}
const row = {
  name: 'linear',
  unit: 'us',
  precision: 'f32',
  ours: expect.any(Number),
  percentOfPeak: expect.any(Number),
  repetitions: expect.any(Number),
}

describe('the JSON', () => {
  test('without a peer has its figures as null', async () => {
    vi.stubEnv('OVERHEAR_PYTHON', join(folder, 'no-python'))
    const { status, result } = await bench('--against', 'torch')
    vi.unstubAllEnvs()
    expect(status).toBe(0)
    expect(result).toMatchObject({ peers: { torch: null }, libraries: {}, machine: { cores: expect.any(Number) } })
    expect(result.workloads).toMatchObject([{ ...row, peers: { torch: null }, best: null, way: null, ratio: null }])
    expect(benchText(result)).toMatch(/^linear +[\d.]+ +- +us +- +- +\d+$/m)
  })

  test('is the same when no peer is asked for, and --out keeps every chunk', async () => {
    const path = join(folder, 'out.json')
    const { result } = await bench('--out', path)
    expect(result).toMatchObject({ peers: {}, workloads: [{ ...row, peers: {}, best: null, ratio: null }] })
    const full = JSON.parse(readFileSync(path, 'utf8'))
    expect(full.machine).toEqual(result.machine)
    const { ours, theirs } = full.workloads[0].seconds
    expect(theirs).toEqual({})
    expect(ours.chunks).toHaveLength(result.workloads[0]!.repetitions)
    expect(Math.min(...ours.chunks) * 1e6).toBeCloseTo(result.workloads[0]!.ours!, 3)
  })

  test('beside PyTorch has a ratio, theirs over ours; a fallen one is exit code 3', async (context) => {
    needs(context, 'torch')
    const path = join(folder, 'baseline.json')
    const { productGflops } = peers.get('torch')!.facts
    writeFileSync(path, JSON.stringify({ ratios: { linear: 1e9 }, productGflops: { torch: productGflops } }))
    const { status, result } = await bench('--baseline', path, '--against', 'torch')
    expect(status).toBe(3)
    expect(complained.mock.calls.at(-1)![0]).toMatch(/^overhear: bench: linear: ratio .* 100 % below the baseline's/)
    expect(result.peers.torch).toMatch(/^\d+\.\d+/)
    const { ours, peers: times, ratio, difference } = result.workloads[0]!
    expect(ratio! / (times.torch! / ours!)).toBeCloseTo(1, 2)
    expect(difference).toBeLessThan(1e-3)
  })
})

/** An interpreter that runs no Python: a millisecond a step by JAX, two or half a one by PyTorch, the faster of which is wrong. */
const standIn = `#!/usr/bin/env node
const jax = process.argv[2].includes('jax')
const ways = jax ? { jit: 1 } : { eager: 2, compiled: 0.5, fused: 1 }
const facts = { version: jax ? '0.10' : '2.15', blas: null, productGflops: 50 }
console.log(JSON.stringify({ ...facts, ways: { linear: Object.keys(ways) } }))
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { ask, way, count } = JSON.parse(line)
  const right = [0.017422674807719876, -0.0016049036057665944]
  const numbers = way === 'compiled' ? [1, 2] : right
  if (way === 'fused') console.log(JSON.stringify({ error: 'no compiler' }))
  else console.log(JSON.stringify(ask === 'check' ? { numbers } : { seconds: (count * ways[way]) / 1000 }))
})
`

test('the best of all peers and ways counts, and only those whose results are ours', async () => {
  const python = join(folder, 'stand-in')
  writeFileSync(python, standIn, { mode: 0o755 })
  vi.stubEnv('OVERHEAR_PYTHON', python)
  const { status, result } = await bench('--against', 'torch,jax')
  vi.unstubAllEnvs()
  expect(status).toBe(0)
  expect(result).toMatchObject({ peers: { torch: '2.15', jax: '0.10' }, libraries: { jax: { productGflops: 50 } } })
  const { ours, ratio, note, ...rest } = result.workloads[0]!
  expect(rest).toMatchObject({ peers: { torch: 2000, jax: 1000 }, best: 'jax', way: 'jit', difference: 0 })
  expect(ratio! / (1000 / ours!)).toBeCloseTo(1, 2)
  expect(note).toMatch(
    /^not counted, as its results are not ours: torch \(compiled\); .*"linear" \(fused\): no compiler$/,
  )
  expect(benchText(result)).toMatch(/^linear +[\d.]+ +1000 +us +jax, jit +[\d.]+ +\d+$/m)
})

test('a ratio that has fallen far below the baseline is told, and exit code 3', async () => {
  const python = join(folder, 'stand-in')
  writeFileSync(python, standIn, { mode: 0o755 })
  const path = join(folder, 'high.json')
  writeFileSync(path, JSON.stringify({ ratios: { linear: 1e9 }, productGflops: { jax: 50 } }))
  vi.stubEnv('OVERHEAR_PYTHON', python)
  const { status } = await bench('--baseline', path, '--against', 'jax')
  vi.unstubAllEnvs()
  expect(status).toBe(3)
  expect(complained.mock.calls.at(-1)![0]).toMatch(/^overhear: bench: linear: ratio .* 100 % below the baseline's/)
})

describe('wrong usage is exit code 2', () => {
  test.each([
    [
      ['--only', 'mpl'],
      /unknown workload: "mpl" \(did you mean "mlp"\?\); known: dp-sgd, federated-run, .*svd-300x50$/,
    ],
    [['--against', 'jax,scipy'], /unknown peer: "scipy"; known: jax, numpy, torch/],
    [['--out', '/no/such/folder/x.json'], /its folder is not there/],
    [['--baseline', '/no/such/file.json'], /ENOENT/],
    [['--quickly'], /unknown option '--quickly'/],
  ])('%j', async (args, message) => {
    expect(await main(['bench', ...args])).toBe(2)
    expect(complained.mock.calls.at(-1)![0]).toMatch(message)
    expect(printed).not.toHaveBeenCalled()
  })

  test('a baseline without a peer', async () => {
    vi.stubEnv('OVERHEAR_PYTHON', join(folder, 'no-python'))
    const path = join(folder, 'baseline.json')
    writeFileSync(path, JSON.stringify({ ratios: { linear: 90 }, productGflops: {} }))
    const { status } = await bench('--baseline', path)
    vi.unstubAllEnvs()
    expect(status).toBe(2)
  })
})

describe('both sides do the same work', () => {
  // svd-1000 takes seconds, and its code is that of svd-300x50
  test.for(Object.keys(workloads).filter((name) => name !== 'svd-1000'))('%s', async (name, context) => {
    const workload: Workload = lookup<Workload>(workloads, name, 'workload')
    const there = workload.peers.filter((one) => peers.has(one))
    if (there.length === 0) context.skip(absent.join('; '))
    const numbers = await workload.prepare().numbers()
    expect(Math.abs(numbers[0]!)).toBeGreaterThan(0)
    for (const peer of there) {
      for (const way of peers.get(peer)!.ways(name)) {
        const found = await peers.get(peer)!.check({ workload: name, way })
        expect(apart(numbers, found), `${peer}, ${way}`).toBeLessThan(workload.tolerance)
      }
    }
  })

  test('apart is relative to the largest number, and infinite for what is no number', () => {
    expect(apart([100, 1], [100, 2])).toBe(0.01)
    expect(apart([0], [0])).toBe(0)
    expect(apart([1, 2], [1])).toBe(Number.POSITIVE_INFINITY)
    expect(apart([Number.NaN], [1])).toBe(Number.POSITIVE_INFINITY)
  })
})

test('the rows of mlp-sparse are sparse enough to be kept so', () => {
  const features = sparseRows({ rows: 32, cols: 41 }, 12)
  for (let i = 0; i < 32; i++) {
    expect(features.data.subarray(41 * i, 41 * (i + 1)).filter((x) => x !== 0)).toHaveLength(12)
  }
  const model = mlp({ inputs: 41, hidden: [128], outputs: 1 })
  expect(trainer(model, { data: { features, labels: madeUp(32, 3) } }).sparse).toBe(true)
})
