// What a sweep costs beside its trials: `node bench/sweep.mjs [--trials 500] [--many 10000]`. Small trials by one worker and by two:
// the share of the cores that is at work, overhead, speed-up. Many trials that end at once: memory of the coordinator, and how long
// it takes to find that all are finished. Two sweeps of one worker each, at once, say how much two cores of this machine give at all: no
// scheduler of one sweep can do better. On a machine that does something else, shares and speed-ups say little.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '500' },
    many: { type: 'string', default: '10000' },
    coordinate: { type: 'string' },
    out: { type: 'string', default: '' },
  },
})

/** @param {number} points @param {number} seeds */
const sweepOf = (points, seeds) =>
  JSON.stringify({
    name: 'bench',
    scenario: {
      heldBack: 0,
      repeats: 1,
      data: { name: 'cps-wages', params: { wage: 'log' }, rows: 120, auxiliary: 0.2 },
      partition: { name: 'iid', params: { clients: 2 } },
      models: [{ kind: 'linear' }],
      training: { rounds: 2, batchSize: null, learningRate: 0.05 },
      knowledge: { targets: ['0'], sensitive: ['union'] },
      attacks: ['last-returned', { id: 'aia-model', params: { prior: 'frequency' } }],
      observers: ['eavesdropper'],
      controls: false,
    },
    axes: { 'training.rounds': Array.from({ length: points }, (_, i) => 1 + i) },
    seeds,
  })

/** Processor time of ended children and their children, in seconds. */
function childTime() {
  const line = readFileSync('/proc/self/stat', 'utf8')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** @param {readonly string[]} args */
function timed(...args) {
  const [start, cpu] = [performance.now(), childTime()]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return { seconds: (performance.now() - start) / 1000, cpu: childTime() - cpu, stdout }
}

/** @param {string} folder */
const linesIn = (folder) =>
  readFileSync(join(folder, 'trials.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** @param {number} x */
const short = (x) => Number(x.toPrecision(3))

/** @param {string} work @param {number} trials */
function small(work, trials) {
  const file = join(work, 'small.yaml')
  writeFileSync(file, sweepOf(10, Math.ceil(trials / 10)))
  const runs = [1, 2].map((workers) => {
    const out = join(work, `small-${workers}`)
    const nothing = timed('bin/overhear.mjs', 'sweep', '--help')
    const run = timed('bin/overhear.mjs', 'sweep', file, '--out', out, '--workers', String(workers), '--quiet')
    const lines = linesIn(out)
    const inTrials = lines.reduce((sum, { took }) => sum + took.seconds, 0)
    const about = {
      workers,
      trials: lines.length,
      seconds: short(run.seconds),
      'share of the workers in trials': short(inTrials / (workers * run.seconds)),
      'share of the cores at work': short(run.cpu / (Math.min(workers, availableParallelism()) * run.seconds)),
      'overhead per trial (ms)': short((1000 * (workers * (run.seconds - nothing.seconds) - inTrials)) / lines.length),
    }
    return { about, run, first: lines[0].result }
  })
  console.log(JSON.stringify({ load: loadavg()[0], small: runs.map(({ about }) => about) }, null, 2))
  console.log(
    JSON.stringify({ 'speed-up, one worker to two': short((runs[0]?.run.seconds ?? 0) / (runs[1]?.run.seconds ?? 1)) }),
  )
  return { first: runs[0]?.first, alone: runs[0]?.run.seconds ?? 0 }
}

/** By how much two sweeps that share nothing do more than one, each with a worker. @param {string} work @param {number} alone seconds of one */
async function apart(work, alone) {
  const file = join(work, 'small.yaml')
  const began = performance.now()
  const both = [1, 2].map((k) => {
    const args = ['bin/overhear.mjs', 'sweep', file, '--out', join(work, `apart-${k}`), '--workers', '1', '--quiet']
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' })
    return new Promise((resolve, reject) =>
      child.on('close', (code) => (code === 0 ? resolve(code) : reject(new Error(`a sweep ended with ${code}`)))),
    )
  })
  await Promise.all(both)
  const seconds = (performance.now() - began) / 1000
  console.log(JSON.stringify({ 'two sweeps of one worker, beside one': short((2 * alone) / seconds) }))
}

/** @param {string} work @param {number} trials @param {object} result */
function many(work, trials, result) {
  const file = join(work, 'many.yaml')
  const out = join(work, 'many')
  writeFileSync(file, sweepOf(20, Math.ceil(trials / 20)))
  process.env.INSTANT_RESULT = join(work, 'result.json')
  writeFileSync(process.env.INSTANT_RESULT, JSON.stringify(result))
  const first = timed('bench/sweep.mjs', '--coordinate', file, '--out', out)
  const told = JSON.parse(first.stdout)
  const again = timed('bench/sweep.mjs', '--coordinate', file, '--out', out)
  const resumed = timed('bin/overhear.mjs', 'sweep', file, '--out', out, '--resume', '--quiet', '--json')
  const about = {
    trials: told.trials,
    'overhead per trial that ends at once (ms)': short((1000 * told.seconds) / told.trials),
    'processor time of that, workers too (ms)': short((1000 * first.cpu) / told.trials),
    'coordinator, largest memory (MB)': told.megabytes,
    'resume: until all are known to be finished (s)': JSON.parse(again.stdout).seconds,
    'resume: the whole command, tables and page written anew (s)': short(resumed.seconds),
    'resume: processor time of that (s)': short(resumed.cpu),
  }
  console.log(JSON.stringify({ load: loadavg()[0], many: about }, null, 2))
}

/** The coordinator alone, with workers that answer at once. @param {string} file @param {string} out */
async function coordinate(file, out) {
  const start = performance.now()
  /** @param {string} path @returns {Promise<any>} */
  const from = (path) => import(new URL(`../dist/${path}`, import.meta.url).href)
  const { loadSweep } = await from('node/sweep/sweep-file.js')
  const { localCrew } = await from('node/sweep/local-crew.js')
  const { openTrialLog } = await from('node/sweep/trial-log-file.js')
  const { sweep } = await from('sweep/sweep.js')
  const { nodePorts } = await from('node/node-ports.js')
  const { makeFolders } = await from('node/files/make-folder.js')
  await makeFolders(out)
  const { plan, scenarioOf } = await loadSweep(file, { ports: nodePorts() })
  const log = await openTrialLog(out)
  const script = new URL('./instant-trial.mjs', import.meta.url)
  const limits = { seconds: 60, megabytes: 1000 }
  const crew = async () => localCrew({ limits, scenarioOf, workers: 2, script })
  const { done } = await sweep(plan, { log, crew }).result
  await log.close()
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(JSON.stringify({ trials: done, megabytes, seconds: short((performance.now() - start) / 1000) }))
}

if (values.coordinate !== undefined) await coordinate(values.coordinate, values.out)
else {
  const work = mkdtempSync(join(tmpdir(), 'overhear-bench-sweep-'))
  try {
    const { first, alone } = small(work, Number(values.trials))
    await apart(work, alone)
    many(work, Number(values.many), first)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
