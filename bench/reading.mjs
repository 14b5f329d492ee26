// Time and peak memory of an attack that reads every update of a long recording: 1,000 rounds of 100 clients with 10,000
// parameters each are 4 GB of distinct numbers in f32. They are written below the folder of temporary files and deleted again.
// Run `npm run build:ts` first, then `node bench/reading.mjs [--rounds N] [--clients N] [--parameters N] [--keep DIR]`.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openWriter, parametersOf } from '../dist/doors/transcript.js'
import { fileStore } from '../dist/node/index.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '100' },
    parameters: { type: 'string', default: '10000' },
    keep: { type: 'string' },
  },
})
const [rounds, clients, d] = [Number(values.rounds), Number(values.clients), Number(values.parameters)]
const root = fileURLToPath(new URL('..', import.meta.url))
const work = values.keep ?? mkdtempSync(join(tmpdir(), 'overhear-reading-'))
const needed = 4.1 * rounds * clients * d
const { bavail, bsize } = statfsSync(tmpdir())
if (bavail * bsize < 2 * needed) throw new Error(`${tmpdir()} has no room for ${needed} bytes`)

let state = 1
/** Every number another one: a counter, stirred. @param {Float64Array} into */
function fill(into) {
  for (let j = 0; j < into.length; j++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    into[j] = state / 2 ** 31
  }
}

async function write() {
  const ids = Array.from({ length: clients }, (_, k) => `c${k}`)
  const writer = await openWriter(
    fileStore(join(work, 'transcript')),
    {
      format: 'overhear-transcript/1',
      model: { kind: 'linear', inputs: d - 1, outputs: 1 },
      loss: 'mse',
      protocol: { share: 'delta', learningRate: 0.1, aggregateWeights: 'one' },
      clients: ids.map((id) => ({ id, samples: 100 })),
    },
    { parametersOf, precision: 'f32' },
  )
  const own = new Map(ids.map((id) => [id, { kind: /** @type {const} */ ('delta'), dTheta: new Float64Array(d) }]))
  for (let round = 0; round < rounds; round++) {
    for (const { dTheta } of own.values()) fill(dTheta)
    await writer.append({ round, participants: ids, clients: own })
  }
}

/** Mean length of each client's updates: every number of every message is read. */
const plugin = `import { claimed, defineAttack, definePlugin } from 'overhear/plugin'
const none = { none: 'a measurement' }
const lengths = defineAttack({
  id: 'mean-lengths', title: 'Mean length of updates', target: 'property', needs: ['updates'], params: {},
  async run({ updates }, { tick }) {
    const sums = new Map()
    for (const [k, round] of updates.rounds.entries()) {
      tick(k, updates.rounds.length)
      for (const [id, { dTheta }] of await updates.read(round)) {
        let square = 0
        for (let j = 0; j < dTheta.length; j++) square += dTheta[j] * dTheta[j]
        sums.set(id, (sums.get(id) ?? 0) + Math.sqrt(square))
      }
    }
    const clients = [...sums].map(([id, score]) => ({ id, score, positive: false }))
    return claimed({ kind: 'property', property: 'length', clients }, { details: { clients: clients.length } })
  },
  plant: none, shuffle: none,
})
export default definePlugin({ name: 'reading', attacks: [lengths] })
`

/** Peak memory of a process and of those that it started, by looking every 50 ms. @param {readonly string[]} args */
function measured(args) {
  const start = performance.now()
  const child = spawn(process.execPath, ['bin/overhear.mjs', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  /** @type {Map<number, number>} */
  const peaks = new Map()
  const look = () => {
    for (const pid of [child.pid ?? 0, ...startedBy(child.pid ?? 0)]) {
      const peak = Number(/VmHWM:\s*(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0)
      peaks.set(pid, Math.max(peaks.get(pid) ?? 0, peak))
    }
  }
  const timer = setInterval(look, 50)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(timer)
      resolve({ code, said, seconds: (performance.now() - start) / 1000, peaks: [...peaks.values()] })
    })
  })
}
/** @param {string} path */
const textOf = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
/** @param {number} pid @returns {number[]} */
const startedBy = (pid) => textOf(`/proc/${pid}/task/${pid}/children`).trim().split(/\s+/).filter(Boolean).map(Number)

try {
  if (!existsSync(join(work, 'transcript'))) {
    const start = performance.now()
    await write()
    const [seconds, peak] = [(performance.now() - start) / 1000, process.resourceUsage().maxRSS / 1024]
    console.log(`written: ${(needed / 1e9).toFixed(1)} GB in ${seconds.toFixed(0)} s, peak ${peak.toFixed(0)} MB`)
  }
  writeFileSync(join(work, 'plug-in.mjs'), plugin)
  // Where it is trusted, Node looks for the package beside it.
  mkdirSync(join(work, 'node_modules'), { recursive: true })
  rmSync(join(work, 'node_modules/overhear'), { force: true })
  symlinkSync(root, join(work, 'node_modules/overhear'))
  const args = [
    'attack',
    'mean-lengths',
    '--transcript',
    join(work, 'transcript'),
    '--plugin',
    join(work, 'plug-in.mjs'),
  ]
  for (const more of [['--trust-plugins'], []]) {
    const { code, said, seconds, peaks } = await measured([
      ...args,
      '--observer',
      'server',
      '--quiet',
      '--json',
      ...more,
    ])
    const found = code === 0 ? JSON.parse(said).details.clients : 'none'
    const each = peaks.map((/** @type {number} */ kb) => `${(kb / 1024).toFixed(0)} MB`).join(' + ')
    console.log(`${more[0] ?? 'confined'}: exit ${code}, ${found} clients, ${seconds.toFixed(0)} s, peak ${each}`)
  }
} finally {
  if (values.keep === undefined) rmSync(work, { recursive: true, force: true })
}
