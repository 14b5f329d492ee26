// The mutants of one file, each made from the syntax tree: a small mistake that still parses. Types, strings, what goes
// into a template (messages) and what is thrown are left alone.
import { parseAst } from 'vitest/node'

/** @typedef {{ type: string, start: number, end: number } & Record<string, any>} Node */

/**
 * @typedef {object} Mutant
 * @property {string} kind
 * @property {number} line From 1.
 * @property {number} column From 1.
 * @property {number} start What is replaced.
 * @property {number} end
 * @property {string} text What it is replaced by.
 * @property {string} before For people.
 * @property {string} after
 */

/**
 * @typedef {object} Place Where a node stands.
 * @property {string} source
 * @property {Node | undefined} parent
 * @property {Node | undefined} around The function it is in.
 */

/** @typedef {Omit<Mutant, 'line' | 'column' | 'kind'>} Change */

const arithmetic = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }
const relational = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' }
const logical = { '&&': '||', '||': '&&', '??': '&&' }
const assigning = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=' }

/** @type {Readonly<Record<string, string>>} */
const swapped = { ...arithmetic, ...relational, ...logical, ...assigning }

/** What a mistake can be made in, by the type of a node. @type {Record<string, [string, Rule][]>} */
const rules = {
  BinaryExpression: [['operator', operator]],
  LogicalExpression: [['operator', operator]],
  AssignmentExpression: [['operator', operator]],
  UnaryExpression: [['operator', unary]],
  Literal: [
    ['constant', constant],
    ['boolean', boolean],
  ],
  IfStatement: [['condition', condition]],
  ConditionalExpression: [['condition', condition]],
  WhileStatement: [['condition', (node, place) => condition(node, place).filter(({ text }) => text === 'false')]],
  ForStatement: [['bound', bound]],
  ExpressionStatement: [['statement', statement]],
  CallExpression: [
    ['arguments', twoArguments],
    ['extreme', extreme],
  ],
  NewExpression: [['arguments', twoArguments]],
  ReturnStatement: [['return', emptied]],
}
/** @typedef {(node: Node, place: Place) => Change[]} Rule */

/** What is made of these nodes has a type alone behind it. */
const withType = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'])

/**
 * All mutants of a source, in the order of the text.
 * @param {string} source @returns {Mutant[]}
 */
export function mutantsOf(source) {
  /** @type {Mutant[]} */
  const found = []
  /** @param {Node} node @param {Place} place */
  const visit = (node, place) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ThrowStatement' || node.type === 'TemplateLiteral') return
    if (node.type.startsWith('TS')) {
      if (withType.has(node.type)) visit(node.expression, { ...place, parent: node })
      return
    }
    for (const [kind, rule] of rules[node.type] ?? []) {
      for (const change of rule(node, place)) found.push({ kind, ...positionOf(source, change.start), ...change })
    }
    const around = /Function/.test(node.type) ? node : place.around
    for (const child of childrenOf(node)) visit(child, { source, parent: node, around })
  }
  const program = /** @type {Node} */ (/** @type {unknown} */ (parseAst(source, { lang: 'ts' }, 'source.ts')))
  visit(program, { source, parent: undefined, around: undefined })
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** The source with one mistake in it. @param {string} source @param {Pick<Mutant, 'start' | 'end' | 'text'>} mutant */
export const applied = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end)

/** @param {Node} node @returns {Node[]} */
export function childrenOf(node) {
  const values = Object.entries(node).flatMap(([key, value]) => (key === 'parent' ? [] : [value].flat()))
  return values.filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string')
}

/** @param {string} source @param {number} at */
function positionOf(source, at) {
  const before = source.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}

/** In one line, and not all of it. @param {string} source @param {{ start: number, end: number }} node */
function brief(source, { start, end }) {
  const text = source.slice(start, end).trim().replace(/\s+/g, ' ')
  return text.length > 60 ? `${text.slice(0, 29)}...${text.slice(-28)}` : text
}

/** @param {Node} node @param {string} text @param {Place} place @returns {Change} */
const replaced = ({ start, end }, text, { source }) => ({
  start,
  end,
  text,
  before: brief(source, { start, end }),
  after: text,
})

/** Told with what stands about it, where that is short. @param {Change} change @param {Place} place @returns {Change} */
function within(change, { source, parent }) {
  if (parent === undefined || parent.end - parent.start > 60 || /Program|Statement/.test(parent.type)) return change
  const text = source.slice(parent.start, parent.end)
  const [start, end] = [change.start - parent.start, change.end - parent.start]
  const after = applied(text, { start, end, text: change.text })
  const [was, is] = [text, after].map((whole) => brief(whole, { start: 0, end: whole.length }))
  return { ...change, before: was ?? '', after: is ?? '' }
}

/** @type {Rule} */
function operator(node, { source }) {
  const { left, right, operator: old } = node
  const now = swapped[old]
  if (now === undefined || (old.startsWith('+') && (isText(left) || isText(right)))) return []
  const start = tokenAfter(source, left.end, old)
  const end = start + old.length
  const sides = [brief(source, { start: node.start, end: start }), brief(source, { start: end, end: node.end })]
  const told = { before: sides.join(` ${old} `), after: sides.join(` ${now} `) }
  if (node.type !== 'LogicalExpression') return [{ start, end, text: now, ...told }]
  // The other one binds differently, and ?? may not stand beside the others at all.
  const text = `((${source.slice(node.start, start)})${now}(${source.slice(end, node.end)}))`
  return [{ start: node.start, end: node.end, text, ...told }]
}

/** Where a token stands after a place, comments aside. @param {string} source @param {number} from @param {string} token */
function tokenAfter(source, from, token) {
  let at = from
  while (!source.startsWith(token, at) || source.startsWith('//', at) || source.startsWith('/*', at)) {
    if (source.startsWith('//', at)) at = source.indexOf('\n', at)
    else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 2
    else at++
  }
  return at
}

/** Words, of which + makes more. @param {Node} node @returns {boolean} */
const isText = (node) =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' && node.operator === '+' && (isText(node.left) || isText(node.right)))

/** @type {Rule} */
function unary(node, place) {
  if (node.operator !== '!' && node.operator !== '-') return []
  const { argument } = node
  const change = replaced(node, `(${place.source.slice(argument.start, argument.end)})`, place)
  return [{ ...change, after: brief(place.source, argument) }]
}

/** @type {Rule} */
function constant(node, place) {
  const { value } = node
  const isKey = place.parent?.type === 'Property' && place.parent.key === node && !place.parent.computed
  if (typeof value !== 'number' || isKey) return []
  return [within(replaced(node, String(value + 1 === value ? 2 * value : value + 1), place), place)]
}

/** @type {Rule} */
function boolean(node, place) {
  return typeof node.value === 'boolean' ? [within(replaced(node, String(!node.value), place), place)] : []
}

/** @type {Rule} */
function condition({ test }, place) {
  if (test.type === 'Literal') return []
  return ['true', 'false'].map((text) => replaced(test, text, place))
}

/** One turn of a loop less. @type {Rule} */
function bound({ test }, place) {
  if (test?.type !== 'BinaryExpression' || !/^[<>]=?$/.test(test.operator)) return []
  const one = test.operator.startsWith('<') ? '- 1' : '+ 1'
  const { right } = test
  const change = replaced(right, `(${place.source.slice(right.start, right.end)}) ${one}`, place)
  const before = brief(place.source, test)
  return [{ ...change, before, after: `${before} ${one}` }]
}

/** A statement whose result nobody uses is left out. @type {Rule} */
function statement(node, place) {
  const inner = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression
  const does = ['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(inner.type)
  return does && inner.callee?.type !== 'Super' ? [replaced(node, '{}', place)] : []
}

/** @type {Rule} */
function twoArguments({ callee, arguments: [a, b, more] }, place) {
  if (a?.type !== 'Identifier' || b?.type !== 'Identifier' || more !== undefined || a.name === b.name) return []
  if (isMath(callee, /^(min|max|hypot)$/)) return []
  const text = `${b.name}${place.source.slice(a.end, b.start)}${a.name}`
  const change = replaced({ ...a, end: b.end }, text, place)
  const name = brief(place.source, callee)
  return [{ ...change, before: `${name}(${a.name}, ${b.name})`, after: `${name}(${b.name}, ${a.name})` }]
}

/** @type {Rule} */
function extreme({ callee }, place) {
  if (!isMath(callee, /^(min|max)$/)) return []
  const { property } = callee
  const other = property.name === 'min' ? 'max' : 'min'
  return [{ ...replaced(property, other, place), before: `Math.${property.name}`, after: `Math.${other}` }]
}

/** @param {Node} callee @param {RegExp} names */
const isMath = (callee, names) =>
  callee.type === 'MemberExpression' &&
  callee.object.name === 'Math' &&
  !callee.computed &&
  names.test(callee.property.name)

/** Nothing instead of a result, where the function says that this may be. @type {Rule} */
function emptied(node, place) {
  const { argument } = node
  if (argument === null || argument.name === 'undefined' || !mayBeNothing(place.around?.returnType)) return []
  return [replaced(node, 'return undefined', place)]
}

/** @param {Node | null | undefined} type @returns {boolean} */
function mayBeNothing(type) {
  if (type === null || type === undefined) return false
  if (type.type === 'TSUndefinedKeyword' || type.type === 'TSVoidKeyword') return true
  if (type.type === 'TSTypeAnnotation') return mayBeNothing(type.typeAnnotation)
  if (type.type === 'TSUnionType') return type.types.some(mayBeNothing)
  return (
    type.type === 'TSTypeReference' && type.typeName.name === 'Promise' && type.typeArguments.params.some(mayBeNothing)
  )
}
