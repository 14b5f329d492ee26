// Synthetic audits whose truth is known: rows that depend on each other, several targets, best of five attacks, four strata.

/**
 * The functions that make candidates, from src/verdict.
 * @typedef {Pick<typeof import('../dist/verdict/relabellings.js'), 'labellings' | 'relabel' | 'ranking' | 'swap'>
 *   & Pick<typeof import('../dist/verdict/matchings.js'), 'matchings' | 'match'>} Builders
 */
/** @typedef {import('../dist/numeric/random/rng.js').Rng} Rng */
/** @typedef {import('../dist/verdict/tables.js').Row} Row */
/** @typedef {import('../dist/verdict/tables.js').Deal} Deal */

/**
 * @typedef {object} World
 * @property {number} trainings
 * @property {number} targets whose records are dealt anew in each training
 * @property {number} trained records of a target
 * @property {number} held records of a target
 * @property {number} relabellings M of the per-record rows
 * @property {'normal' | 'heavy' | 'coarse'} scores how claims are distributed: normal, with heavy tails, right or wrong
 * @property {number} leak what the truth adds to the first row of each stratum, whose id then begins with "leak"
 * @property {boolean} [keepBest] the wrong way: the attack that is best for the truth is kept for every candidate
 */

const ATTACKS = 5
const SEATS = 4
const CLIENTS = 8
const GUILTY = 3

/** @template T @param {number} n @param {(i: number) => T} make */
const times = (n, make) => Array.from({ length: n }, (_, i) => make(i))

/** One claim's score without anything learned; `common` is what rows and attacks share. @param {World} world */
function drawn({ scores }, /** @type {Rng} */ stream, common = 0) {
  const x = common + stream.normal()
  if (scores === 'coarse') return x > 0 ? 1 : 0
  return scores === 'heavy' ? x / stream.uniform() : x
}

/** The deal of the best attack, or of the one that is best for the truth. @param {World} world @param {(attacks: number[]) => Deal} make */
function ofBest({ keepBest }, make) {
  const all = times(ATTACKS, (a) => a)
  if (!keepBest) return make(all)
  return all.map((a) => make([a])).reduce((best, deal) => ((deal.T[0] ?? 0) > (best.T[0] ?? 0) ? deal : best))
}

/**
 * One audit: per-record rows (three attributes and members), three list rows, three client rows, two properties.
 * @param {Builders} build @param {Rng} stream @param {World} world @returns {Row[]}
 */
export function syntheticAudit(build, stream, world) {
  const name = (/** @type {string} */ stratum, /** @type {number} */ r) =>
    `${r === 0 && world.leak > 0 ? 'leak' : 'null'} ${stratum} ${r}`
  const leaks = (/** @type {number} */ r) => (r === 0 ? world.leak : 0)
  const strata = { relabel: recordDeals, swap: listDeals, match: clientDeals, rank: propertyDeals }
  return Object.entries(strata).flatMap(([stratum, dealsOf]) => {
    const deals = times(world.trainings, (s) => dealsOf(build, stream, world, s, leaks)).flat() // [deal][row]
    const step = stratum === 'match' ? 'client' : stratum === 'rank' ? 'property' : 'record'
    return (deals[0] ?? []).map((_, r) => {
      return { id: name(stratum, r), step, stratum, deals: deals.flatMap((rows) => rows[r] ?? []) }
    })
  })
}

/** @typedef {(build: Builders, stream: Rng, world: World, s: number, leaks: (r: number) => number) => Deal[][]} DealsOf */

/** @type {DealsOf} */
function recordDeals(build, stream, world, s, leaks) {
  const n = world.trained + world.held
  return times(world.targets, () => {
    const truth = new Uint8Array(n)
    for (const i of stream.sample(n, world.trained)) truth[i] = 1
    const candidates = build.labellings(truth, { most: world.relabellings, rng: stream })
    const difficulty = stream.normals(n)
    const claims = (/** @type {number} */ r) =>
      times(ATTACKS, () =>
        Float64Array.from(difficulty, (d, i) => drawn(world, stream, d) + leaks(r) * (truth[i] ?? 0)),
      )
    const attributes = times(3, (r) => {
      const grades = claims(r).map((values) => meanOver(values))
      return ofBest(world, (attacks) =>
        build.relabel(
          s,
          candidates,
          attacks.flatMap((a) => grades[a] ?? []),
        ),
      )
    })
    const members = claims(3)
    return [
      ...attributes,
      ofBest(world, (attacks) =>
        build.ranking(
          s,
          candidates,
          attacks.flatMap((a) => members[a] ?? []),
        ),
      ),
    ]
  })
}

/** The mean of the values of some records. @param {Float64Array} values @returns {(records: Int32Array) => number} */
function meanOver(values) {
  return (records) => {
    let sum = 0
    for (let i = 0; i < records.length; i++) sum += values[records[i] ?? 0] ?? 0
    return sum / records.length
  }
}

/** @type {DealsOf} */
function listDeals(build, stream, world, s, leaks) {
  return times(world.targets, () => {
    const [onTrained, onHeld] = [stream.normal(), stream.normal()] // what the two lists are like, for every row
    return times(3, (r) => {
      const trained = times(ATTACKS, () => drawn(world, stream, onTrained) + leaks(r))
      const held = times(ATTACKS, () => drawn(world, stream, onHeld))
      const some = (/** @type {number[]} */ list, /** @type {number[]} */ attacks) => attacks.map((a) => list[a] ?? 0)
      return ofBest(world, (attacks) => build.swap(s, some(trained, attacks), some(held, attacks)))
    })
  })
}

/** @type {DealsOf} */
function clientDeals(build, stream, world, s, leaks) {
  const candidates = build.matchings(SEATS, { most: 23, rng: stream })
  const [loud, easy] = [stream.normals(SEATS), stream.normals(SEATS)] // seats and sets differ, which is no leak
  const rows = times(3, (r) => {
    const attacks = times(ATTACKS, () =>
      times(SEATS, (i) =>
        times(SEATS, (j) => drawn(world, stream, 2 * (loud[i] ?? 0) + 2 * (easy[j] ?? 0)) + (i === j ? leaks(r) : 0)),
      ),
    )
    return ofBest(world, (chosen) =>
      build.match(
        s,
        candidates,
        chosen.flatMap((a) => [attacks[a] ?? []]),
      ),
    )
  })
  return [rows]
}

/** @type {DealsOf} */
function propertyDeals(build, stream, world, s, leaks) {
  const truth = new Uint8Array(CLIENTS)
  for (const i of stream.sample(CLIENTS, GUILTY)) truth[i] = 1
  const candidates = build.labellings(truth, { most: 55, rng: stream })
  const common = stream.normals(CLIENTS)
  const rows = times(2, (r) => {
    const scores = times(ATTACKS, () =>
      Array.from(common, (c, i) => drawn(world, stream, c) + leaks(r) * (truth[i] ?? 0)),
    )
    return ofBest(world, (attacks) =>
      build.ranking(
        s,
        candidates,
        attacks.flatMap((a) => [scores[a] ?? []]),
      ),
    )
  })
  return [rows]
}
