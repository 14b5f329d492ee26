import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enterLoaded, enterPlugins, readPlugin } from './plugin-file.js'
import { printPdf } from './print-pdf.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-code-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('a plug-in that is trusted', () => {
  test('is its default export, whatever it brings', async () => {
    const file = write('p.mjs', "export default { name: 'p', attacks: [{ id: 'x' }] }\n")
    const read = await readPlugin(file, true)
    expect(read).toMatchObject({ plugin: { name: 'p', attacks: [{ id: 'x' }] }, file })
    expect(read.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(read).not.toHaveProperty('confined')
  })

  test('has a hash of its code and of all that it reaches beside it', async () => {
    const file = write('p.mjs', "import a from './a.mjs'\nimport('./lazy.mjs')\nexport default { name: 'p', a }\n")
    const hash = async () => (await readPlugin(file, true)).hash
    write('lazy.mjs', '')
    write('a.mjs', "export { default } from './b.mjs'\n")
    write('b.mjs', 'export default 1\n')
    write('other.mjs', '1')
    const first = await hash()
    write('other.mjs', '2')
    expect(await hash()).toBe(first)
    write('b.mjs', "export default 1 // back to './p.mjs'\n")
    const second = await hash()
    expect(second).not.toBe(first)
    write('lazy.mjs', '//')
    expect(await hash()).not.toBe(second)
    // The same files by another name of the folder.
    mkdirSync(join(folder, 'sub'))
    expect((await readPlugin(join(folder, 'sub/../p.mjs'), true)).file).toBe(file)
  })

  test('is an ES module that can be loaded', async () => {
    await expect(readPlugin(join(folder, 'none.mjs'), true)).rejects.toThrow(
      `plug-in ${join(folder, 'none.mjs')}: there is no such file; give its path`,
    )
    await expect(readPlugin(folder, true)).rejects.toThrow('an ES module in JavaScript, such as plug-in.mjs, is needed')
    const broken = write('broken.mjs', "throw new Error('first\\nsecond')\n")
    await expect(readPlugin(broken, true)).rejects.toThrow(
      /^plug-in \S+broken\.mjs could not be loaded: first; it must be an ES module in JavaScript, such as plug-in\.mjs$/,
    )
    const reaching = write('reaching.mjs', "import './nowhere.mjs'\nexport default {}\n")
    await expect(readPlugin(reaching, true)).rejects.toThrow('could not be loaded')
  })

  test('is entered under its name', async () => {
    await enterPlugins([], true)
    await enterLoaded({})
    const nameless = write('nameless.mjs', 'export default {}\n')
    await expect(enterPlugins([nameless], true)).rejects.toThrow(nameless)
    await expect(enterLoaded({ plugins: [nameless] })).rejects.toThrow(nameless)
  })
})

test('without a browser no PDF is printed, and nothing is left behind', async () => {
  const { PATH, TMPDIR } = process.env
  Object.assign(process.env, { PATH: folder, TMPDIR: folder })
  try {
    await expect(printPdf('<p>', join(folder, 'out.pdf'))).rejects.toThrow(
      'no browser was found that prints PDF (chromium, chromium-browser, google-chrome, chrome); install Chromium, or print report.html yourself',
    )
  } finally {
    Object.assign(process.env, { PATH, TMPDIR })
    if (TMPDIR === undefined) delete process.env.TMPDIR
  }
  expect(readdirSync(folder)).toEqual([])
})
