import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as door from 'overhear'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(`${root}src/index.ts`, 'utf8')

/** Names at the main door with the files they come from. */
const names = [...text.matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']+)\.js'/g)].flatMap(([, list, file]) =>
  list!.split(',').flatMap((one) => {
    const name = one.trim().replace(/^type /, '')
    return name === '' ? [] : [[name, `src/${file}.ts`] as const]
  }),
)

describe('the main door', () => {
  test('is small enough to look over', () => {
    expect(names.length).toBeGreaterThan(30)
    expect(names.length).toBeLessThanOrEqual(50)
    expect(Object.keys(door).every((name) => names.some(([one]) => one === name))).toBe(true)
  })

  test.each(names)('%s says what it is', (name, file) => {
    const source = readFileSync(`${root}${file}`, 'utf8')
    const kinds = '(?:async )?(?:const|function\\*?|interface|type|class)'
    expect(source).toMatch(new RegExp(`\\*/\\nexport ${kinds} ${name}\\b`))
  })

  test('has files behind every entry of the package', () => {
    const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      exports: Record<string, { types: string; default: string }>
    }
    expect(Object.keys(exports)).toEqual([
      '.',
      './numeric',
      './models',
      './federation',
      './transcript',
      './attacks',
      './accounting',
      './advice',
      './plugin',
      './node',
      './web',
    ])
    for (const { types, default: code } of Object.values(exports)) {
      expect([types, code].filter((path) => !existsSync(`${root}${path}`))).toEqual([])
    }
  })
})
