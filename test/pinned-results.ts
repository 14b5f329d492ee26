/** What functions give, beside digests of it that are kept in test/pinned: every bit of it, or the code of their error. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OverhearError } from '../src/errors.js'

const keep = process.env.UPDATE_NUMBERS === '1'

/** Plain lists and words in place of what JSON does not know. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'string' && value.includes(' ')) return '...' // sentences may be worded anew
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, plain)
  if (value instanceof Map) return [...value].map(plain)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  // In which order an object got its keys says nothing.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]))
}

/** "first numbers ... digest" */
function inShort(value: unknown): string {
  const text = JSON.stringify(plain(value)) ?? 'undefined'
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return text.length <= 40 ? text : `${text.slice(0, 24)}... ${digest}`
}

async function resultOf(run: () => unknown): Promise<string> {
  try {
    return inShort(await run())
  } catch (error) {
    if (error instanceof OverhearError) return error.code
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
