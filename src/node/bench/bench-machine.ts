/** What a measurement is worth depends on the machine: its facts, and the most that plain SIMD gives on it just now. */
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os'
import { createEngine } from '../../numeric/engine/engine.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import type { Precision } from '../../numeric/engine/kernels.js'
import { version } from '../version.js'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly platform: string
  readonly node: string
  readonly overhear: string
  readonly kernels: string
  /** Processes that wanted a core, mean of a minute: above the number of cores, figures are worse than they could be. */
  readonly load: { readonly before: number; readonly after: number }
  /** Billions of operations a second of one thread. */
  readonly peakGflops: Readonly<Record<Precision, number>>
}

export interface Gauge {
  /** Looks again at what SIMD gives: a busy moment at one time is made good at another. */
  look(): void
  /** The facts, with the best that was seen. */
  facts(): Machine
}

export function gauge(): Gauge {
  const load = (): number => Number(loadavg()[0]!.toFixed(2))
  const before = load()
  const best = { f32: 0, f64: 0 }
  return {
    look() {
      for (const precision of ['f32', 'f64'] as const) best[precision] = Math.max(best[precision], simdPeak(precision))
    },
    facts: () => ({
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      platform: `${platform()} ${arch()}`,
      node: process.versions.node,
      overhear: version,
      kernels: kernelHash,
      load: { before, after: load() },
      peakGflops: { ...best },
    }),
  }
}

const turns = 200_000

/** The best of many short runs, in GFLOP/s. */
export function simdPeak(precision: Precision, runs = 100): number {
  const lanes = precision === 'f32' ? 4 : 2
  const host = createEngine()
  const buffer = host.allocate(14 * 16)
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    // Factors just below 1 and small addends: no stream overflows or becomes subnormal in this many turns.
    const at = host.view(precision, buffer.address, 14 * lanes).fill(1)
    at.fill(0.9999999, 0, lanes).fill(0.0000001, lanes, 2 * lanes)
    const start = performance.now()
    host[precision].peak(buffer.address, turns)
    best = Math.min(best, performance.now() - start)
  }
  return Number(((12 * lanes * turns) / best / 1e6).toPrecision(4))
}
