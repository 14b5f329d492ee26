// What tests were seen to reach, block by block, and how long each takes: measured once (`--measure`) and kept in
// runs/reached.json. A test that came through no line of a mutant cannot notice it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { blockAround, blocksOf, hashOf } from './blocks.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */
/** @typedef {import('./related.mjs').Related} Related */

/**
 * @typedef {object} Seen
 * @property {string} hash Of the test file.
 * @property {number} seconds
 * @property {Record<string, string>} hits Marks of each source, in base64.
 */

/**
 * Hashes of sources as they were then; besides, what tests took that were not measured themselves: seconds.
 * @typedef {{ sources: Record<string, string>, tests: Record<string, Seen>, times?: Record<string, number> }} Reached
 */

/** @param {string} root */
const placeOf = (root) => `${root}/runs/reached.json`

/** @param {string} root @returns {Reached} */
export function readReached(root) {
  return existsSync(placeOf(root)) ? JSON.parse(readFileSync(placeOf(root), 'utf8')) : { sources: {}, tests: {} }
}

/** @param {string} root @param {Reached} reached */
export function keepReached(root, reached) {
  mkdirSync(dirname(placeOf(root)), { recursive: true })
  writeFileSync(placeOf(root), JSON.stringify(reached))
}

/** What a test takes that never ran here: seconds. */
const unknown = 10

/** Keeps what a test took that ran to its end, until it is measured. @param {Reached} reached @param {string} path @param {number} seconds */
export function addTime(reached, path, seconds) {
  reached.times = { ...reached.times, [path]: seconds }
}

/** Marks of a source that has changed since: all of it. */
const whole = '*'

/**
 * Adds what a test came through.
 * @param {Reached} reached @param {{ root: string, path: string, seconds: number, hits: Record<string, string> }} found
 */
export function addSeen({ sources, tests }, { root, path, seconds, hits }) {
  for (const file of Object.keys(hits)) {
    const hash = hashOf(readFileSync(`${root}/${file}`, 'utf8'))
    if (sources[file] === hash) continue
    for (const seen of Object.values(tests)) if (seen.hits[file] !== undefined) seen.hits[file] = whole
    sources[file] = hash
  }
  tests[path] = { hash: hashOf(readFileSync(`${root}/${path}`, 'utf8')), seconds, hits }
}

/** @param {string} root @param {Reached} reached @param {string} path */
export function seenOf(root, { tests }, path) {
  const seen = tests[path]
  return seen?.hash === hashOf(readFileSync(`${root}/${path}`, 'utf8')) ? seen : undefined
}

/**
 * Which of the tests that lead to a file to run for a mutant of it, in order: those not measured as they are now, the
 * cheapest that came through its block, and after that those of the built program, which nobody measures. Those that
 * were seen to pass by, or to take longer than asked for, are left out; so are those at the end of the list for which all
 * before them leave no time.
 * @param {string} root @param {Reached} reached @param {{ within?: number, budget?: number }} [limits] Seconds.
 */
export function reachingTests(root, reached, limits = {}) {
  const { within = Number.POSITIVE_INFINITY, budget = Number.POSITIVE_INFINITY } = limits
  /** @param {Placed} mutant @param {readonly Related[]} related */
  return (mutant, related) => {
    const source = readFileSync(`${root}/${mutant.file}`, 'utf8')
    const same = reached.sources[mutant.file] === hashOf(source)
    const block = same ? blockAround(blocksOf(source), mutant) : 0
    const known = new Map(related.map((one) => [one, seenOf(root, reached, one.path)]))
    /** @param {string} path */
    const secondsOf = (path) => seenOf(root, reached, path)?.seconds ?? reached.times?.[path]
    const beside = mutant.file.replace(/\.ts$/, '.test.ts')
    /** The one beside the source is the likeliest to notice. @param {Related} one */
    const cost = (one) => (one.path === beside ? -10 : 0) + (secondsOf(one.path) ?? 0) + 2 * Math.min(6, one.steps)
    const soon = related.filter((one) => !((secondsOf(one.path) ?? 0) > within))
    const near = soon.filter((one) => !one.built)
    const through = near.filter((one) => {
      const seen = known.get(one)
      const marks = seen?.hits[mutant.file]
      return seen === undefined || marks === whole || Buffer.from(marks ?? '', 'base64')[block] === 1
    })
    const anything = Object.keys(reached.tests).length > 0
    /** @param {readonly Related[]} list */
    const order = (list) => (anything ? list.toSorted((a, b) => cost(a) - cost(b)) : list).map(({ path }) => path)
    let spent = 0
    /** @param {readonly string[]} list */
    const afforded = (list) =>
      list.filter((path) => {
        spent += secondsOf(path) ?? unknown
        return spent <= budget
      })
    return {
      plain: afforded(order(through)),
      built: afforded(order(soon.filter(({ alsoBuilt }) => alsoBuilt))),
    }
  }
}
