import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { palette } from '../src/report/html/report-style.js'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The colours by name, of each place that declares them, in order. */
function palettes(text: string): Record<string, string>[] {
  const blocks = [...text.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => block!)
  return blocks.map((block) => Object.fromEntries([...block.matchAll(/--(\w+): (#\w+);/g)].map(([, a, b]) => [a!, b!])))
}

test('the page has the colours of the report, light and dark', () => {
  const { light, dark } = palette
  const [ownLight, ownDark] = palettes(read('src/web/page/page.css'))
  expect(Object.keys(light)).toEqual(expect.arrayContaining(['ink', 'dim', 'leak', 'weak', 'none', 'paper']))
  expect(ownLight).toMatchObject(light)
  expect(ownDark).toMatchObject(dark)
})
