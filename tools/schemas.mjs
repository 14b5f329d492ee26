// The JSON Schemas in schemas/, made from the schemas that check the files: editors read them.
//   npm run build:ts && node tools/schemas.mjs        writes them; test/docs-tables.test.ts checks that they are fresh
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** @typedef {typeof import('../src/audit/read-scenario.js')} ScenarioFile */

const width = 120

/** @param {unknown} value @returns {value is Readonly<Record<string, unknown>>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * JSON as the formatter leaves it: an object has a line for each key, a list is one line where it fits.
 * @param {unknown} value @param {string} [indent] @param {number} [beside] characters beside it on its line
 * @returns {string}
 */
export function jsonText(value, indent = '', beside = 0) {
  const inner = `${indent}  `
  /** A comma after all but the last. @param {number} i @param {number} n */
  const comma = (i, n) => (i + 1 < n ? 1 : 0)
  if (isObject(value)) {
    const lines = Object.entries(value).map(([key, item], i, { length }) => {
      const start = `${inner}${JSON.stringify(key)}: `
      return start + jsonText(item, inner, start.length + comma(i, length))
    })
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`
  }
  if (!Array.isArray(value)) return JSON.stringify(value)
  const flat = `[${value.map((item) => jsonText(item)).join(', ')}]`
  if (!flat.includes('\n') && beside + flat.length <= width) return flat
  const items = value.map((item, i, { length }) => inner + jsonText(item, inner, inner.length + comma(i, length)))
  return `[\n${items.join(',\n')}\n${indent}]`
}

/**
 * The files by name. The modules are those of the source or of the build.
 * @param {{ scenario: Pick<ScenarioFile, 'scenarioJsonSchema'>,
 *   manifest: Pick<typeof import('../src/transcript/manifest.js'), 'manifestJsonSchema'>,
 *   knowledge: Pick<typeof import('../src/transcript/knowledge-file.js'), 'knowledgeJsonSchema'>,
 *   truth: Pick<typeof import('../src/transcript/truth-file.js'), 'truthJsonSchema'> }} from
 * @returns {Promise<Record<string, string>>}
 */
export async function schemaFiles({ scenario, manifest, knowledge, truth }) {
  const titled = [
    ['scenario', 'a scenario of Overhear', scenario.scenarioJsonSchema()],
    ['transcript', 'transcript.json: the recording of a federation', await manifest.manifestJsonSchema()],
    ['knowledge', 'knowledge.json: what an adversary knows besides', await knowledge.knowledgeJsonSchema()],
    ['truth', 'truth.json: what only the grader knows', await truth.truthJsonSchema()],
  ]
  return Object.fromEntries(
    titled.map(([name, title, schema]) => {
      const { $schema, ...rest } = /** @type {Record<string, unknown>} */ (schema)
      return [`${name}.schema.json`, `${jsonText({ $schema, title, ...rest })}\n`]
    }),
  )
}

const folder = fileURLToPath(new URL('../schemas/', import.meta.url))

/** @param {Readonly<Record<string, string>>} files */
export function writeSchemas(files) {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}${name}`, text)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const built = (/** @type {string} */ path) => import(new URL(`../dist/${path}.js`, import.meta.url).href)
  writeSchemas(
    await schemaFiles({
      scenario: await built('audit/read-scenario'),
      manifest: await built('transcript/manifest'),
      knowledge: await built('transcript/knowledge-file'),
      truth: await built('transcript/truth-file'),
    }),
  )
}
