import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../cli.js'
import { type BenchResult, benchText } from './bench-command.js'
import { workloads } from './bench-workloads.js'
import { startPeer } from './peer.js'

const printed = vi.hoisted(() => vi.fn())
vi.mock('../print.js', () => ({
  print: async (text: string) => printed(text),
  printJson: async (value: unknown) => printed(JSON.stringify(value)),
}))
const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
const folder = mkdtempSync(join(tmpdir(), 'overhear-peer-'))
const [python, asked] = [join(folder, 'python'), join(folder, 'asked.jsonl')]
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  printed.mockClear()
  complained.mockClear()
  rmSync(asked, { force: true })
})
afterEach(() => vi.unstubAllEnvs())

/** An interpreter that takes a millisecond for everything, knows what the workloads come to, and keeps what it is asked. */
function withPeer(answers: { numbers?: readonly number[]; error?: string; dies?: string; mute?: boolean } = {}): void {
  const ways = { linear: ['plain'], 'svd-12': ['plain'] }
  const facts = { version: '9.9', blas: 'made up', productGflops: 50, ways }
  writeFileSync(
    python,
    `#!${process.execPath}
const { appendFileSync } = require('node:fs')
const { numbers = [], error, dies, mute } = ${JSON.stringify(answers)}
if (mute) process.exit(1)
console.log(${JSON.stringify(JSON.stringify(facts))})
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  appendFileSync(${JSON.stringify(asked)}, line + '\\n')
  if (dies) { console.error('first words\\n' + dies); process.exit(1) }
  if (error) return console.log(JSON.stringify({ error }))
  console.log(JSON.stringify(request.ask === 'time' ? { seconds: request.count / 1000 } : { numbers }))
}).on('close', () => appendFileSync(${JSON.stringify(asked)}, '"closed"\\n'))
`,
  )
  chmodSync(python, 0o755)
  vi.stubEnv('OVERHEAR_PYTHON', python)
}

const requests = (): unknown[] =>
  readFileSync(asked, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

async function bench(only: string, ...args: string[]): Promise<{ status: number; result: BenchResult }> {
  const status = await main(['bench', '--quick', '--quiet', '--only', only, '--json', ...args])
  return { status, result: JSON.parse((printed.mock.calls[0]?.[0] as string | undefined) ?? 'null') as BenchResult }
}

const baselineOf = (ratio: number, productGflops: number): string => {
  const path = join(folder, 'baseline.json')
  writeFileSync(path, JSON.stringify({ ratios: { linear: ratio }, productGflops: { torch: productGflops } }))
  return path
}

describe.skipIf(process.platform === 'win32')('beside a peer', () => {
  test('a workload has both times, their ratio, and the share of the peak', async () => {
    withPeer({ numbers: await workloads.linear.prepare().numbers() })
    const out = join(folder, 'out.json')
    const { status, result } = await bench('linear', '--against', 'torch', '--out', out)
    expect(status).toBe(0)
    expect(result).toMatchObject({
      peers: { torch: '9.9' },
      libraries: { torch: { version: '9.9', blas: 'made up', productGflops: 50 } },
    })
    const [row] = result.workloads
    expect(row).toMatchObject({ name: 'linear', peers: { torch: 1000 }, best: 'torch', way: 'plain', difference: 0 })
    expect(row!.ratio! / (1000 / row!.ours!)).toBeCloseTo(1, 2)
    const peak = (workloads.linear.flops / row!.ours!) * 1e-3 // operations in a microsecond to GFLOP/s
    expect(row!.percentOfPeak! / ((100 * peak) / result.machine.peakGflops.f32)).toBeCloseTo(1, 3)
    expect(row).not.toHaveProperty('note')
    expect(row).not.toHaveProperty('scaled')
    const { theirs, ours } = JSON.parse(readFileSync(out, 'utf8')).workloads[0].seconds
    expect(theirs).toEqual({ 'torch, plain': { calls: 4, chunks: ours.chunks.map(() => 0.001) } })
    const lines = requests()
    const task = { workload: 'linear', way: 'plain' }
    expect(lines[0]).toEqual({ ask: 'check', ...task })
    expect(lines.slice(1, 3)).toEqual([1, 2].map((count) => ({ ask: 'time', ...task, count })))
    expect(lines[3]).toEqual({ ask: 'time', ...task, count: 4 })
    await vi.waitFor(() => expect(requests().at(-1)).toBe('closed'))
    const text = benchText(result)
    expect(text).toMatch(/^linear +[\d.]+ +1000 +us +torch, plain +[\d.]+ +\d+$/m)
    expect(text).toContain('torch 9.9, one thread; its products reach 50 GFLOP/s (made up)')
  })

  test('one of numpy stands under numpy', async () => {
    withPeer({ numbers: await workloads['svd-12'].prepare().numbers() })
    const { result } = await bench('svd-12', '--against', 'torch,numpy')
    expect(result).toMatchObject({ peers: { torch: null, numpy: '9.9' }, workloads: [{ peers: { numpy: 1000 } }] })
    expect(result.workloads[0]!.percentOfPeak).toBeNull()
    expect(benchText(result)).toMatch(/^svd-12 +[\d.]+ +1000 +us +numpy, plain +[\d.]+ +-$/m)
  })

  test('other results have no ratio, and it is said', async () => {
    const numbers = await workloads.linear.prepare().numbers()
    withPeer({ numbers: numbers.map((x) => 1.01 * x) })
    const { result } = await bench('linear', '--against', 'torch')
    expect(result.workloads[0]).toMatchObject({ ratio: null, peers: { torch: null }, best: null })
    expect(benchText(result)).toContain('linear: not counted, as its results are not ours: torch (plain)')
    expect(benchText({ ...result, machine: { ...result.machine, load: { before: 0, after: 1e3 } } })).toContain('busy')
    expect(benchText({ ...result, machine: { ...result.machine, load: { before: 0, after: 0 } } })).not.toContain(
      'busy',
    )
  })

  test.each([
    [1e-6, 50, 0, undefined],
    [1e9, 50, 3, /^overhear: bench: linear: ratio .* 100 % below the baseline's 1000000000$/],
    [1e-6, 16, 2, /reach 50 GFLOP\/s here, 16 when/],
  ])('a baseline of ratio %d and %i GFLOP/s ends in %i', async (ratio, gflops, code, message) => {
    withPeer({ numbers: await workloads.linear.prepare().numbers() })
    const { status } = await bench('linear', '--against', 'torch', '--baseline', baselineOf(ratio, gflops))
    expect(status).toBe(code)
    if (message === undefined) expect(complained).not.toHaveBeenCalled()
    else expect(complained.mock.calls.at(-1)![0]).toMatch(message)
  })

  test.each([
    [{ error: 'no such thing' }, /torch-peer\.py failed at "linear" \(plain\): no such thing$/],
    [{ dies: 'last words' }, /torch-peer\.py failed at "linear" \(plain\): it ended: last words$/],
  ])('that fails (%j) there is no ratio, and it is said', async (answers, note) => {
    withPeer(answers)
    const { status, result } = await bench('linear', '--against', 'torch')
    expect(status).toBe(0)
    expect(result.workloads[0]).toMatchObject({ ratio: null, best: null, note: expect.stringMatching(note) })
  })

  test('that says nothing there is none, and the others are named that were tried', async () => {
    withPeer({ mute: true })
    expect(await startPeer('numpy')).toBe(
      `numpy (Debian: python3-numpy) was not found (${python}: no answer); OVERHEAR_PYTHON may name an interpreter`,
    )
    expect(existsSync(asked)).toBe(false)
    complained.mockClear()
    expect(await main(['bench', '--quick', '--only', 'linear', '--against', 'torch', '--json'])).toBe(0)
    expect(complained.mock.calls[0]![0]).toMatch(/^overhear: bench: without torch: PyTorch .* no answer/)
  })
})
