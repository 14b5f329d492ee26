// The budgets of a source file: its length, its header, its name, its exports.
import { codeOf } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

export const lineLimit = 300
export const folderLimit = 30

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

/** Folders with more files than one can look over, tests not counted. @param {readonly string[]} paths */
export function fullFolders(paths, limit = folderLimit) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const path of paths) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > limit)
    .map(([folder, count]) => `${folder}: ${count} files, ${limit} allowed`)
}

/** Names that stand for two things; every folder's table is its index.ts. @param {readonly string[]} paths */
export function repeatedNames(paths) {
  /** @type {Map<string, string[]>} */
  const places = new Map()
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name !== 'index.ts') places.set(name, [...(places.get(name) ?? []), path])
  }
  return [...places.values()].filter((all) => all.length > 1).map((all) => all.join(' and '))
}

/** @param {Sources} sources */
export function defaultExports(sources) {
  const pattern = /\bexport\s+default\b|\bas\s+default\b/
  return Object.keys(sources).filter((path) => pattern.test(codeOf(sources[path] ?? '')))
}
