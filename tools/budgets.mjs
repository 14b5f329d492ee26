// The budgets of a source file: its length, its header, its name, its exports.
import { codeOf } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

export const lineLimit = 300

/** Files over the limit, each with the length it has: it may shrink, not grow. @type {Readonly<Record<string, number>>} */
export const allowedLines = {}

/** @param {string} text */
const lineCount = (text) => text.replace(/\n$/, '').split('\n').length

/** @param {Sources} sources @param {Readonly<Record<string, number>>} [allowed] */
export function tooLong(sources, allowed = allowedLines) {
  const long = Object.entries(sources).flatMap(([path, text]) => {
    const lines = lineCount(text)
    const limit = allowed[path] ?? lineLimit
    return lines > limit ? [`${path}: ${lines} lines, ${limit} allowed`] : []
  })
  const stale = Object.keys(allowed).filter((path) => lineCount(sources[path] ?? '') <= lineLimit)
  return [
    ...long,
    ...stale.map((path) => `${path}: keeps to ${lineLimit} lines, take it off the list in tools/budgets.mjs`),
  ]
}

/** Files that do not begin with a comment (after the line for the shell, if any). @param {Sources} sources */
export function headless(sources) {
  return Object.keys(sources).filter((path) => !/^(?:#![^\n]*\n)?\/[/*]/.test(sources[path] ?? ''))
}

/** Files and folders named after nothing. @param {readonly string[]} paths */
export function emptyNames(paths) {
  return paths.filter((path) => path.split('/').some((part) => /^(utils?|common|helpers?)(\.|$)/i.test(part)))
}

/** @param {Sources} sources */
export function defaultExports(sources) {
  const pattern = /\bexport\s+default\b|\bas\s+default\b/
  return Object.keys(sources).filter((path) => pattern.test(codeOf(sources[path] ?? '')))
}
