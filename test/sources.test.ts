// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are made-up sources
import { expect, test } from 'vitest'
import { codeOf, isTest, lineAt, readSources, withoutTests } from '../tools/sources.mjs'

test.each([
  ['a // b', 'a     '],
  ['a /* b\nc */ d', 'a     \n     d'],
  ["x = 'it\\'s // no'", "x = '           '"],
  ['x = "a" + \'b\'', 'x = " " + \' \''],
  ['`a ${b + `c ${d}` + {e: 1}.e} f` + g', '`  ${b + `  ${d}` + {e: 1}.e}  ` + g'],
  ['`$5 \\${x}` + `', '`        ` + `'],
  ['a = /[/\'"`]\\/x/g.test(b) // c', 'a =             .test(b)     '],
  ['(x) => /`/.test(x)', '(x) =>    .test(x)'],
  ['return /"/', 'return    '],
  ['a / b / c', 'a / b / c'],
  ['f(1) / 2 // 3 / 4', 'f(1) / 2         '],
  ["<p>don't {f(1)}</p>", "<p>don't {f(1)}</p>"],
  ['<a b={c} /> / d', '<a b={c} /> / d'],
  ['/* never closed', '               '],
  ['', ''],
])('the code of %j', (text, code) => {
  expect(codeOf(text)).toBe(code)
  expect(code).toHaveLength(text.length)
})

test('lines are counted from 1', () => {
  expect([lineAt('a\nb\n', 0), lineAt('a\nb\n', 2), lineAt('a\nb\n', 4)]).toEqual([1, 2, 3])
})

test('reads files of code with slashes in their paths, and nothing where there is no folder', () => {
  const sources = readSources('src')
  expect(sources['numeric/special/elementary-functions.ts']).toContain('export function exp')
  expect(sources['numeric/special/elementary-functions.test.ts']).toBeDefined()
  expect(Object.keys(sources).filter((path) => path.endsWith('.json'))).toEqual([])
  expect(withoutTests(sources)['numeric/special/elementary-functions.test.ts']).toBeUndefined()
  expect(readSources('no-such-folder')).toEqual({})
})

test('knows a test by its name', () => {
  expect(['a.test.ts', 'b/a.test.tsx', 'a.x.test.mjs'].every(isTest)).toBe(true)
  expect(['test.ts', 'a-test.ts', 'atest.ts', 'a.test.ts.bak'].some(isTest)).toBe(false)
})
