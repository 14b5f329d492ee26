// What runs together in a source: functions, branches, turns of loops, right sides of && and the like. Marks are set where
// each begins, so that a test run tells which of them it came through.
import { createHash } from 'node:crypto'
import { parseAst } from 'vitest/node'

/** @typedef {import('./mutants.mjs').Node} Node */
/** @typedef {{ start: number, end: number }} Span */
/** @typedef {{ at: number, closing: boolean, text: string }} Insertion */

const loops = ['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']
/** Parts of a node that may or may not run, by its type. @type {Readonly<Record<string, readonly string[]>>} */
const parts = {
  IfStatement: ['consequent', 'alternate'],
  ConditionalExpression: ['consequent', 'alternate'],
  ...Object.fromEntries(loops.map((type) => [type, ['body']])),
  LogicalExpression: ['right'],
  CatchClause: ['body'],
  FunctionDeclaration: ['body'],
  FunctionExpression: ['body'],
  ArrowFunctionExpression: ['body'],
}
/** What is made of these nodes has a type alone behind it. */
const withType = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'])

/** @param {string} source */
export const hashOf = (source) => createHash('sha256').update(source).digest('base64').slice(0, 16)

/** Blocks of a source, the whole of it being the first, and where marks go. @param {string} source */
function found(source) {
  /** @type {Span[]} */
  const blocks = [{ start: 0, end: source.length }]
  /** @type {Insertion[]} */
  const insertions = []
  /** @param {Span} span */
  const mark = (span) => `__hit[${blocks.push(span) - 1}]=1`
  /** @param {number} at @param {string} text @param {boolean} closing */
  const insert = (at, text, closing = false) => void insertions.push({ at, closing, text })

  /** @param {Node} part */
  const visitPart = (part) => {
    const { start, end, type } = part
    if (type === 'BlockStatement') {
      insert(start + 1, `${mark(part)};`)
      visit(part)
    } else {
      const isStatement = type.endsWith('Statement')
      insert(start, isStatement ? `{${mark(part)};` : `(${mark(part)},`)
      visit(part)
      insert(end, isStatement ? '}' : ')', true)
    }
  }
  /** Statements one after another: what follows one that may leave is a block of its own. @param {readonly Node[]} body */
  const visitList = (body) => {
    const last = body.at(-1)
    for (const [i, statement] of body.entries()) {
      const before = body[i - 1]
      if (
        before?.type === 'IfStatement' &&
        before.alternate === null &&
        last !== undefined &&
        !/^(TS|Import|Export)/.test(statement.type)
      ) {
        insert(statement.start, `${mark({ start: statement.start, end: last.end })};`)
      }
      visit(statement)
    }
  }
  /** @param {Node} node */
  const visit = (node) => {
    if (node.type === 'ImportDeclaration') return
    if (node.type.startsWith('TS')) {
      if (withType.has(node.type)) visit(node.expression)
      return
    }
    if (node.type === 'BlockStatement') return visitList(node.body)
    const own = parts[node.type] ?? []
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue
      const inside = [value].flat().filter((one) => typeof one?.type === 'string')
      if (own.includes(key)) inside.forEach(visitPart)
      else if (node.type === 'SwitchCase' && key === 'consequent' && inside.length > 0) {
        insert(inside[0].start, `${mark({ start: inside[0].start, end: node.end })};`)
        visitList(inside)
      } else inside.forEach(visit)
    }
  }
  visit(/** @type {Node} */ (/** @type {unknown} */ (parseAst(source, { lang: 'ts' }, 'source.ts'))))
  return { blocks, insertions }
}

/** @param {string} source */
export const blocksOf = (source) => found(source).blocks

/** The innermost block around a place. @param {readonly Span[]} blocks @param {Span} place */
export function blockAround(blocks, { start, end }) {
  let best = 0
  blocks.forEach((block, i) => {
    const inner = /** @type {Span} */ (blocks[best])
    if (block.start <= start && end <= block.end && block.end - block.start <= inner.end - inner.start) best = i
  })
  return best
}

/** The source with its marks set; those that it comes through are 1 in `globalThis.__hits[file]`. @param {string} source @param {string} file */
export function marked(source, file) {
  const { blocks, insertions } = found(source)
  const sorted = insertions.toSorted((a, b) => a.at - b.at || Number(b.closing) - Number(a.closing))
  let text = ''
  let at = 0
  for (const one of sorted) {
    text += source.slice(at, one.at) + one.text
    at = one.at
  }
  const name = JSON.stringify(file)
  const head = `const __hit=((globalThis.__hits??={})[${name}]??=new Uint8Array(${blocks.length}));__hit[0]=1;`
  return head + text + source.slice(at)
}
