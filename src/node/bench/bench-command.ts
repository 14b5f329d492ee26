/** `overhear bench`: times the workloads, beside PyTorch and numpy when asked, and compares ratios with a baseline. */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { lookup, OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { commonFlags, parseFlags } from '../commands/arguments.js'
import { progress } from '../progress.js'
import { type Baseline, checkComparable, fallen, readBaseline } from './bench-baseline.js'
import { gauge, type Machine } from './bench-machine.js'
import { contender, type Effort, efforts, interleave, type Timing } from './bench-measure.js'
import { type Workload, workloads } from './bench-workloads.js'
import { type Peer, type PeerFacts, type PeerName, startPeer } from './peer.js'

const flags = {
  ...commonFlags,
  against: { type: 'string' },
  only: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  baseline: { type: 'string' },
} as const

/** One workload's figures; times in `unit`, minima over the chunks. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly ours: number | null
  readonly torch: number | null
  readonly numpy: number | null
  /** Their time over ours. */
  readonly ratio: number | null
  readonly goal: number | null
  readonly percentOfPeak: number | null
  readonly unit: Workload['unit']
  readonly precision: Workload['precision']
  /** Chunks on each side. */
  readonly repetitions: number
  /** The peer did one part in so many; its time is multiplied. */
  readonly scaled?: number
  /** How far the two sides' results lie apart, relative to the largest number. */
  readonly difference?: number
  readonly note?: string
}

export interface BenchResult {
  readonly machine: Machine
  readonly torch: string | null
  readonly numpy: string | null
  readonly peers: Readonly<Partial<Record<PeerName, PeerFacts>>>
  readonly workloads: readonly Row[]
}

interface Measured {
  readonly row: Omit<Row, 'percentOfPeak'>
  /** Every chunk: repetitions in it, and seconds of one repetition. */
  readonly timings: { readonly ours: Timing; readonly theirs: Timing | null }
}

export async function runBench(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, flags)
  const say = (text: string): void => {
    if (!values.quiet) console.error(text)
  }
  const against = values.against ?? (values.baseline === undefined ? undefined : 'torch')
  if (against !== undefined) lookup({ torch: true }, against, 'peer')
  const table: Readonly<Record<string, Workload>> = workloads
  const asked = values.only ?? Object.keys(table)
  for (const name of asked) lookup(table, name, 'workload')
  const names = Object.keys(table).filter((name) => asked.includes(name))
  const baseline = values.baseline === undefined ? undefined : readBaseline(values.baseline)
  if (values.out !== undefined && !existsSync(dirname(resolve(values.out)))) {
    throw new OverhearError('E_INPUT', `--out ${values.out}: its folder is not there`, 'make it first')
  }

  const peers = new Map<PeerName, Peer>()
  const interrupt = watchInterrupt()
  try {
    for (const name of new Set(names.map((n) => table[n]!.peer))) {
      if (against === undefined) break
      const peer = await startPeer(name)
      if (typeof peer === 'string') say(`overhear: bench: without ${name}: ${peer}`)
      else peers.set(name, peer)
    }
    const meter = gauge()
    meter.look()
    const bar = progress({ total: names.length, what: 'workloads', quiet: values.quiet ?? false })
    const measured: Measured[] = []
    for (const name of names) {
      if (interrupt.seen()) break
      bar.tick(measured.length, name)
      const { peer } = table[name]!
      const effort = values.quick ? efforts.quick : efforts.full
      const one = await measure(name, { effort, peer: peers.get(peer), stopped: interrupt.seen })
      meter.look()
      if (one.timings.ours.chunks.length > 0) measured.push(one) // none when it was interrupted
    }
    if (!interrupt.seen()) bar.tick(names.length)
    bar.end()
    const machine = meter.facts()
    const result: BenchResult = {
      machine,
      torch: peers.get('torch')?.facts.version ?? null,
      numpy: peers.get('numpy')?.facts.version ?? null,
      peers: Object.fromEntries([...peers].map(([name, { facts }]) => [name, facts])),
      workloads: measured.map(({ row }) => ({ ...row, percentOfPeak: percentOfPeak(row, machine) })),
    }
    if (values.out !== undefined) writeFileSync(values.out, fullText(result, measured))
    console.log(values.json ? JSON.stringify(result) : benchText(result))
    if (interrupt.seen()) return 130
    return baseline === undefined ? 0 : checkBaseline(result, baseline)
  } finally {
    interrupt.end()
    for (const peer of peers.values()) peer.close()
  }
}

function watchInterrupt() {
  let seen = false
  const stop = (): void => {
    seen = true
  }
  process.once('SIGINT', stop)
  return { seen: () => seen, end: () => process.removeListener('SIGINT', stop) }
}

interface MeasureOptions {
  readonly effort: Effort
  readonly peer: Peer | undefined
  readonly stopped: () => boolean
}

const perSecond = { us: 1e6, ms: 1e3, s: 1 } as const
const round = (x: number): number => Number(x.toPrecision(4))

async function measure(name: string, { effort, peer, stopped }: MeasureOptions): Promise<Measured> {
  const workload: Workload = lookup<Workload>(workloads, name, 'workload')
  const { what, unit, goal, precision, scaled, tolerance } = workload
  const { run, numbers } = workload.prepare()
  const difference = peer === undefined ? undefined : apart(await numbers(), await peer.check(name))
  const sides = [
    contender(run),
    ...(peer === undefined ? [] : [async (count: number) => (scaled ?? 1) * (await peer.time(name, count))]),
  ]
  const [ours, theirs = null] = (await interleave(sides, effort, stopped)) as [Timing, Timing?]
  const seconds = Math.min(...ours.chunks)
  const peerSeconds = theirs === null ? null : Math.min(...theirs.chunks)
  const theirTime = peerSeconds === null ? null : round(peerSeconds * perSecond[unit])
  const agree = difference === undefined || difference <= tolerance
  const row = {
    name,
    what,
    ours: round(seconds * perSecond[unit]),
    torch: workload.peer === 'torch' ? theirTime : null,
    numpy: workload.peer === 'numpy' ? theirTime : null,
    ratio: peerSeconds === null || !agree ? null : round(peerSeconds / seconds),
    goal,
    unit,
    precision,
    repetitions: ours.chunks.length,
    ...(scaled === undefined || peer === undefined ? {} : { scaled }),
    ...(difference === undefined ? {} : { difference: Number(difference.toPrecision(2)) }),
    ...(agree ? {} : { note: 'the two sides computed different results: no ratio' }),
  }
  return { row, timings: { ours, theirs } }
}

function percentOfPeak({ name, ours, unit, precision }: Measured['row'], { peakGflops }: Machine): number | null {
  const { flops }: Workload = lookup<Workload>(workloads, name, 'workload')
  if (flops === null || ours === null) return null
  const gflops = (flops * perSecond[unit]) / ours / 1e9
  return round((100 * gflops) / peakGflops[precision])
}

/** The largest difference, relative to the largest number of either side. */
export function apart(a: readonly number[], b: readonly number[]): number {
  const largest = Math.max(...a.map(Math.abs), ...b.map(Math.abs))
  const difference = Math.max(...a.map((x, i) => Math.abs(x - (b[i] ?? Number.NaN))))
  return Number.isNaN(difference) ? Number.POSITIVE_INFINITY : largest === 0 ? 0 : difference / largest
}

/** The result with every chunk. */
function fullText(result: BenchResult, measured: readonly Measured[]): string {
  const seconds = ({ calls, chunks }: Timing) => ({ calls, chunks: chunks.map(round) })
  const rows = measured.map(({ timings: { ours, theirs } }, i) => ({
    ...result.workloads[i]!,
    seconds: { ours: seconds(ours), theirs: theirs && seconds(theirs) },
  }))
  return `${JSON.stringify({ ...result, workloads: rows })}\n`
}

export function benchText({ machine, peers, workloads: rows }: BenchResult): string {
  const cell = (x: number | null, after = ''): string => (x === null ? '-' : `${x}${after}`)
  const table = textTable(
    ['workload', 'ours', 'theirs', 'unit', 'ratio', 'goal', '% of peak'],
    rows.map((r) => [
      r.name,
      cell(r.ours),
      cell(r.torch ?? r.numpy),
      r.unit,
      cell(r.ratio),
      cell(r.goal),
      cell(r.percentOfPeak === null ? null : Math.round(r.percentOfPeak)),
    ]),
  )
  const { cpu, cores, node, load, peakGflops } = machine
  const notes = [
    ...rows.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])),
    ...(Math.max(load.before, load.after) > cores ? ['the machine was busy: times are worse than they could be'] : []),
    `${cpu}, ${cores} cores (load ${load.before} before, ${load.after} after), node ${node}; plain SIMD at most ${peakGflops.f32} GFLOP/s (f32), ${peakGflops.f64} (f64)`,
    ...Object.entries(peers).map(([name, { version, blas, productGflops }]) => {
      return `${name} ${version}, one thread; its products reach ${round(productGflops)} GFLOP/s (${blas ?? 'library unknown'})`
    }),
  ]
  return `${table}\n\n${notes.join('\n')}`
}

function checkBaseline({ workloads: rows, peers }: BenchResult, baseline: Baseline): number {
  checkComparable(peers, baseline)
  const lines = fallen(Object.fromEntries(rows.map(({ name, ratio }) => [name, ratio])), baseline)
  for (const line of lines) console.error(`overhear: bench: ${line}`)
  return lines.length === 0 ? 0 : 3
}
