// How the time and the memory of an audit grow: rounds, clients, records of a client, parameters and attacks, one at a time,
// each audit in a process of its own with one worker thread. Processor time and peak memory, exponents by least squares of
// logs over the three largest sizes, a table for docs/performance.md and a figure.
//   node bench/growth.mjs [--only rounds,clients] [--runs 1] [--svg docs/growth.svg] [--json FILE]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { audit } from '../dist/index.js'
import { nodePorts } from '../dist/node/index.js'

/** @typedef {{ rounds: number, clients: number, records: number, hidden: number, attacks: number }} Size */
/** @typedef {{ seconds: number, megabytes: number }} Cost */

const base = { rounds: 20, clients: 8, records: 50, hidden: 16, attacks: 5 }
const inputs = 10

/** In the order in which the axis of attacks takes them; bench/aia-linear.mjs tells how `aia-linear` grows. */
const attacks = [
  ...['last-returned', 'aia-model', 'label-mean', 'lmra-label', 'property-reg'],
  ...['property-blup', 'prolin', 'property-posterior', 'property-ols'],
]

/** What is made larger, by how much, and what the figure calls it. */
const axes = {
  rounds: { title: 'rounds', sizes: [20, 80, 320, 1280] },
  clients: { title: 'clients', sizes: [8, 64, 512, 4096] },
  records: { title: 'records of a client', sizes: [50, 400, 3200, 12800] },
  hidden: { title: 'parameters', sizes: [16, 128, 1024, 4096] },
  attacks: { title: 'attacks', sizes: [1, 2, 3, 5, 7, 9] },
}

/** @param {string} id @returns {Record<string, unknown>} */
const paramsOf = (id) =>
  id === 'lmra-label' ? { from: 'last-returned' } : /^prop|^prolin/.test(id) ? { pairs: 10 } : {}

const parameters = (/** @type {number} */ hidden) => (inputs + 2) * hidden + 1

/** @param {Size} size */
const scenarioOf = ({ rounds, clients, records, hidden, attacks: count }) => ({
  name: 'growth',
  ...{ repeats: 1, heldBack: 0, controls: false, observers: ['server'] },
  data: {
    ...{ name: 'toy-least-squares', validation: 0, auxiliary: 0.2 },
    params: { clients: 1, recordsPerClient: Math.ceil((clients * records) / 0.8), numericColumns: inputs - 1 },
  },
  partition: { name: 'iid', params: { clients } },
  models: [{ kind: 'mlp', hidden: [hidden], learningRate: 0.05 }],
  training: {
    ...{ rounds, localEpochs: 2, batchSize: 25, sampling: { name: 'fraction', params: { fraction: 0.5 } } },
    misbehaving: { 7: { name: 'inversion' } },
  },
  knowledge: { targets: ['0'], sensitive: ['coin'], property: 'inversion' },
  attacks: attacks.slice(0, count).map((id) => ({ id, params: paramsOf(id) })),
})

/** In the process of its own. @param {Size} size @param {string} out */
async function once(size, out) {
  const run = audit(scenarioOf(size), { ports: nodePorts({ out, workers: 1 }) })
  for await (const _ of run);
  const { observers } = await run.result
  const odd = observers.flatMap(({ attacks: own }) => own).find(({ status }) => status !== 'claimed')
  if (odd !== undefined) throw new Error(`${odd.attack}: ${odd.status} ${odd.error?.message ?? ''}${odd.missing ?? ''}`)
  const { user, system } = process.cpuUsage()
  const { maxRSS } = process.resourceUsage()
  process.stdout.write(JSON.stringify({ seconds: (user + system) / 1e6, megabytes: maxRSS / 1024 }))
}

/** @param {Size} size @param {number} runs @returns {Cost} the least of the runs */
function costOf(size, runs) {
  /** @type {Cost} */
  let least = { seconds: Number.POSITIVE_INFINITY, megabytes: Number.POSITIVE_INFINITY }
  for (let run = 0; run < runs; run++) {
    const out = mkdtempSync(join(tmpdir(), 'overhear-growth-'))
    const self = fileURLToPath(import.meta.url)
    const child = spawnSync(process.execPath, [self, '--once', JSON.stringify(size), '--out', out], {
      encoding: 'utf8',
    })
    rmSync(out, { recursive: true })
    if (child.status !== 0) throw new Error(child.stderr)
    const { seconds, megabytes } = /** @type {Cost} */ (JSON.parse(child.stdout))
    least = { seconds: Math.min(least.seconds, seconds), megabytes: Math.min(least.megabytes, megabytes) }
  }
  return least
}

/** The slope of log y over log x, over the three largest sizes. @param {readonly number[]} x @param {readonly number[]} y */
function exponentOf(x, y) {
  const logs = (/** @type {readonly number[]} */ list) => list.slice(-3).map(Math.log2)
  const mean = (/** @type {readonly number[]} */ list) => list.reduce((sum, v) => sum + v, 0) / list.length
  const centred = (/** @type {readonly number[]} */ list) => list.map((v) => v - mean(list))
  const [a, b] = [centred(logs(x)), centred(logs(y))]
  return a.reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0) / a.reduce((sum, v) => sum + v * v, 0)
}

/** @typedef {{ title: string, x: number[], seconds: number[], megabytes: number[] }} Curve */

/** Small panels side by side, both axes in logs: time in one colour, memory in the other. @param {readonly Curve[]} curves */
function figureOf(curves) {
  const [w, h, left, top] = [190, 150, 44, 30]
  const logs = curves.flatMap((curve) => [...curve.seconds, ...curve.megabytes]).map(Math.log10)
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))]
  const at = (/** @type {number} */ v) => h - (h * (Math.log10(v) - low)) / (high - low)
  const panels = curves.map(({ title, x, seconds, megabytes }, k) => {
    const [first, last] = [x[0] ?? 1, x.at(-1) ?? 1]
    const [a, b] = [Math.log2(first), Math.log2(last)]
    const place = (/** @type {number} */ v) => (w * (Math.log2(v) - a)) / (b - a)
    const line = (/** @type {number[]} */ y, /** @type {string} */ of) => {
      const points = y.map((v, i) => `${place(x[i] ?? 1).toFixed(1)},${at(v).toFixed(1)}`)
      const dots = points.map((p) => `<circle cx="${p.split(',')[0]}" cy="${p.split(',')[1]}" r="2.5"/>`)
      return `<g class="${of}"><polyline points="${points.join(' ')}"/>${dots.join('')}</g>`
    }
    const grid = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)).map((v) => {
      const label =
        k === 0 ? `<text class="y" x="-6" y="${(at(v) + 4).toFixed(1)}">${v.toLocaleString('en')}</text>` : ''
      return `<path class="grid" d="M0 ${at(v).toFixed(1)}h${w}"/>${label}`
    })
    const ends = [first, last].map((v) => {
      return `<text class="x" x="${place(v).toFixed(1)}" y="${h + 15}">${v.toLocaleString('en')}</text>`
    })
    const exponents = `time ${exponentOf(x, seconds).toFixed(2)}, memory ${exponentOf(x, megabytes).toFixed(2)}`
    const names = `<text class="t" x="${w / 2}" y="-16">${title}</text><text class="e" x="${w / 2}" y="-4">${exponents}</text>`
    const inner = [...grid, line(seconds, 'time'), line(megabytes, 'memory'), ...ends, names].join('\n  ')
    return `<g transform="translate(${left + k * (w + 22)} ${top})">\n  ${inner}\n</g>`
  })
  const width = left + curves.length * (w + 22) + 4
  const key = `<g transform="translate(${left} ${top + h + 34})"><g class="time"><circle cx="4" cy="-4" r="3"/></g><text x="12" y="0">processor time, seconds</text><g class="memory"><circle cx="180" cy="-4" r="3"/></g><text x="188" y="0">peak memory, megabytes</text></g>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + h + 44}" role="img" aria-label="Time and memory of an audit against its size">
<style>
text { font: 11px system-ui, sans-serif; fill: #57606a } .t { font-weight: 600; text-anchor: middle } .e, .x { text-anchor: middle } .y { text-anchor: end }
.grid { stroke: #8c959f; stroke-opacity: 0.3 } polyline { fill: none; stroke-width: 1.8 }
.time polyline { stroke: #2563a8 } .time circle { fill: #2563a8 } .memory polyline { stroke: #c2571a } .memory circle { fill: #c2571a }
</style>
${panels.join('\n')}
${key}
</svg>
`
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(axes).join() },
    runs: { type: 'string', default: '1' },
    svg: { type: 'string' },
    json: { type: 'string' },
    once: { type: 'string' },
    out: { type: 'string' },
  },
})

if (values.once !== undefined) {
  await once(JSON.parse(values.once), values.out ?? 'runs/growth')
  process.exit()
}
/** @type {Curve[]} */
const curves = []
for (const name of values.only.split(',')) {
  const axis = /** @type {keyof typeof axes} */ (name)
  const { title, sizes } = axes[axis]
  const costs = sizes.map((size) => costOf({ ...base, [axis]: size }, Number(values.runs)))
  const x = axis === 'hidden' ? sizes.map(parameters) : sizes
  const seconds = costs.map((cost) => cost.seconds)
  const megabytes = costs.map((cost) => cost.megabytes)
  curves.push({ title, x, seconds, megabytes })
  const list = (/** @type {number[]} */ y, /** @type {number} */ digits) => y.map((v) => v.toFixed(digits)).join(', ')
  const exponents = [seconds, megabytes].map((y) => exponentOf(x, y).toFixed(2)).join(' | ')
  console.log(`| ${title} | ${x.join(', ')} | ${list(seconds, 1)} | ${list(megabytes, 0)} | ${exponents} |`)
}
if (values.svg !== undefined) writeFileSync(values.svg, figureOf(curves))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(curves)}\n`)
