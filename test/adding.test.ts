import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { addingPage, addingPages, linkedPages } from './adding-pages.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const readText = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** The lists of a plug-in, from its declaration: "localRules" has the page local-rule.md. */
const lists = [
  .../interface Plugin \{([\s\S]*?)\n\}/.exec(readText('src/audit/plugins.ts'))![1]!.matchAll(/readonly (\w+)\?:/g),
].map(([, list]) => list!)
const pageOf = (list: string): string =>
  list.replace(/s$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

test('docs/adding has one page for each list of a plug-in, and leads to all of them', () => {
  expect(lists).toContain('attacks')
  expect([...addingPages].sort()).toEqual(lists.map(pageOf).sort())
  expect([...linkedPages].sort()).toEqual(lists.map(pageOf).sort())
  for (const page of ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md']) {
    expect(readText(page)).toContain('(docs/adding/README.md)')
  }
})

test.each(lists)('the page of %s brings one, and shows what comes of it', (list) => {
  const { plugin, scenario, shown } = addingPage(pageOf(list))
  expect(plugin).toMatch(new RegExp(`definePlugin\\(\\{ name: '[a-z-]+',.* ${list}: \\[`))
  expect(scenario).toContain('plugins: [plug-in.mjs]')
  for (const { lines } of shown) expect(lines).not.toEqual([])
  const text = readText(`docs/adding/${pageOf(list)}.md`)
  for (const heading of ['The file', 'A scenario', 'Every field', 'What it may not do', 'In the package itself']) {
    expect(text).toContain(`\n## ${heading}\n`)
  }
})
