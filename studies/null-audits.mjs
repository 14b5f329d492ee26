// False alarms: audits of worlds in which nothing can be found, six kinds in turn, over data, models and partitions.
//   npm run build:ts && node studies/null-audits.mjs [--audits 240] [--from 0] [--base 9000] [--out studies/null-audits.jsonl] [--minutes 12]
// Each kind says in src/audit/calibrate/null-worlds.ts for which questions it is empty; only these count. Seeds are base + number:
// 9000 and above were named before the first run; anything that was changed in between was tried with --base 100.
// Rows go to the file as they come, and are not made again.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { falseAlarms, nullWorlds } from '../dist/audit/calibrate/null-worlds.js'
import { readScenario } from '../dist/audit/read-scenario.js'
import { audit, memoryPorts } from '../dist/index.js'
import { binomialInterval } from '../dist/numeric/special/binomial-interval.js'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {import('../dist/index.js').ScenarioInput} ScenarioInput */
/** @typedef {{ number: number, seed: number, world: string, data: string, model: string, partition: string, tested: number, alarms: string[], seconds: number }} Row */

const { audits, from, base, out, minutes } = options({ audits: 240, from: 0, base: 9000, out: 'studies/null-audits.jsonl', minutes: 600 }) // biome-ignore format: a line
const file = String(out)

/** The factors, which turn at different speeds so that all meet all. */
const datas = ['wages', 'pictures']
const models = ['linear', 'network']
const partitions = ['iid', 'mixed']

/** @param {number} number */
function factorsOf(number) {
  const world = at(nullWorlds, number % nullWorlds.length)
  const turn = Math.floor(number / nullWorlds.length)
  // What is sensitive is a column of wages.
  const data = world.id === 'redrawn' ? 'wages' : at(datas, turn % 2)
  return {
    world,
    data,
    model: at(models, Math.floor(turn / 2) % 2),
    partition: at(partitions, Math.floor(turn / 4) % 2),
  }
}

/** @param {ReturnType<typeof factorsOf>} factors @param {number} seed @returns {ScenarioInput} */
function scenarioOf({ data, model, partition }, seed) {
  const wages = data === 'wages'
  const clients = 6
  return {
    name: 'null',
    seed,
    repeats: 8,
    heldBack: 0.5,
    controls: false,
    data: wages
      ? { name: 'cps-wages', params: { wage: 'log' }, rows: 240, auxiliary: 0.2 }
      : { name: 'tiny-images', params: { records: 240, classes: 3, side: 6 }, auxiliary: 0.2 },
    partition:
      partition === 'iid'
        ? { name: 'iid', params: { clients } }
        : wages
          ? { name: 'heterogeneous', params: { clients, heterogeneity: 0.5, attribute: 'union' } }
          : { name: 'dirichlet', params: { clients, concentration: 0.5 } },
    models: [
      model === 'network'
        ? { kind: 'mlp', hidden: [8], learningRate: 0.05 }
        : { kind: wages ? 'linear' : 'softmax', learningRate: 0.05 },
    ],
    training: {
      rounds: 12,
      localEpochs: 3,
      batchSize: null,
      sampling: { name: 'fraction', params: { fraction: 0.67 } },
      misbehaving: { 5: { name: 'inversion' } },
    },
    knowledge: { targets: ['0'], candidates: 20, property: 'inversion', ...(wages && { sensitive: ['union'] }) },
    observers: ['eavesdropper', 'secagg-server'],
    attacks: [
      ...['last-returned', 'membership-loss', { id: 'property-reg', params: { pairs: 8, rounds: 12 } }],
      ...(wages ? ['lmra-ols', 'aia-model', 'aia-linear', 'label-mean', 'lmra-label'] : ['ilrg']),
    ],
  }
}

mkdirSync(dirname(file), { recursive: true })
/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : []
const begin = performance.now()
for (let number = Number(from); number < Number(from) + Number(audits); number++) {
  if (performance.now() - begin > 60e3 * Number(minutes)) break
  const seed = Number(base) + number
  if (rows.some((row) => row.seed === seed)) continue
  const factors = factorsOf(number)
  const { world } = factors
  const scenario = world.of(readScenario(scenarioOf(factors, seed)))
  if (scenario === undefined) throw new Error(`${world.id} makes no sense here`)
  const start = process.cpuUsage()
  const { questions } = await audit(scenario, { ports: memoryPorts(), ...(world.empty && { empty: world.empty }) })
    .result
  const { user, system } = process.cpuUsage(start)
  const tested = questions.filter((one) => one.sameAs === undefined && world.isNull(one) && one.level !== 'not-tested')
  const alarms = falseAlarms(questions, world).map(({ observer, kind, name, level }) => `${observer} ${kind} ${name ?? ''}: ${level}`) // biome-ignore format: a line
  const row = {
    number,
    seed,
    ...factors,
    world: world.id,
    tested: tested.length,
    alarms,
    seconds: (user + system) / 1e6,
  }
  rows.push(row)
  appendFileSync(file, `${JSON.stringify(row)}\n`)
  process.stderr.write(`${number} ${world.id} ${row.data} ${row.model} ${row.partition}: ${tested.length} tested, ${alarms.join('; ') || 'no alarm'}, ${row.seconds.toFixed(1)} s\n`) // biome-ignore format: a line
}

/** @param {readonly Row[]} those */
const counted = (those) => {
  const alarmed = those.filter(({ alarms }) => alarms.length > 0).length
  const { low, high } = binomialInterval({ successes: alarmed, trials: those.length, confidence: 0.95 })
  return { alarmed, interval: `${low.toFixed(3)}..${high.toFixed(3)}` }
}
const table = tableOf(
  ['world', 'audits', 'questions tested', 'audits with an alarm', 'share, 95 %'],
  [...nullWorlds.map(({ id }) => id), 'all'].map((id) => {
    const those = rows.filter((row) => id === 'all' || row.world === id)
    const { alarmed, interval } = counted(those)
    return [id, those.length, those.reduce((sum, row) => sum + row.tested, 0), alarmed, interval]
  }),
)
print(`${table.join('\n')}\n`)
