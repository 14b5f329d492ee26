import { describe, expect, test } from 'vitest'
import { foreignNames, importCycles, importsOf, mayImport, openFiles, wrongImports } from '../tools/layers.mjs'
import { readSources, withoutTests } from '../tools/sources.mjs'

describe('the tree', () => {
  const sources = withoutTests(readSources('src'))

  test('was read', () => {
    expect(Object.keys(sources)).toEqual(
      expect.arrayContaining(['errors.ts', 'index.ts', 'numeric/special/elementary-functions.ts']),
    )
  })
  test('follows the table of imports', () => {
    expect(wrongImports(sources)).toEqual([])
  })
  test('has no circle of imports', () => {
    expect(importCycles(sources)).toEqual([])
  })
  test('keeps Node inside src/node and the browser inside src/web', () => {
    expect(foreignNames(sources)).toEqual([])
  })
})

describe('the table', () => {
  test('names only folders that have a row', () => {
    const named = Object.values(mayImport)
      .flat()
      .map((name) => name.replace(/^type /, ''))
    expect(named.filter((name) => !(name in mayImport))).toEqual([])
  })

  test('has no circle itself', () => {
    const files = Object.keys(mayImport).map((layer) => {
      const targets = mayImport[layer]!.map((name) => `import '../${name.replace(/^type /, '')}/a.js'`)
      return [`${layer}/a.ts`, targets.join('\n')] as const
    })
    expect(importCycles(Object.fromEntries(files))).toEqual([])
  })

  test('never lets an attack see the truth, nor the pure part see a machine', () => {
    for (const layer of ['data', 'partition', 'federation', 'defences', 'metrics', 'audit']) {
      expect(mayImport.attacks).not.toContain(layer)
      expect(mayImport.attacks).not.toContain(`type ${layer}`)
    }
    expect(
      Object.values(mayImport)
        .flat()
        .filter((name) => /node|web/.test(name)),
    ).toEqual([])
  })
})

describe('importsOf', () => {
  test('finds every form', () => {
    const text = `/** import a from './comment.js' */
      import './effect.js'
      import one from './one.js'
      import * as two from "../models/two.js"
      import three, { type T, four } from './three.js'
      import type { Five } from './five.js'
      import {
        six, // from './seven.js'
        type Seven,
      } from './six.js'
      export * from './eight.js'
      export * as nine from './nine.js'
      export type { Ten } from '../../outside.mjs'
      export { own }
      import { readFile } from 'node:fs'
      import { z } from 'zod'
      import { audit } from 'overhear'
      import { main } from 'overhear/node'
      const text = "import x from './string.js'" + \`import y from './template.js'\`
      const lazy = await import('./lazy.js')
      const here = import.meta.url`
    const found = importsOf('numeric/a.ts', text).map(({ to, specifier, typeOnly }) => {
      return `${typeOnly ? 'type ' : ''}${to ?? specifier}`
    })
    expect(found.sort()).toEqual(
      [
        'numeric/effect.ts',
        'numeric/one.ts',
        'models/two.ts',
        'numeric/three.ts',
        'type numeric/five.ts',
        'numeric/six.ts',
        'numeric/eight.ts',
        'numeric/nine.ts',
        'type ../outside.mjs',
        'node:fs',
        'zod',
        'index.ts',
        'node/index.ts',
        'numeric/lazy.ts',
      ].sort(),
    )
  })

  test('an export list does not swallow the import after it', () => {
    const found = importsOf('models/a.ts', "export type { A }\nimport { b } from '../data/b.js'")
    expect(found).toMatchObject([{ to: 'data/b.ts', typeOnly: false }])
  })

  test('finds a .tsx file behind a .js name', () => {
    expect(importsOf('web/a.ts', "import { P } from './page.js'", { 'web/page.tsx': '' })[0]?.to).toBe('web/page.tsx')
  })
})

describe('wrongImports', () => {
  const check = (path: string, text: string) => wrongImports({ [path]: text })

  test('reports who imports what', () => {
    expect(check('attacks/leak.ts', "import { score } from '../metrics/score.js'")).toEqual([
      'attacks/leak.ts -> metrics/score.ts',
    ])
    expect(check('attacks/leak.ts', "import type { Score } from '../metrics/score.js'")).toEqual([
      'attacks/leak.ts -> metrics/score.ts',
    ])
  })

  test('lets through what the table allows', () => {
    expect(
      check('attacks/leak.ts', "import { log } from '../numeric/special/elementary-functions.js'\nimport './other.js'"),
    ).toEqual([])
    expect(check('audit/deep/trial.ts', "import { leak } from '../../attacks/leak.js'")).toEqual([])
    for (const file of openFiles) {
      expect(check('numeric/a.ts', `import { x } from '../${file.replace('.ts', '.js')}'`)).toEqual([])
    }
    expect(check('index.ts', "export * from './report/html.js'\nexport { z } from 'zod'")).toEqual([])
  })

  test('holds a grant of types to types', () => {
    expect(check('attacks/leak.ts', "import type { Sent } from '../transcript/types.js'")).toEqual([])
    for (const names of ['decode', 'type Sent']) {
      expect(check('attacks/leak.ts', `import { ${names} } from '../transcript/types.js'`)).toEqual([
        'attacks/leak.ts -> transcript/types.ts (types only)',
      ])
    }
  })

  test('keeps the door shut from inside', () => {
    expect(check('node/cli.ts', "import { rng } from '../index.js'")).toEqual(['node/cli.ts -> index.ts'])
    expect(check('audit/a.ts', "import { audit } from 'overhear'")).toEqual(['audit/a.ts -> index.ts'])
    expect(check('audit/a.ts', "import { rng } from 'overhear/numeric'")).toEqual(['audit/a.ts -> doors/numeric.ts'])
    expect(check('index.ts', "export * from './node/cli.js'\nexport * from './web/page.js'")).toEqual([
      'index.ts -> node/cli.ts',
      'index.ts -> web/page.ts',
    ])
    expect(check('node/a.ts', "import '../web/b.js'")).toEqual(['node/a.ts -> web/b.ts'])
    expect(check('web/a.ts', "import 'overhear/node'")).toEqual(['web/a.ts -> node/index.ts'])
  })

  test('keeps open files small, paths inside and folders known', () => {
    expect(check('errors.ts', "import { log } from './numeric/special/elementary-functions.js'")).toEqual([
      'errors.ts -> numeric/special/elementary-functions.ts',
    ])
    expect(check('params.ts', "import { OverhearError } from './errors.js'")).toEqual([])
    expect(check('models/a.ts', "import '../../test/shared.js'")).toEqual(['models/a.ts -> ../test/shared.ts'])
    expect(check('misc/a.ts', '')).toEqual(['misc/a.ts: "misc" has no row in tools/layers.mjs'])
    expect(check('stray.ts', '')).toEqual(['stray.ts: "stray.ts" has no row in tools/layers.mjs'])
    expect(check('globals.d.ts', '')).toEqual([])
  })
})

describe('importCycles', () => {
  test('finds circles of any length, by types too', () => {
    expect(importCycles({ 'a.ts': "import './a.js'" })).toEqual(['a.ts -> a.ts'])
    expect(
      importCycles({
        'x/a.ts': "import { b } from './b.js'",
        'x/b.ts': "import type { C } from '../y/c.js'",
        'y/c.ts': "export * from '../x/a.js'\nimport './d.js'",
        'y/d.ts': '',
      }),
    ).toEqual(['x/a.ts -> x/b.ts -> y/c.ts -> x/a.ts'])
  })

  test('a diamond is no circle', () => {
    const b = "import './d.js'"
    expect(importCycles({ 'a.ts': "import './b.js'\nimport './c.js'", 'b.ts': b, 'c.ts': b, 'd.ts': '' })).toEqual([])
  })
})

describe('foreignNames', () => {
  test('finds Node and the browser where they do not belong', () => {
    const text = `import { readFileSync } from 'node:fs'
import path from 'path'
const width = window.innerWidth // document
if (typeof document !== 'undefined') globalThis.navigator.gpu
const all = [...document.links]`
    expect(foreignNames({ 'audit/a.ts': text })).toEqual([
      'audit/a.ts -> node:fs',
      'audit/a.ts -> path',
      'audit/a.ts:3: window',
      'audit/a.ts:4: document',
      'audit/a.ts:4: navigator',
      'audit/a.ts:5: document',
    ])
    expect(foreignNames({ 'node/a.ts': "import 'node:fs'", 'web/a.ts': 'document.title = window.name' })).toEqual([])
    expect(foreignNames({ 'web/a.ts': "import 'node:fs'", 'node/a.ts': 'window' })).toEqual([
      'web/a.ts -> node:fs',
      'node/a.ts:1: window',
    ])
  })

  test('leaves members and longer names alone', () => {
    const text = "options.window + documents + myWindow + 'window'\nimport { z } from 'zod'"
    expect(foreignNames({ 'audit/a.ts': text })).toEqual([])
  })
})
