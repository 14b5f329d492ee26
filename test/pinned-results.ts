/**
 * What functions give, beside digests of it that are kept in test/pinned: every bit of it, or the code of their error.
 * Sentences have a digest of their own at the end, so that a new wording and a new number look different.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OverhearError } from '../src/errors.js'

const keep = process.env.UPDATE_NUMBERS === '1'

/** Plain lists and words in place of what JSON does not know; sentences are put aside. */
function plain(value: unknown, sentences: string[]): unknown {
  const within = (item: unknown): unknown => plain(item, sentences)
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string' && value.includes(' ')) {
    sentences.push(value)
    return '...'
  }
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, within)
  if (value instanceof Map) return [...value].map(within)
  if (Array.isArray(value)) return value.map(within)
  if (typeof value !== 'object' || value === null) return value
  // In which order an object got its keys says nothing.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, within(item)]))
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Without the names of temporary folders, and what an engine says of a text that is no JSON. */
const steady = (sentence: string): string =>
  sentence
    .split(tmpdir())
    .map((part, i) => (i === 0 ? part : part.replace(/^[/\\][^/\\\s"]+/, '')))
    .join('')
    .replace(/is not JSON: .*/s, 'is not JSON')

const wordsOf = (sentences: readonly string[]): string =>
  sentences.length === 0 ? '' : ` words ${digestOf(JSON.stringify(sentences.map(steady))).slice(0, 8)}`

/** "first numbers ... digest words digest" */
function inShort(value: unknown): string {
  const sentences: string[] = []
  const text = JSON.stringify(plain(value, sentences)) ?? 'undefined'
  const short = text.length <= 40 ? text : `${text.slice(0, 24)}... ${digestOf(text).slice(0, 16)}`
  return `${short}${wordsOf(sentences)}`
}

async function resultOf(run: () => unknown): Promise<string> {
  try {
    return inShort(await run())
  } catch (error) {
    if (error instanceof OverhearError) return `${error.code}${wordsOf([error.message])}`
    throw error
  }
}

/** One test for all cases of a name; UPDATE_NUMBERS=1 keeps what they give now. */
export function pinResults(family: string, cases: Readonly<Record<string, readonly (() => unknown)[]>>): void {
  const path = fileURLToPath(new URL(`pinned/${family}.json`, import.meta.url))
  const kept: Record<string, string[]> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const now: Record<string, string[]> = {}
  for (const [name, runs] of Object.entries(cases)) {
    test(`${name} gives the bits that are kept`, async () => {
      const found: string[] = []
      for (const run of runs) found.push(await resultOf(run))
      now[name] = found
      if (keep) writeFileSync(path, `${JSON.stringify(now, null, 1)}\n`)
      else expect(found).toEqual(kept[name])
    })
  }
  test.skipIf(keep)(`nothing else of ${family} is kept`, () => {
    expect(Object.keys(kept)).toEqual(Object.keys(cases))
  })
}
