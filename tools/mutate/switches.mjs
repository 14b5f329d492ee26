// All mutants of a source in one text, each behind a switch: `__mutant === 7 ? mistake : what stood there`. A test file is
// then compiled and loaded once, and run for one mutant after another.
import { parseAst } from 'vitest/node'
import { applied, childrenOf } from './mutants.mjs'

/** @typedef {import('./mutants.mjs').Node} Node */
/** @typedef {import('./mutants.mjs').Mutant} Mutant */

/** Nodes that are chosen by what they are, as the mutant itself is less than an expression. @type {Readonly<Record<string, RegExp>>} */
const around = {
  operator: /^(Binary|Logical|Assignment|Unary)Expression$/,
  arguments: /^(Call|New)Expression$/,
  extreme: /^CallExpression$/,
  statement: /^ExpressionStatement$/,
  return: /^ReturnStatement$/,
}

/** The smallest node that may be replaced by a choice between it and a mutant of it. @param {readonly Node[]} path From the program inwards. @param {Mutant} mutant */
function placeOf(path, { kind, start, end }) {
  const fits = around[kind]
  const at = path.findLastIndex((node) =>
    fits === undefined ? node.start === start && node.end === end : fits.test(node.type),
  )
  // Within a?.b(c, d).e the call alone would no longer be passed over with the rest.
  const chain = path.findLastIndex(({ type }, i) => i < at && type === 'ChainExpression')
  const between = path.slice(chain + 1, at + 1)
  const inChain = chain >= 0 && between.every(({ type }) => /^(Call|Member|TSNonNull)Expression$/.test(type))
  return path[inChain ? chain : at]
}

/**
 * The source with a switch for each mutant; the first is turned on by `first`, and so on. Types stay as they are.
 * @param {string} source @param {readonly Mutant[]} mutants @param {number} first
 */
export function switched(source, mutants, first) {
  /** @type {Map<Node, { mutant: Mutant, number: number }[]>} */
  const at = new Map()
  const program = /** @type {Node} */ (/** @type {unknown} */ (parseAst(source, { lang: 'ts' }, 'source.ts')))
  for (const [i, mutant] of mutants.entries()) {
    /** @type {Node[]} */
    const path = [program]
    for (let node = program; ; ) {
      const inner = childrenOf(node).find(({ start, end }) => start <= mutant.start && mutant.end <= end)
      if (inner === undefined) break
      path.push(inner)
      node = inner
    }
    const place = placeOf(path, mutant)
    if (place === undefined) throw new Error(`no place for a switch: ${mutant.before} -> ${mutant.after}`)
    at.set(place, [...(at.get(place) ?? []), { mutant, number: first + i }])
  }
  /** @param {Node} node @returns {string} */
  const written = (node) => {
    let text = ''
    let from = node.start
    for (const child of childrenOf(node).toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      if (child.start < from) continue // the key of {a}, which is its value too
      text += source.slice(from, child.start) + written(child)
      from = child.end
    }
    text += source.slice(from, node.end)
    const own = at.get(node)
    const isStatement = node.type === 'ExpressionStatement'
    // Braces, as a line that begins with a bracket would go on with the one before.
    if (own === undefined) return isStatement && text !== source.slice(node.start, node.end) ? `{${text}\n}` : text
    const choices = own.map(({ mutant, number }) => {
      const [start, end] = [mutant.start - node.start, mutant.end - node.start]
      const change = { start, end, text: mutant.text }
      return { number, changed: applied(source.slice(node.start, node.end), change) }
    })
    if (node.type.endsWith('Statement')) {
      return `{${choices.map(({ number, changed }) => `if(__mutant===${number}){${changed}\n}else `).join('')}{${text}\n}}`
    }
    return `(${choices.map(({ number, changed }) => `__mutant===${number}?(${changed}\n):`).join('')}(${text}\n))`
  }
  return `${source.slice(0, program.start)}${written(program)}${source.slice(program.end)}`
}
