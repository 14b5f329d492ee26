// What every study needs: its options, figures over runs, tables in Markdown, and what it says of its claims.
import { parseArgs } from 'node:util'

/**
 * The item there; a place outside is an error.
 * @template T
 * @param {ArrayLike<T>} list
 * @param {number} i
 * @returns {T}
 */
export function at(list, i) {
  const item = list[i]
  if (item === undefined) throw new RangeError(`nothing at ${i} of ${list.length}`)
  return item
}

/** @param {readonly number[] | Float64Array} xs */
export function mean(xs) {
  let sum = 0
  for (const x of xs) sum += x
  return sum / xs.length
}

/** Of a sample; 0 for a single value. @param {readonly number[]} xs */
export function deviation(xs) {
  const middle = mean(xs)
  return Math.sqrt(xs.reduce((sum, x) => sum + (x - middle) ** 2, 0) / Math.max(1, xs.length - 1))
}

/** A list as options have it: "1,2,3". @param {string} list */
export const numbers = (list) => list.split(',').map(Number)

/**
 * What the command line says in place of these defaults: a number stays a number, true or false takes no value.
 * @template {Readonly<Record<string, string | number | boolean>>} T
 * @param {T} defaults
 */
export function options(defaults) {
  /** @type {Record<string, { type: 'string' | 'boolean' }>} */
  const known = {}
  for (const [name, value] of Object.entries(defaults)) {
    known[name] = { type: typeof value === 'boolean' ? 'boolean' : 'string' }
  }
  const given = Object.entries(parseArgs({ options: known }).values).map(([name, value]) => [
    name,
    typeof defaults[name] === 'number' ? Number(value) : value,
  ])
  return /** @type {{ [K in keyof T]: T[K] extends boolean ? boolean : T[K] }} */ ({
    ...defaults,
    ...Object.fromEntries(given),
  })
}

/** @param {string} [line] */
export const print = (line = '') => process.stdout.write(`${line}\n`)

/**
 * A table of Markdown as lines, an empty one at its end.
 * @param {readonly string[]} heads
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export const tableOf = (heads, rows) => [
  `| ${heads.join(' | ')} |`,
  `|${heads.map(() => '---').join('|')}|`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  '',
]

/** @typedef {{ text: string, holds: boolean }} Claim what a study says must hold, and whether it does */

/** @param {readonly Claim[]} claims */
export const verdicts = (claims) => claims.map(({ text, holds }) => `${holds ? 'holds' : 'FAILS'}: ${text}`)
