import { describe, expect, test } from 'vitest'
import { defaultExports, emptyNames, fullFolders, headless, repeatedNames, tooLong } from '../tools/budgets.mjs'
import { readSources, withoutTests } from '../tools/sources.mjs'

function read(...folders: string[]): Record<string, string> {
  const files = folders.flatMap((folder) =>
    Object.entries(readSources(folder)).map(([path, text]) => [`${folder}/${path}`, text] as const),
  )
  return Object.fromEntries(files)
}

describe('the tree', () => {
  const generated = 'src/numeric/engine/kernel-bytes.ts'
  const { [generated]: _, ...sources } = withoutTests(read('src', 'tools', 'bench', 'studies', 'wasm'))

  test('was read', () => {
    const some = ['src/index.ts', 'tools/budgets.mjs', 'studies/figures.mjs', 'wasm/gemm.ts']
    expect(Object.keys(sources)).toEqual(expect.arrayContaining(some))
  })
  test('keeps its files short', () => {
    expect(tooLong(sources)).toEqual([])
  })
  test('says at the head of each file what it is for', () => {
    expect(headless(sources)).toEqual([])
  })
  test('names no file or folder after nothing', () => {
    expect(emptyNames(Object.keys(read('src', 'tools', 'bench', 'wasm', 'test', 'studies')))).toEqual([])
  })
  test('has no folder that one cannot look over, and no name for two things', () => {
    const paths = Object.keys(withoutTests(read('src')))
    expect(fullFolders(paths)).toEqual([])
    expect(repeatedNames(paths)).toEqual([])
  })
  test('loads the library of its schemas only when a file is read', () => {
    const slow = Object.entries(sources).filter(([, text]) => /^import (?!type ).* from 'zod'$/m.test(text))
    const inTranscript = slow.map(([path]) => path).filter((path) => path.startsWith('src/transcript/'))
    const schemas = ['imports/recording-map', 'model-schema', 'schema'].map((name) => `src/transcript/${name}.ts`)
    expect(inTranscript).toEqual(schemas)
    const eager = /^(?:import|export) (?!type ).* from '\.\/(?:model-)?schema\.js'$/m
    expect(
      Object.keys(sources).filter(
        (path) => path.startsWith('src/transcript/') && !schemas.includes(path) && eager.test(sources[path]!),
      ),
    ).toEqual([])
  })
  test('has no default exports in src', () => {
    expect(defaultExports(withoutTests(readSources('src')))).toEqual([])
  })
})

describe('the checks', () => {
  test('count lines, not line ends', () => {
    const full = 'x\n'.repeat(300)
    expect(tooLong({ 'a.ts': full, 'b.ts': `${full}y` }, {})).toEqual(['b.ts: 301 lines, 300 allowed'])
  })

  test('hold an exception to its number, and ask for it back', () => {
    const allowed = { 'a.ts': 310, 'b.ts': 310, 'c.ts': 310, 'gone.ts': 310 }
    const of = (lines: number) => 'x\n'.repeat(lines)
    expect(tooLong({ 'a.ts': of(311), 'b.ts': of(310), 'c.ts': of(300) }, allowed)).toEqual([
      'a.ts: 311 lines, 310 allowed',
      'c.ts: keeps to 300 lines, take it off the list in tools/budgets.mjs',
      'gone.ts: keeps to 300 lines, take it off the list in tools/budgets.mjs',
    ])
  })

  test('count the files of a folder by themselves', () => {
    const paths = ['a/1.ts', 'a/2.ts', 'a/b/1.ts', 'top.ts']
    expect(fullFolders(paths, 1)).toEqual(['a: 2 files, 1 allowed'])
    expect(fullFolders(paths, 2)).toEqual([])
  })

  test('find a name in two folders, but not the tables', () => {
    expect(repeatedNames(['a/x.ts', 'b/x.ts', 'a/index.ts', 'b/index.ts', 'b/y.ts'])).toEqual(['a/x.ts and b/x.ts'])
  })

  test('want a comment first', () => {
    const sources = {
      'a.ts': '/** what for */\n',
      'b.ts': '// what for\n',
      'c.mjs': '#!/usr/bin/env node\n// what for\n',
      'd.ts': "import './a.js'\n// late",
      'e.ts': '\n// late',
      'f.ts': '',
    }
    expect(headless(sources)).toEqual(['d.ts', 'e.ts', 'f.ts'])
  })

  test('know an empty name', () => {
    const bad = ['src/utils.ts', 'src/utils/a.ts', 'test/helpers.test.ts', 'src/a/common/b.ts', 'src/Util.ts']
    expect(emptyNames([...bad, 'src/common-neighbours.ts', 'src/futils.ts', 'src/commons/a.ts'])).toEqual(bad)
  })

  test('know a default export', () => {
    const sources = {
      'a.ts': 'export default 1',
      'b.ts': 'const x = 1\nexport { x as default }',
      'c.ts': "export { default as x } from 'x' // export default",
      'd.ts': "export const text = 'export default'",
    }
    expect(defaultExports(sources)).toEqual(['a.ts', 'b.ts'])
  })
})
