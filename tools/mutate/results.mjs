// What became of mutants: one JSON line each, known again by place and change, and the sum of it all.
import { readdirSync, readFileSync } from 'node:fs'

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** `nth`: of those of a file that change the same on a line of the same text. @typedef {Mutant & { file: string, lineText: string, nth: number }} Placed */
/** @typedef {'killed' | 'survived' | 'types' | 'time' | 'equivalent'} Outcome */

/**
 * @typedef {object} Result
 * @property {string} file
 * @property {number} line
 * @property {number} column
 * @property {string} kind
 * @property {string} before
 * @property {string} after
 * @property {Outcome} outcome
 * @property {string | null} killer The test, or the error of types; the reason of an equivalent one.
 * @property {number} tests Test files that were to run.
 * @property {number} seconds
 */

/**
 * A mutant that changes nothing anybody could see. Where a file has the same more than once: `times` if the reason holds for
 * all of them, `nth` if it holds for one, the first, second ...
 * @typedef {{ file: string, line: string, before: string, after: string, reason: string, times?: number, nth?: number }} Equivalent
 */

/** @param {Pick<Result, 'file' | 'line' | 'column' | 'before' | 'after'>} one */
export const keyOf = ({ file, line, column, before, after }) => [file, line, column, before, after].join('\n')

/** Those of all rooms, each with a file of its own. @param {string} root @returns {Equivalent[]} */
export function readEquivalents(root) {
  const folder = `${root}/test/equivalent-mutants`
  return readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')))
}

/** The reason why a mutant is equivalent, where the list has it. @param {Placed} mutant @param {readonly Equivalent[]} list */
export function reasonFor({ file, lineText, before, after, nth }, list) {
  /** @param {Equivalent} one */
  const same = (one) =>
    one.file === file &&
    one.line === lineText &&
    one.before === before &&
    one.after === after &&
    (one.nth ?? nth) === nth
  return list.find(same)?.reason
}

/** @typedef {{ sample: number, seed: number, files: string[] }} Asked */

/** What was asked and what is done; a torn last line is left out. @param {string} path @returns {{ asked: Asked, results: Result[] }} */
export function readResults(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const [asked, ...results] = lines.map((line) => JSON.parse(line))
  if (typeof asked?.sample !== 'number') throw new Error(`${path} was not written by this program`)
  return { asked, results }
}

/** @param {readonly Result[]} results */
export function summaryOf(results) {
  /** @param {Outcome} outcome */
  const count = (outcome) => results.filter((one) => one.outcome === outcome).length
  const [killed, survived, types, time] = [count('killed'), count('survived'), count('types'), count('time')]
  const equivalent = results.filter(({ outcome }) => outcome === 'equivalent')
  const share = (/** @type {number} */ found, /** @type {number} */ of) =>
    of === 0 ? 'none' : `${((100 * found) / of).toFixed(1)} %`
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0)
  const lines = [
    `killed ${killed}, survived ${survived}, by types ${types}, by time ${time}`,
    `score ${share(killed + types + time, killed + types + time + survived)} (by tests alone ` +
      `${share(killed + time, killed + time + survived)}); ${(seconds / Math.max(1, results.length)).toFixed(1)} s a mutant`,
  ]
  const list = (/** @type {Result} */ { file, line, before, after }) => `  ${file}:${line} ${before} -> ${after}`
  const alive = results.filter(({ outcome }) => outcome === 'survived')
  if (alive.length > 0)
    lines.push('survivors:', ...alive.map((one) => `${list(one)}${one.tests === 0 ? ' (no test reaches it)' : ''}`))
  if (equivalent.length > 0) {
    lines.push('equivalent, left out of the score:', ...equivalent.map((one) => `${list(one)}: ${one.killer}`))
  }
  return lines.join('\n')
}
