// Reads source files for the tests that look at the sources themselves, and blanks what in them is not code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Text by path, the path with forward slashes. @typedef {Readonly<Record<string, string>>} Sources */

/** @param {string} path */
export const isTest = (path) => /\.test\.[cm]?[jt]sx?$/.test(path)

/** Every file of code below a folder, by its path in the folder; none when the folder is absent. @param {string} folder */
export function readSources(folder) {
  /** @type {Record<string, string>} */
  const sources = {}
  if (!existsSync(folder)) return sources
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = name.replaceAll('\\', '/')
    if (!/\.[cm]?[jt]sx?$/.test(path) || /(^|\/)(node_modules|dist)\//.test(path)) continue
    sources[path] = readFileSync(`${folder}/${name}`, 'utf8')
  }
  return sources
}

/** The sources that are no tests. @param {Sources} sources @returns {Sources} */
export function withoutTests(sources) {
  return Object.fromEntries(Object.entries(sources).filter(([path]) => !isTest(path)))
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const TEMPLATE_PART = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y // from a backtick or the end of a hole
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const WORD = /[\w$]+|=>/y
// After these, and at the beginning, a slash starts a regular expression; elsewhere it divides or closes a JSX tag.
const BEFORE_REGEX = new Set([
  '',
  '=>',
  ...'=(,:[!&|?{;~+-*%^',
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'await',
  'yield',
  'throw',
  'delete',
])

/**
 * The text with comments and the insides of strings, templates and regular expressions turned to spaces. Quotes, code in
 * the holes of templates, line breaks and every position stay.
 * @param {string} text
 */
export function codeOf(text) {
  let code = ''
  let last = '' // the token before, apart from spaces and comments
  /** @type {string[]} */
  const open = [] // braces, and holes of templates
  let at = 0

  /** @param {RegExp} pattern */
  const match = (pattern) => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }

  while (at < text.length) {
    const c = text.charAt(at)
    const comment = c === '/' ? match(COMMENT) : undefined
    const quoted = c === "'" || c === '"' ? match(STRING) : undefined
    const template = c === '`' || (c === '}' && open.at(-1) === '${') ? match(TEMPLATE_PART) : undefined
    const regex = c === '/' && comment === undefined && BEFORE_REGEX.has(last) ? match(REGEX) : undefined
    const token = comment ?? quoted ?? template ?? regex ?? match(WORD) ?? c
    if (comment !== undefined) code += spaces(token)
    else if (quoted !== undefined) code += c + spaces(token.slice(1, -1)) + c
    else if (template !== undefined) {
      if (c === '}') open.pop()
      const hole = token.endsWith('${')
      if (hole) open.push('${')
      const tail = hole ? '${' : token.length > 1 && token.endsWith('`') ? '`' : ''
      code += c + spaces(token.slice(1, token.length - tail.length)) + tail
    } else if (regex !== undefined) code += spaces(token)
    else {
      if (c === '{') open.push(c)
      else if (c === '}') open.pop()
      code += token
    }
    if (comment === undefined && token.trim() !== '') last = token
    at += token.length
  }
  return code
}

/** @param {string} text */
function spaces(text) {
  return text.replace(/[^\n]/g, ' ')
}

/** The number of the line that holds a position. @param {string} text @param {number} at */
export function lineAt(text, at) {
  return text.slice(0, at).split('\n').length
}
