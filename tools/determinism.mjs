// Finds what would give other bits on another engine or at another time: most of Math, powers, clocks.
import { codeOf, lineAt } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

/** Exactly rounded by the standard, or constants. */
const sameEverywhere = new Set([
  'sqrt',
  'abs',
  'floor',
  'ceil',
  'trunc',
  'round',
  'sign',
  'min',
  'max',
  'fround',
  'imul',
  'clz32',
  'E',
  'LN10',
  'LN2',
  'LOG10E',
  'LOG2E',
  'PI',
  'SQRT1_2',
  'SQRT2',
])

/** Where a stopwatch does no harm, as paths in src. */
const mayTime = /^(node|web)\//
/** Where people are told the hour: the page, the names of the runs that it starts, and reports. */
const mayDate = /^(node\/(hour\.ts$|serve\/|studies\/)|web\/page\/)/

/** Uses of what is forbidden, as "numeric/a.ts:3: Math.exp". @param {Sources} sources by path in src */
export function nondeterminism(sources) {
  /** @type {string[]} */
  const found = []
  for (const [path, text] of Object.entries(sources)) {
    const code = codeOf(text)
    /** @param {RegExp} pattern @param {(match: RegExpMatchArray) => string | undefined} name */
    const report = (pattern, name) => {
      for (const match of code.matchAll(pattern)) {
        const what = name(match)
        if (what !== undefined) found.push(`${path}:${lineAt(code, match.index ?? 0)}: ${what}`)
      }
    }
    report(/\bMath\b(?:\s*\??\.\s*([\w$]+))?/g, ([, member]) => {
      if (member === undefined) return 'Math as a value'
      return sameEverywhere.has(member) ? undefined : `Math.${member}`
    })
    report(/\*\*/g, () => '**')
    report(/\bDate\s*\??\.\s*now\b/g, () => 'Date.now')
    if (!mayDate.test(path)) report(/\bnew\s+Date\b/g, () => 'new Date')
    report(/(?<!\bnew\s+)(?<![\w$.])Date\s*\(|=\s*Date\b(?!\s*\??\.)/g, () => 'Date')
    if (!mayTime.test(path)) {
      report(/\bperformance\s*\??\.\s*now\b|=\s*performance\b(?!\s*\??\.)/g, () => 'performance.now')
    }
  }
  return found
}
