import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { mayImport } from '../tools/layers.mjs'

const path = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url))

/** The import table in Markdown. */
function layersTable(): string {
  const rows = Object.entries(mayImport).map(([folder, list]) => {
    const names = list.map((name) => name.replace(/^type (.*)$/, '$1 (types)'))
    return `| ${folder} | ${names.join(', ') || '(nothing)'} |`
  })
  return ['', '', '| folder | may import |', '|---|---|', ...rows, ''].join('\n')
}

test('the table in ARCHITECTURE.md is the one that is enforced', () => {
  const text = readFileSync(path, 'utf8')
  const fresh = text.replace(/(<!-- layers: .*? -->)[\s\S]*(<!-- \/layers -->)/, (_, open: string, close: string) => {
    return `${open}${layersTable()}${close}`
  })
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, fresh)
  else expect(text).toBe(fresh)
})

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const programs = readdirSync(docs).flatMap((name) =>
  [...readFileSync(`${docs}/${name}`, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    (m, i) => [`${name} ${i}`, m[1]!] as const,
  ),
)

test.each(programs)('the program in docs/%s runs', async (name, program) => {
  const path = `${docs}/../test/.${name.replace(/\W+/g, '-')}.mjs`
  writeFileSync(path, program)
  try {
    await import(pathToFileURL(path).href)
  } finally {
    rmSync(path)
  }
})
