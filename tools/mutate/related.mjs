// Which tests reach which file: along imports, and from those that start the built program along what it is built from.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseAst } from 'vitest/node'
import { isTest } from '../sources.mjs'

/** @typedef {import('./mutants.mjs').Node} Node */
/** @typedef {{ to: string, built: boolean }} Edge */
/**
 * A test that reaches a file.
 * @typedef {object} Related
 * @property {string} path
 * @property {number} steps
 * @property {boolean} built Only what is built from it.
 * @property {boolean} alsoBuilt What is built from it, whether or not the file itself too.
 */

/** The file that a path means, which may name what a source is compiled to. @param {string} root @param {string} path */
function fileOf(root, path) {
  const inDist = /^dist\/(?:bundle\/)?(.*)\.js$/.exec(path)
  const source = inDist === null ? path.replace(/\.js$/, '.ts') : `src/${inDist[1]}.ts`
  const found = [source, path].find((one) => existsSync(`${root}/${one}`))
  return found === undefined ? [] : [{ to: found, built: inDist !== null }]
}

/** The file behind a door of the package, which is '' or such as "/node". @param {string} door */
const doorOf = (door) => (/^(\/node|\/web)?$/.test(door) ? `dist${door}/index.js` : `dist/doors${door}.js`)

/** What a string says about the program: how it is started, or what it imports. @param {string} text */
function named(text) {
  const places = []
  if (/\bbin\/overhear\.mjs\b|\bnpm start\b/.test(text)) places.push('bin/overhear.mjs')
  for (const [, door = ''] of text.matchAll(/\bfrom 'overhear((?:\/\w+)?)'/g)) places.push(doorOf(door))
  for (const [, path] of text.matchAll(/(?:^|\/)(dist\/[\w/-]+\.js)\b/g)) places.push(/** @type {string} */ (path))
  return places
}

/** @param {string} root @param {string} path @param {string} text @returns {Edge[]} */
function edgesOf(root, path, text) {
  /** @type {Edge[]} */
  const edges = []
  const folder = posix.dirname(path)
  /** @param {string} specifier */
  const imported = (specifier) => {
    if (specifier.startsWith('.')) edges.push(...fileOf(root, posix.join(folder, specifier)))
    const door = /^overhear((?:\/\w+)?)$/.exec(specifier)
    if (door !== null) edges.push(...fileOf(root, doorOf(door[1] ?? '')))
  }
  /** @param {Node} node */
  const visit = (node) => {
    const { type, source } = node
    if (type.startsWith('Import') || type.startsWith('Export')) {
      if (source?.type === 'Literal' && node.importKind !== 'type' && node.exportKind !== 'type') imported(source.value)
    }
    if (type === 'NewExpression' && node.callee.name === 'URL' && node.arguments[0]?.type === 'Literal') {
      // Threads are started from what was built: beside a source there is no such file.
      const from = fileOf(root, posix.join(folder, String(node.arguments[0].value)))
      edges.push(...from.map(({ to }) => ({ to, built: true })))
    }
    const words = type === 'Literal' ? node.value : type === 'TemplateElement' ? node.value.cooked : ''
    if (typeof words === 'string' && !path.startsWith('tools/'))
      for (const place of named(words)) edges.push(...fileOf(root, place))
    for (const value of Object.values(node).flat()) if (typeof value?.type === 'string') visit(value)
  }
  visit(/** @type {Node} */ (/** @type {unknown} */ (parseAst(text, { lang: 'ts' }, 'source.ts'))))
  return edges
}

/**
 * For a file the tests that reach it: the one beside it, then those a step away, and so on; those that only reach what is
 * built from it come last.
 * @param {string} root @param {readonly string[]} paths All files, relative to the root.
 */
export function relatedTests(root, paths) {
  /** Who imports a file. @type {Map<string, Edge[]>} */
  const importers = new Map()
  // Kernels are AssemblyScript, which is no TypeScript.
  for (const path of paths.filter((one) => /^(?!wasm\/).*(?<!kernel-bytes)\.(ts|mjs)$/.test(one))) {
    for (const { to, built } of edgesOf(root, path, readFileSync(`${root}/${path}`, 'utf8'))) {
      importers.set(to, [...(importers.get(to) ?? []), { to: path, built: built || path.startsWith('bin/') }])
    }
  }
  /** @param {string} file @returns {Related[]} */
  return (file) => {
    /** Steps to who is reached, by no built file and by one at least. @type {[Map<string, number>, Map<string, number>]} */
    const reached = [new Map([[file, 0]]), new Map()]
    for (let ring = [{ at: file, built: 0 }], steps = 1; ring.length > 0; steps++) {
      const next = []
      for (const { at, built } of ring) {
        for (const edge of importers.get(at) ?? []) {
          const by = built === 1 || edge.built ? 1 : 0
          if (reached[by].has(edge.to)) continue
          reached[by].set(edge.to, steps)
          next.push({ at: edge.to, built: by })
        }
      }
      ring = next
    }
    const [plain, built] = reached
    /** @type {Map<string, Related>} */
    const seen = new Map()
    for (const path of new Set([...plain.keys(), ...built.keys()])) {
      if (!isTest(path)) continue
      const steps = plain.get(path) ?? built.get(path) ?? 0
      seen.set(path, { path, steps, built: !plain.has(path), alsoBuilt: built.has(path) })
    }
    const beside = file.replace(/\.ts$/, '.test.ts')
    const folder = posix.dirname(file)
    /** Of those as many steps away, the ones of the same folder come first. @param {Related} one */
    const far = ({ path, steps, built }) =>
      path === beside ? 0 : (built ? 1000 : 0) + steps - (posix.dirname(path) === folder ? 0.5 : 0)
    return [...seen.values()].sort((a, b) => far(a) - far(b) || (a.path < b.path ? -1 : 1))
  }
}

/** The name of the family of worlds whose numbers a test pins, or of the tables that hold every default; '' for other tests. @param {string} path */
const pinnedFamily = (path) => /(?:^|\/)(?:pinned|docs(?=-tables))-([\w-]+)\.test\.ts$/.exec(path)?.[1] ?? ''

/**
 * The nearest tests of those that reach a file, and besides those that pin the numbers of whole audits or the bits of many
 * results, wherever they stand: their imports may be long, and they notice most. First those that import the file itself,
 * then what is pinned of its own folder, then the others, those of the built program last.
 * @param {string} file @param {readonly Related[]} related @param {number} near
 */
export function chosenTests(file, related, near) {
  const others = related.filter(({ path }) => pinnedFamily(path) === '').slice(0, near)
  const pinned = related.filter(({ path }) => pinnedFamily(path) !== '')
  /** @param {Related} one */
  const isOwn = ({ path }) => file.split('/').includes(pinnedFamily(path))
  /** @param {Related} one */
  const isBeside = ({ steps, built }) => steps === 1 && !built
  const chosen = [
    ...others.filter(isBeside),
    ...pinned.filter(isOwn),
    ...others.filter((one) => !isBeside(one) && !one.built),
    ...pinned.filter((one) => !isOwn(one)),
    ...others.filter(({ built }) => built),
  ]
  return chosen
}

/**
 * Pins that are far away, and not of the file's own family: they rarely notice what nearer ones do not.
 * @param {string} file @param {Related} one
 */
export const isFarPin = (file, { path, steps }) =>
  pinnedFamily(path) !== '' && steps > 3 && !file.split('/').some((part) => path.includes(`pinned-${part}`))
