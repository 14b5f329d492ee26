// Whether advice keeps its promise: a scenario is advised on, and what is recommended is audited with other seeds.
//   npm run build:ts && node studies/advice-kept.mjs [--scenarios default,medical,secure-sums] [--budget 300] [--seeds 10] [--first 7001] [--target 0.05] [--repeats 0] [--workers 2] [--clock wall|cores] [--seed 0]
// --clock cores: seconds of the budget are processor time over two, as on a machine with two cores and nothing else to do.
// Rows go to studies/advice-kept.jsonl; a scenario and seed that stand there are not run again.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scenarioSetup } from '../dist/audit/account/scenario-setup.js'
import { advise } from '../dist/audit/advise/advise.js'
import { typicalGradient } from '../dist/audit/advise/gradient-size.js'
import { weigh, worstRung } from '../dist/audit/advise/weigh.js'
import { whatIfs } from '../dist/audit/advise/what-ifs/index.js'
import { audit } from '../dist/index.js'
import { loadScenario } from '../dist/node/files/scenario-file.js'
import { nodePorts } from '../dist/node/index.js'
import { studentQuantile } from '../dist/numeric/special/student-t.js'
import { adviceText } from '../dist/report/advice-text.js'
import { deviation, mean, options, print, tableOf } from './figures.mjs'

const flags = options({
  scenarios: 'default,medical,secure-sums',
  budget: 300,
  seeds: 10,
  first: 7001,
  target: 0.05,
  repeats: 0, // trainings of each audit; 0: as many as the scenario says
  workers: 2,
  clock: 'wall',
  seed: 0, // of the scenario that is advised on; 0: its own
  out: 'studies/advice-kept.jsonl',
})
const file = String(flags.out)
const { workers } = flags
const cores = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 / 2
}
const now = flags.clock === 'cores' ? cores : () => performance.now()
const dataDir = fileURLToPath(new URL('../../shared/data', import.meta.url))

/** @typedef {{ scenario: string, seed: number | null, id: string | null, worst: number | null, low: number | null, about: string, open: number, seconds: number, rungs?: { about: string, step: string, size: number, interval: readonly [number, number] | null, closed: boolean }[] }} Row */
/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : []
/** @param {Row} row */
const keep = (row) => {
  appendFileSync(file, `${JSON.stringify(row)}\n`)
  rows.push(row)
}

const work = mkdtempSync(join(tmpdir(), 'overhear-advice-'))
try {
  for (const name of String(flags.scenarios).split(',')) {
    const read = await loadScenario(fileURLToPath(new URL(`../scenarios/${name}.yaml`, import.meta.url)), {
      ports: nodePorts({ dataDir }),
      plugins: [],
      quiet: true,
    })
    const scenario = flags.seed > 0 ? { ...read, seed: flags.seed } : read
    if (!rows.some((row) => row.scenario === name && row.seed === null)) {
      const began = now()
      /** @param {string} variant */
      const portsFor = (variant) => nodePorts({ dataDir, workers, out: join(work, name, variant) })
      const ports = { portsFor, now }
      const advice = await advise(scenario, { ports, budget: flags.budget, target: flags.target }).result
      const { recommended, nearest, tried } = advice
      for (const line of adviceText(advice).split('\n')) print(line)
      const one = tried.find(({ id }) => id === (recommended ?? nearest))
      const seconds = Math.round((now() - began) / 1000)
      const about = `${recommended === null ? 'nothing reaches the target; nearest ' : ''}${one?.id ?? 'nothing'}, in ${one?.repeats ?? 0} trainings`
      keep({
        scenario: name,
        seed: null,
        id: recommended,
        worst: one?.worst?.size ?? null,
        low: one?.worst?.interval?.[0] ?? null,
        about,
        open: one?.open.length ?? 0,
        seconds,
      })
    }
    const id = rows.find((row) => row.scenario === name && row.seed === null)?.id ?? null
    if (id === null) continue
    for (let seed = flags.first; seed < flags.first + flags.seeds; seed++) {
      if (rows.some((row) => row.scenario === name && row.seed === seed)) continue
      const began = now()
      const out = join(work, `${name}-${seed}`)
      const { files } = nodePorts({ dataDir })
      const before = { ...scenario, seed, controls: false }
      /** @param {import('../dist/index.js').Scenario} one */
      const setupOf = (one) => scenarioSetup(one, { files, raw: {} })
      /** @param {import('../dist/index.js').Scenario} one */
      const gradientOf = (one) => typicalGradient(one, files)
      const known = whatIfs.flatMap((whatIf) => whatIf.changes(before, { setupOf, gradientOf }))
      let changed = before
      for (const part of id.split('+'))
        changed = await /** @type {NonNullable<typeof known[number]>} */ (known.find((one) => one.id === part)).apply(
          changed,
        )
      // Of the scenario as it is only what is asked matters: what nobody can ask any more is closed.
      const asItIs = weigh(
        await audit(before, { ports: nodePorts({ dataDir, workers, out: `${out}-before` }), repeats: 2 }).result,
      )
      const often = flags.repeats > 0 ? { repeats: flags.repeats } : {}
      const after = weigh(
        await audit(changed, { ports: nodePorts({ dataDir, workers, out }), ...often }).result,
        asItIs,
      )
      const worst = worstRung(after)
      const seconds = Math.round((now() - began) / 1000)
      keep({
        scenario: name,
        seed,
        id,
        worst: worst?.size ?? null,
        low: Math.max(...after.rungs.map(({ interval, size }) => interval?.[0] ?? size)),
        about: worst?.about ?? '',
        open: after.open.length,
        seconds,
        rungs: after.rungs.map(({ about, step, size, interval, closed }) => ({ about, step, size, interval, closed })),
      })
      rmSync(out, { recursive: true, force: true })
      rmSync(`${out}-before`, { recursive: true, force: true })
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
for (const line of tableOf(
  ['scenario', 'seed', 'change', 'worst step', 'at least', 'of', 'not tested', 'seconds'],
  rows.map(({ scenario, seed, id, worst, low, about, open, seconds }) => [
    ...[
      scenario,
      seed === null ? 'advice' : String(seed),
      id ?? '-',
      worst === null ? '-' : worst.toFixed(3),
      low?.toFixed(3) ?? '-',
      about,
    ],
    ...[String(open), String(seconds)],
  ]),
))
  print(line)
/** The steps of a scenario over all its seeds: the largest mean, with the end of its interval of 95 %. @param {Row[]} own */
function pooled(own) {
  /** @type {Map<string, number[]>} */
  const sizes = new Map()
  for (const { rungs = [] } of own)
    for (const { about, step, size } of rungs) {
      const key = `${about}, ${step}`
      sizes.set(key, [...(sizes.get(key) ?? []), size])
    }
  const all = [...sizes].map(([key, xs]) => ({
    key,
    mean: mean(xs),
    high: mean(xs) + (studentQuantile(0.975, Math.max(1, xs.length - 1)) * deviation(xs)) / Math.sqrt(xs.length),
  }))
  return all.sort((a, b) => b.high - a.high)[0]
}

for (const name of new Set(rows.map(({ scenario }) => scenario))) {
  const own = rows.filter(({ scenario, seed }) => scenario === name && seed !== null)
  const kept = own.filter(({ worst, open }) => worst !== null && worst <= flags.target && open === 0).length
  const refuted = own.filter(({ low }) => low !== null && low > flags.target).length
  const all = pooled(own)
  const together =
    all === undefined
      ? ''
      : `; over all seeds the worst is ${all.mean.toFixed(3)}, at most ${all.high.toFixed(3)} (${all.key})`
  print(
    `${name}: ${kept} of ${own.length} seeds keep to ${flags.target}; ${refuted} say that a step is surely above it${together}`,
  )
}
