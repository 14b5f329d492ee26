import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { moduleText } from './module-texts.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-modules-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
for (const name of ['plug-in.mjs', 'helper.js', 'truth.json', 'table.csv'])
  writeFileSync(join(work, name), `// ${name}`)
symlinkSync(join(work, 'table.csv'), join(work, 'innocent.mjs'))
const from = pathToFileURL(join(work, 'plug-in.mjs')).href

test('code beside a plug-in is handed out', () => {
  expect(moduleText(join(work, 'plug-in.mjs'), null).text).toBe('// plug-in.mjs')
  expect(moduleText('./helper.js', from)).toEqual({ url: new URL('helper.js', from).href, text: '// helper.js' })
})

test.each([
  ['./truth.json', 'modules in .mjs or .js can be imported'],
  ['./table.csv', 'modules in .mjs or .js can be imported'],
  ['./innocent.mjs', 'modules in .mjs or .js can be imported'],
  ['some-package', 'files beside it, overhear/plugin and its kin'],
  ['data:text/javascript,1', 'files beside it, overhear/plugin and its kin'],
  ['./nowhere.mjs', 'no such file'],
])('%s is not', (specifier, words) => {
  expect(() => moduleText(specifier, from)).toThrow(words)
})
