// A test file and all sources that it reaches as one file to import, with switches or with marks in some of the sources.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { marked } from './blocks.mjs'
import { switched } from './switches.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */
/** @typedef {{ mutants: readonly Placed[], first: number }} Numbered The mutants of a file, and the number of the first. */

const standIn = pathToFileURL(fileURLToPath(new URL('./switch-vitest.mjs', import.meta.url))).href
const switchName = '\0switch'
const switchText = `export let __mutant = globalThis.__mutant ?? 0
globalThis.__turnTo = (number) => { __mutant = number }
globalThis.__turnTo(__mutant)`

/**
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.test
 * @param {string} options.out
 * @param {ReadonlyMap<string, Numbered>} options.files
 * @param {boolean} options.marks Marks in the files instead of switches.
 * @returns {Promise<string[]>} which of the files it reaches
 */
export async function bundleTest({ root, test, out, files, marks }) {
  /** @type {string[]} */
  const reached = []
  const bundle = await rolldown({
    input: `${root}/${test}`,
    platform: 'node',
    treeshake: false,
    logLevel: 'silent',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'], '.mjs': ['.mjs'] } },
    external: (id) => id !== switchName && id !== 'vitest' && !/^[./]/.test(id),
    plugins: [
      {
        name: 'switches',
        resolveId(id) {
          if (id === 'vitest') return { id: standIn, external: true }
          return id === switchName ? { id } : undefined
        },
        load: (id) => (id === switchName ? switchText : undefined),
        transform(code, id) {
          if (id === switchName) return
          const path = relative(root, id).split(sep).join('/')
          const numbered = files.get(path)
          if (numbered !== undefined) reached.push(path)
          const source = numbered === undefined ? code : readFileSync(id, 'utf8')
          const text =
            numbered === undefined
              ? source
              : marks
                ? marked(source, path)
                : `import { __mutant } from ${JSON.stringify(switchName)};${switched(source, numbered.mutants, numbered.first)}`
          return { code: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
        },
      },
    ],
  })
  await bundle.write({ file: out, format: 'esm', codeSplitting: false })
  await bundle.close()
  return reached
}
