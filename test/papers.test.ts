import { fileURLToPath } from 'node:url'
import { papers } from 'overhear'
import { expect, test } from 'vitest'
import { readSources } from '../tools/sources.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Keys cited as [key], alone or before a place such as Eq. (3). Two-part words and numbers are no keys. */
function citedIn(text: string): string[] {
  const comments = [...text.matchAll(/\/\/.*$|\/\*[\s\S]*?\*\//gm)].map(([c]) => c).join('\n')
  return [
    ...comments.matchAll(/\[([a-z]+(?:\d{4})?)\](?= (?:Eq|Alg|Sec|Obs|Prop|Theorem|Table|App|Fig|B\.|\d)|:|,| )/g),
  ].map((m) => m[1]!)
}

test('every paper cited in the code stands in the bibliography', () => {
  const cited = new Set(Object.values(readSources(`${root}src`)).flatMap(citedIn))
  const unknown = [...cited].filter((key) => /\d{4}$/.test(key) && !Object.hasOwn(papers, key))
  expect(unknown).toEqual([])
  expect([...cited]).toContain('mcmahan2017')
})

test('the checker sees a citation', () => {
  expect(citedIn('// [doe2031] Eq. (3)\n/** as in [aia] B.2: toy */ const a = b[doe1999]')).toEqual(['doe2031', 'aia'])
})
