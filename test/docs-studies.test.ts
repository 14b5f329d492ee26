/** Scripts beside the studies: each is for a document, and told of in studies/README.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const inFolder = (folder: string, ending: string): string[] =>
  readdirSync(`${root}${folder}`).flatMap((name) => (name.endsWith(ending) ? [`${folder}/${name}`] : []))
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const scripts = inFolder('studies', '.mjs').map((path) => path.slice('studies/'.length, -'.mjs'.length))
const users = [...inFolder('test', '.ts'), ...inFolder('bench', '.mjs'), 'src/verdict/simulated-audits.test.ts']

test('studies/README.md tells of every script, and of none that is not there', () => {
  const rows = read('studies/README.md').matchAll(/^\| [^|]+ \| (`[^|]+) \|/gm)
  const told = [...rows].flatMap(([, names]) => [...names!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!))
  expect(new Set(told.filter((name) => name !== 'ours-ladder'))).toEqual(new Set(scripts))
})

test('every script is called by a document, or serves one that is, a test or a measurement', () => {
  const called = new Set(inFolder('docs', '.md').flatMap((path) => scripts.filter((name) => calls(read(path), name))))
  for (const path of users) for (const name of scripts) if (read(path).includes(`studies/${name}.mjs`)) called.add(name)
  // A set that grows while it is gone through: what a script imports comes after it.
  for (const name of called) {
    for (const [, other] of read(`studies/${name}.mjs`).matchAll(/'\.\/([a-z-]+)\.mjs'/g)) called.add(other!)
  }
  expect(scripts.filter((name) => !called.has(name))).toEqual([])
})

test('documents call no script that is not there', () => {
  const named = inFolder('docs', '.md').flatMap((path) =>
    [...read(path).matchAll(/node\s+studies\/([a-z-]+)\.mjs/g)].map(([, name]) => name!),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !scripts.includes(name))).toEqual([])
})

function calls(text: string, name: string): boolean {
  return new RegExp(`studies/${name}\\.mjs`).test(text)
}

interface Rungs {
  readonly word: string
  readonly rungs: Readonly<Record<'guess' | 'federation' | 'client' | 'record', number | null>>
}

test('docs/what-papers-leak.md has the rungs and words that are stored', () => {
  const stored = read('studies/papers-ladder.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rungs)
  const table = read('docs/what-papers-leak.md')
    .split('\n')
    .filter((line) => /^\|.*\|$/.test(line))
    .slice(2)
  const told = table.map((line) =>
    line
      .split('|')
      .slice(4, -1)
      .map((cell) => cell.trim()),
  )
  expect(told.length).toBeGreaterThan(12)
  const known = stored.map(({ rungs, word }) => [...Object.values(rungs).map(shown), inWords(word)].join(' | '))
  expect(told.map((cells) => cells.join(' | ')).filter((row) => !known.includes(row))).toEqual([])
})

const shown = (x: number | null): string =>
  x === null ? '-' : x >= 1000 ? x.toExponential(2).replace('e+', 'e') : x.toFixed(3)
const inWords = (word: string): string =>
  word.replace(/:.*$/, '').replace('leaks-client', 'leaks the client').replaceAll('-', ' ')
