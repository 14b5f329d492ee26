/** `overhear bench`: times the workloads, beside PyTorch, JAX and numpy when asked, and compares ratios with a baseline. */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { lookup, OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { commonFlags, parseFlags } from '../commands/arguments.js'
import { print, printJson } from '../print.js'
import { progress } from '../progress.js'
import { type Baseline, checkComparable, fallen, readBaseline } from './bench-baseline.js'
import { gauge, type Machine } from './bench-machine.js'
import { type Contender, contender, type Effort, efforts, interleave, type Timing } from './bench-measure.js'
import { type Workload, workloads } from './bench-workloads.js'
import { type Peer, type PeerFacts, type PeerName, peerNames, startPeer } from './peer.js'

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
  /** Each peer's time, in the fastest of its ways whose results are ours; null for one that is not there. */
  readonly peers: Readonly<Partial<Record<PeerName, number | null>>>
  /** The fastest peer, and in which way. */
  readonly best: PeerName | null
  readonly way: string | null
  /** The fastest peer's time over ours. */
  readonly ratio: number | null
  readonly percentOfPeak: number | null
  readonly unit: Workload['unit']
  readonly precision: Workload['precision']
  /** Chunks on each side. */
  readonly repetitions: number
  /** The peer did one part in so many; its time is multiplied. */
  readonly scaled?: number
  /** How far the results of ours and the fastest lie apart, relative to the largest number. */
  readonly difference?: number
  readonly note?: string
}

export interface BenchResult {
  readonly machine: Machine
  /** Versions of the peers that were asked for; null for one that is not there. */
  readonly peers: Readonly<Partial<Record<PeerName, string | null>>>
  /** What else is known of those that are there. */
  readonly libraries: Readonly<Partial<Record<PeerName, PeerFacts>>>
  readonly workloads: readonly Row[]
}

interface Measured {
  readonly row: Omit<Row, 'percentOfPeak'>
  /** Every chunk: repetitions in it, and seconds of one repetition. */
  readonly timings: { readonly ours: Timing; readonly theirs: Readonly<Record<string, Timing>> }
}

export async function runBench(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, flags)
  const say = (text: string): void => {
    if (!values.quiet) console.error(text)
  }
  const against = values.against ?? (values.baseline === undefined ? undefined : peerNames.join())
  const known = Object.fromEntries(peerNames.map((name) => [name, name]))
  const wanted = (against === undefined ? [] : against.split(',')).map((name) => lookup(known, name, 'peer'))
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
    for (const name of wanted.filter((one) => names.some((n) => table[n]!.peers.includes(one)))) {
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
      const effort = values.quick ? efforts.quick : efforts.full
      const one = await measure(name, { effort, peers, wanted, stopped: interrupt.seen })
      meter.look()
      if (one.timings.ours.chunks.length > 0) measured.push(one) // none when it was interrupted
    }
    if (!interrupt.seen()) bar.tick(names.length)
    bar.end()
    const machine = meter.facts()
    const result: BenchResult = {
      machine,
      peers: Object.fromEntries(wanted.map((name) => [name, peers.get(name)?.facts.version ?? null])),
      libraries: Object.fromEntries([...peers].map(([name, { facts }]) => [name, facts])),
      workloads: measured.map(({ row }) => ({ ...row, percentOfPeak: percentOfPeak(row, machine) })),
    }
    if (values.out !== undefined) writeFileSync(values.out, fullText(result, measured))
    await (values.json ? printJson(result) : print(benchText(result)))
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
  readonly peers: ReadonlyMap<PeerName, Peer>
  readonly wanted: readonly PeerName[]
  readonly stopped: () => boolean
}

const perSecond = { us: 1e6, ms: 1e3, s: 1 } as const
const round = (x: number): number => Number(x.toPrecision(4))

/** A peer in one of its ways, and how far its results lie from ours. */
interface Rival {
  readonly name: PeerName
  readonly way: string
  readonly difference: number
  readonly run: Contender
}

async function rivalsOf(
  workload: Workload,
  name: string,
  { peers, numbers }: Pick<MeasureOptions, 'peers'> & { readonly numbers: readonly number[] },
): Promise<{ readonly rivals: readonly Rival[]; readonly failed: readonly string[] }> {
  const rivals: Rival[] = []
  const failed: string[] = []
  for (const [peerName, peer] of peers) {
    if (!workload.peers.includes(peerName)) continue
    for (const way of peer.ways(name)) {
      const task = { workload: name, way }
      let difference: number
      try {
        difference = apart(numbers, await peer.check(task))
      } catch (error) {
        // Such as one that must compile and finds no compiler: the other ways are as good as they were.
        failed.push((error as Error).message)
        continue
      }
      const run = async (count: number): Promise<number> => (workload.scaled ?? 1) * (await peer.time(task, count))
      rivals.push({ name: peerName, way, difference, run })
    }
  }
  return { rivals, failed }
}

async function measure(name: string, { effort, peers, wanted, stopped }: MeasureOptions): Promise<Measured> {
  const workload: Workload = lookup<Workload>(workloads, name, 'workload')
  const { what, unit, precision, scaled, tolerance } = workload
  const { run, numbers } = workload.prepare()
  const { rivals, failed } = await rivalsOf(workload, name, { peers, numbers: peers.size === 0 ? [] : await numbers() })
  const [ours, ...theirs] = await interleave([contender(run), ...rivals.map((one) => one.run)], effort, stopped)
  const least = ({ chunks }: Timing): number => Math.min(...chunks)
  const seconds = least(ours!)
  const timed = rivals.map((rival, k) => ({ ...rival, seconds: least(theirs[k]!) }))
  const agreeing = timed.filter(({ difference }) => difference <= tolerance).sort((a, b) => a.seconds - b.seconds)
  const best = agreeing[0]
  const timeOf = (peer: PeerName): number | null => {
    const own = agreeing.find((one) => one.name === peer)
    return own === undefined ? null : round(own.seconds * perSecond[unit])
  }
  const others = timed.filter(({ difference }) => difference > tolerance).map((one) => `${one.name} (${one.way})`)
  const notes = [
    ...(others.length > 0 ? [`not counted, as its results are not ours: ${others.join(', ')}`] : []),
    ...failed,
  ]
  const row = {
    name,
    what,
    ours: round(seconds * perSecond[unit]),
    peers: Object.fromEntries(wanted.filter((one) => workload.peers.includes(one)).map((one) => [one, timeOf(one)])),
    best: best?.name ?? null,
    way: best?.way ?? null,
    ratio: best === undefined ? null : round(best.seconds / seconds),
    unit,
    precision,
    repetitions: ours!.chunks.length,
    ...(scaled === undefined || rivals.length === 0 ? {} : { scaled }),
    ...(best === undefined ? {} : { difference: Number(best.difference.toPrecision(2)) }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  }
  const own = Object.fromEntries(rivals.map((one, k) => [`${one.name}, ${one.way}`, theirs[k]!]))
  return { row, timings: { ours: ours!, theirs: own } }
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
    seconds: {
      ours: seconds(ours),
      theirs: Object.fromEntries(Object.entries(theirs).map(([name, one]) => [name, seconds(one)])),
    },
  }))
  return `${JSON.stringify({ ...result, workloads: rows })}\n`
}

export function benchText({ machine, libraries, workloads: rows }: BenchResult): string {
  const cell = (x: number | null, after = ''): string => (x === null ? '-' : `${x}${after}`)
  const table = textTable(
    ['workload', 'ours', 'best peer', 'unit', 'by', 'ratio', '% of peak'],
    rows.map((r) => [
      r.name,
      cell(r.ours),
      cell(r.best === null ? null : (r.peers[r.best] ?? null)),
      r.unit,
      r.best === null ? '-' : `${r.best}, ${r.way}`,
      cell(r.ratio),
      cell(r.percentOfPeak === null ? null : Math.round(r.percentOfPeak)),
    ]),
  )
  const { cpu, cores, node, load, peakGflops } = machine
  const notes = [
    ...rows.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])),
    ...(Math.max(load.before, load.after) > cores ? ['the machine was busy: times are worse than they could be'] : []),
    `${cpu}, ${cores} cores (load ${load.before} before, ${load.after} after), node ${node}; plain SIMD at most ${peakGflops.f32} GFLOP/s (f32), ${peakGflops.f64} (f64)`,
    ...Object.entries(libraries).map(([name, { version, blas, productGflops }]) => {
      return `${name} ${version}, one thread; its products reach ${round(productGflops)} GFLOP/s (${blas ?? 'library unknown'})`
    }),
  ]
  return `${table}\n\n${notes.join('\n')}`
}

function checkBaseline({ workloads: rows, libraries }: BenchResult, baseline: Baseline): number {
  checkComparable(libraries, baseline)
  const lines = fallen(Object.fromEntries(rows.map(({ name, ratio }) => [name, ratio])), baseline)
  for (const line of lines) console.error(`overhear: bench: ${line}`)
  return lines.length === 0 ? 0 : 3
}
