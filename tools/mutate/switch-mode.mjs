// The command's side of the quick way: which tests it asks, and its results as the slow way writes them.
import { appendFileSync } from 'node:fs'
import { chosenTests, isFarPin } from './related.mjs'
import { reasonFor } from './results.mjs'
import { fitting } from './sample.mjs'
import { switchedOutcomes } from './switch.mjs'
import { typeErrors } from './switch-types.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */
/** @typedef {import('./results.mjs').Result} Result */

/** So many test files besides those that pin numbers, unless told. */
const near = 4
/** Seconds that a case may take, unless told, and all cases of a test file for one mutant. */
const limits = { within: 3, budget: 12 }
/** What is tried first with all test files: most mutants are found in no time by some test. */
const hasty = { within: 0.05, budget: 0.15 }
/** More mutants than so many a file are many. */
const manyEach = 10

/**
 * Those killed or equivalent, which are added to the file of results.
 * @param {object} options
 * @param {string} options.root
 * @param {{ out: string, near: number, within: number, budget: number, stallSeconds: number, jobs: number, tests: readonly string[], until: number }} options.asked
 * @param {readonly Placed[]} options.mutants
 * @param {readonly import('./results.mjs').Equivalent[]} options.equivalents
 * @param {(file: string) => import('./related.mjs').Related[]} options.related
 * @returns {Promise<Result[]>}
 */
export async function switchedResults({ root, asked, mutants, equivalents, related }) {
  /** @type {Result[]} */
  const results = []
  /** @param {Placed} mutant @param {Pick<Result, 'outcome' | 'killer' | 'tests' | 'seconds'>} found */
  const keep = ({ file, line, column, kind, before, after }, found) => {
    const result = { file, line, column, kind, before, after, ...found }
    results.push(result)
    appendFileSync(asked.out, `${JSON.stringify(result)}\n`)
  }
  const open = mutants.filter((mutant) => {
    const reason = reasonFor(mutant, equivalents)
    if (reason !== undefined) keep(mutant, { outcome: 'equivalent', killer: reason, tests: 0, seconds: 0 })
    return reason === undefined
  })
  /** @type {Map<string, string[]>} */
  const tests = new Map()
  /** @param {string} file */
  const testsOf = (file) => {
    const known = tests.get(file)
    if (known !== undefined) return known
    const chosen = chosenTests(file, related(file), Number.isFinite(asked.near) ? asked.near : near)
    const paths = chosen.filter((one) => !one.built && !isFarPin(file, one)).map(({ path }) => path)
    const found = fitting(paths, asked.tests)
    tests.set(file, found)
    return found
  }
  const patient = {
    within: Number.isFinite(asked.within) ? asked.within : limits.within,
    budget: Number.isFinite(asked.budget) ? asked.budget : limits.budget,
  }
  // Those of a file one after another, whatever the order of the sample.
  let left = open.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start || a.end - b.end))
  const files = [...new Set(left.map(({ file }) => file))]
  // Where there are few of a file, finding out what cases come through them costs more than it spares.
  for (const limit of left.length > manyEach * files.length ? [hasty, patient] : [patient]) {
    const parts = Array.from({ length: asked.jobs }, (_, job) =>
      left.filter(({ file }) => files.indexOf(file) % asked.jobs === job),
    )
    const found = await Promise.all(
      parts.map((mutants) =>
        switchedOutcomes({
          ...{ root, mutants, testsOf, ...limit, stall: asked.stallSeconds, until: asked.until },
          say: (text) => console.error(`mutate: ${text}`),
          killed(mutant, { killer, late }, seconds) {
            keep(mutant, { outcome: late ? 'time' : 'killed', killer, tests: testsOf(mutant.file).length, seconds })
          },
        }),
      ),
    )
    left = left.filter((mutant) => !found.some((killed) => killed.has(mutant)))
  }
  for (const [mutant, error] of left.length === 0 ? [] : await typeErrors(root, left)) {
    keep(mutant, { outcome: 'types', killer: error, tests: testsOf(mutant.file).length, seconds: 0 })
  }
  return results
}
