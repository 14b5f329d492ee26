// Which mutants are tried: all that there are, in an order drawn by a seed. A larger sample begins with the smaller one.
import { readFileSync } from 'node:fs'
import { isTest } from '../sources.mjs'
import { mutantsOf } from './mutants.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */

/** Generated: kernels, and a table of data. */
const generated = /\/(kernel-bytes|cps-wages-rows)\.ts$/

/** @param {readonly string[]} paths @param {readonly string[]} globs Of which one must fit; all do if there are none. */
export function sourcesAmong(paths, globs) {
  const isSource = (/** @type {string} */ path) =>
    /^src\/.*\.ts$/.test(path) && !path.endsWith('.d.ts') && !isTest(path) && !generated.test(path)
  return fitting(paths, globs).filter(isSource)
}

/** @param {readonly string[]} paths @param {readonly string[]} globs Of which one must fit; all do if there are none. */
export function fitting(paths, globs) {
  const wanted = globs.map(asPattern)
  return paths.filter((path) => wanted.length === 0 || wanted.some((pattern) => pattern.test(path)))
}

/** ** is any path, * any name, ? any letter; a folder means all below it. @param {string} glob */
function asPattern(glob) {
  const parts = glob.replace(/^\.\//, '').split(/(\*\*\/?|\*|\?)/)
  const pattern = parts.map((part) => {
    if (part.startsWith('**')) return '.*'
    return part === '*' ? '[^/]*' : part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${pattern.join('')}(/.*)?$`)
}

/** @param {string} root @param {readonly string[]} paths @returns {Placed[]} */
export function allMutants(root, paths) {
  return paths.flatMap((file) => {
    const source = readFileSync(`${root}/${file}`, 'utf8')
    const lines = source.split('\n')
    /** @type {Map<string, number>} */
    const met = new Map()
    return mutantsOf(source).map((mutant) => {
      const lineText = (lines[mutant.line - 1] ?? '').trim()
      const same = [lineText, mutant.before, mutant.after].join('\n')
      const nth = (met.get(same) ?? 0) + 1
      met.set(same, nth)
      return { ...mutant, file, lineText, nth }
    })
  })
}

/** The first `count` of a shuffle by the seed (mulberry32). @template T @param {readonly T[]} all @param {number} count @param {number} seed */
export function drawn(all, count, seed) {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const deck = [...all]
  const taken = Math.min(count, deck.length)
  for (let i = 0; i < taken; i++) {
    const j = i + Math.floor(uniform() * (deck.length - i))
    ;[deck[i], deck[j]] = [/** @type {T} */ (deck[j]), /** @type {T} */ (deck[i])]
  }
  return deck.slice(0, taken)
}
