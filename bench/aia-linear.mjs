// @ts-nocheck: a script that is run by hand
// What aia-linear costs, and whether it claims what it claimed before.
//   node bench/aia-linear.mjs [--sizes 300x60,1000x60] [--repeat 1] [--against DIR]   time and memory, MLP 8-128-1
//   node bench/aia-linear.mjs --small [--repeat 5] [--against DIR]                    worlds as small as the default audit's
//   node bench/aia-linear.mjs --worlds [--seeds 1,2,3] [--against DIR]                claims under other protocols
//   node bench/aia-linear.mjs --data [--seeds 1,2,3] [--against DIR]                  claims about Medical and cps-wages
// DIR is another checkout, built. The two take turns; of several repetitions the least CPU time counts. Every size runs in
// a process of its own, so that its peak memory is its own.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rng } from '../dist/doors/numeric.js'
import { federate } from '../studies/attribute-run.mjs'
import { sourceOf } from '../studies/shared-data.mjs'
import { madeWorld, otherWorlds, smallWorlds } from './aia-linear-worlds.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
const { values: args } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100x20,300x20,1000x20,2000x20,300x60,1000x60,3000x60,10000x20' },
    repeat: { type: 'string', default: '1' },
    against: { type: 'string' },
    small: { type: 'boolean' },
    worlds: { type: 'boolean' },
    data: { type: 'boolean' },
    seeds: { type: 'string', default: '1' },
    attack: { type: 'string', default: 'aia-linear' },
    one: { type: 'string' },
    from: { type: 'string' },
  },
})
const checkouts = [here, ...(args.against === undefined ? [] : [args.against])]

/** What an attack of a checkout claims in a world, and what that took. */
async function attacked(checkout, { view }) {
  const { attacks } = await import(`${checkout}/dist/doors/attacks.js`)
  const params = { passes: 2, rehearsals: 4, directions: 20, rate: 'auto', fuse: 'none' }
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const context = { params, rng: rng(1), tick() {}, claimOf: async () => ({}) }
  // Since attacks refuse by throwing, this checkout's and another's refusals look different.
  const outcome = await Promise.resolve(attacks[args.attack].run(view, context)).catch((error) => {
    if (error.outcome === undefined) throw error
    return error.outcome
  })
  const { user, system } = process.cpuUsage(cpu)
  if (outcome.status !== 'claimed' && !args.data && !args.worlds) throw new Error(JSON.stringify(outcome))
  return { outcome, wall: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }
}

/** Shares of claimed values that are right; numbers are when they are within a twentieth of their spread. */
const accuracy = (claims, truth) =>
  claims.map(({ values }, a) => {
    const within = truth[a].every((t) => Number.isInteger(t)) ? 0 : spreadOf(truth[a]) / 20
    return truth[a].reduce((sum, t, i) => sum + Number(Math.abs(t - values[i]) <= within), 0) / values.length
  })

const spreadOf = (truth) => Math.max(...truth) - Math.min(...truth)

/** The largest difference between two claims' confidences. */
const doubt = (ours, theirs) =>
  Math.max(
    ...ours.map(({ confidence }, a) => Math.max(...confidence.map((c, i) => Math.abs(c - theirs[a].confidence[i])))),
  )

/** Shares of claimed values that agree, attribute by attribute; numbers agree to a thousandth of their spread. */
function agreement(ours, theirs, truth) {
  return ours.map(({ values }, a) => {
    const spread = spreadOf(truth[a])
    const whole = values.every((v) => Number.isInteger(v))
    const same = (i) =>
      whole ? values[i] === theirs[a].values[i] : Math.abs(values[i] - theirs[a].values[i]) < 1e-3 * spread
    return values.reduce((sum, _, i) => sum + Number(same(i)), 0) / values.length
  })
}

/** Where two claims differ: how many there are, how many of each are right, and how sure both are of them on the mean. */
function differing(ours, theirs, truth) {
  const places = ours.flatMap(({ values, confidence }, a) =>
    [...values.keys()]
      .filter((i) => values[i] !== theirs[a].values[i] && Number.isInteger(values[i]))
      .map((i) => ({
        now: values[i] === truth[a][i],
        before: theirs[a].values[i] === truth[a][i],
        sure: [confidence[i], theirs[a].confidence[i]],
      })),
  )
  if (places.length === 0) return []
  const mean = (of) => places.reduce((sum, one) => sum + of(one), 0) / places.length
  const count = (of) => places.filter(of).length
  const sure = [0, 1].map((at) => mean((one) => one.sure[at]).toFixed(2))
  return [
    `of ${places.length} that differ ${count((one) => one.now)} are right now and ${count((one) => one.before)} before, confidence ${sure.join(' and ')}`,
  ]
}

const total = { values: 0, alike: 0, now: 0, before: 0, sure: 0, sureAlike: 0 }
/** Adds to the totals; sure is what the other checkout was to 0.99. */
function counted(ours, theirs, truth) {
  for (const [a, share] of agreement(ours, theirs, truth).entries()) {
    const { values } = ours[a]
    total.values += values.length
    total.alike += share * values.length
    if (!values.every((v) => Number.isInteger(v))) continue
    for (const [i, v] of values.entries()) {
      const [same, sure] = [v === theirs[a].values[i], theirs[a].confidence[i] >= 0.99]
      total.sure += Number(sure)
      total.sureAlike += Number(sure && same)
      if (same) continue
      total.now += Number(v === truth[a][i])
      total.before += Number(theirs[a].values[i] === truth[a][i])
    }
  }
}

function tellTotal() {
  const { values, alike, now, before, sure, sureAlike } = total
  if (values === 0) return
  const share = `${Math.round(alike)} of ${values} claims agree (${((100 * alike) / values).toFixed(2)} %)`
  console.log(
    `${share}; where whole values differ ${now} are right now, ${before} before; of ${sure} that were sure ${sureAlike} agree`,
  )
}

/** Real people: two hospitals as in [aia] Table 1, and wages as in the default audit, each client by itself. */
async function* realWorlds(seed) {
  const shared = { rounds: 30, seed }
  const sets = [
    ['medical, smokers', { source: await sourceOf('medical'), partition: { id: 'iid', params: { clients: 2 } }, attribute: 'smoker', learningRate: 2e-6, rounds: 60, only: [0, 1] }],
    ['cps-wages, union', { source: await sourceOf('cps-wages', { wage: 'log' }), partition: { id: 'iid', params: { clients: 4 } }, attribute: 'union', learningRate: 0.02, hidden: 32, only: [0, 1] }],
    ['cps-wages, union, all records, 5 steps', { source: await sourceOf('cps-wages', { wage: 'log' }), partition: { id: 'iid', params: { clients: 8 } }, attribute: 'union', learningRate: 0.02, hidden: 32, batchSize: null, localEpochs: 5, only: [0, 1] }],
  ] // biome-ignore format: a line each
  for (const [name, options] of sets) {
    for (const { id, view, truth } of federate({ ...shared, ...options })) {
      yield [`${name}, client ${id}, seed ${seed}`, { view, truth: [Array.from(truth)] }]
    }
  }
}

const shown = (numbers) => numbers.map((x) => (100 * x).toFixed(2)).join(' ')

/** Interleaved, in this process: least CPU seconds of each checkout, and how far claims agree. */
async function compared(name, world) {
  const least = checkouts.map(() => Number.POSITIVE_INFINITY)
  const outcomes = []
  for (let k = 0; k < Number(args.repeat); k++) {
    for (const [c, checkout] of checkouts.entries()) {
      const { outcome, cpu } = await attacked(checkout, world)
      least[c] = Math.min(least[c], cpu)
      outcomes[c] = outcome
    }
  }
  const [ours, theirs] = outcomes
  const refused = outcomes.map(({ status, missing }, c) =>
    status === 'claimed' ? '' : `${c === 0 ? 'refused' : 'refused before'}: ${missing}`,
  )
  if (refused.join('') !== '') return console.log(`${name.padEnd(44)}   ${refused.filter(Boolean).join('; ')}`)
  const parts = [
    name.padEnd(44),
    `${least[0].toFixed(2)} s CPU`,
    `right ${shown(accuracy(ours.claims, world.truth))} %`,
  ]
  if (theirs !== undefined) {
    parts.push(`before ${least[1].toFixed(2)} s (${(least[1] / least[0]).toFixed(1)} times)`)
    parts.push(`right ${shown(accuracy(theirs.claims, world.truth))} %`)
    parts.push(`agree ${shown(agreement(ours.claims, theirs.claims, world.truth))} %`)
    counted(ours.claims, theirs.claims, world.truth)
    parts.push(...differing(ours.claims, theirs.claims, world.truth))
    parts.push(`confidence within ${doubt(ours.claims, theirs.claims).toExponential(0)}`)
  }
  console.log(parts.join('   '))
}

/** One size in a process of its own. */
function sized(checkout, size) {
  const flags = [fileURLToPath(import.meta.url), '--one', size, '--from', checkout, '--attack', args.attack]
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

if (args.one !== undefined) {
  const [records, rounds] = args.one.split('x').map(Number)
  const world = madeWorld({ records, rounds })
  const { outcome, wall, cpu } = await attacked(args.from, world)
  const claims = outcome.claims.map((one) => ({ values: [...one.values], confidence: [...one.confidence] }))
  const megabytes = process.resourceUsage().maxRSS / 1024
  console.log(
    JSON.stringify({ wall, cpu, megabytes, claims, truth: world.truth.map((t) => [...t]), ...outcome.details }),
  )
} else if (args.data) {
  for (const seed of args.seeds.split(',').map(Number)) {
    for await (const [name, world] of realWorlds(seed)) await compared(name, world)
  }
  tellTotal()
} else if (args.small || args.worlds) {
  for (const [name, options] of args.small ? smallWorlds : otherWorlds)
    for (const seed of args.seeds.split(',').map(Number)) await compared(name, madeWorld({ ...options, seed }))
  tellTotal()
} else {
  const points = []
  for (const size of args.sizes.split(',')) {
    const best = checkouts.map(() => undefined)
    for (let k = 0; k < Number(args.repeat); k++) {
      for (const [c, checkout] of checkouts.entries()) {
        const found = sized(checkout, size)
        if (best[c] === undefined || found.cpu < best[c].cpu) best[c] = found
      }
    }
    const [ours, theirs] = best
    const figures = (f) => `${f.wall.toFixed(2)} s, ${f.cpu.toFixed(2)} s CPU, ${f.megabytes.toFixed(0)} MB`
    const parts = [size.padEnd(9), figures(ours), `right ${shown(accuracy(ours.claims, ours.truth))} %`, ours.solver]
    if (theirs !== undefined)
      parts.push(
        `before ${figures(theirs)}`,
        `right ${shown(accuracy(theirs.claims, ours.truth))} %`,
        `agree ${shown(agreement(ours.claims, theirs.claims, ours.truth))} %`,
        ...differing(ours.claims, theirs.claims, ours.truth),
      )
    console.log(parts.join('   '))
    const [records, rounds] = size.split('x').map(Number)
    points.push({ records, rounds, cpu: ours.cpu })
  }
  for (const rounds of new Set(points.map((p) => p.rounds))) {
    const own = points.filter((p) => p.rounds === rounds)
    if (own.length > 1)
      console.log(`${rounds} rounds: time grows as records to the power ${exponentOf(own).toFixed(2)}`)
  }
}

/** The slope of log time over log records, by least squares. */
function exponentOf(points) {
  const logs = points.map(({ records, cpu }) => [Math.log(records), Math.log(cpu)])
  const [mx, my] = [0, 1].map((at) => logs.reduce((sum, p) => sum + p[at], 0) / logs.length)
  const over = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0)
  return over / logs.reduce((sum, [x]) => sum + (x - mx) * (x - mx), 0)
}
