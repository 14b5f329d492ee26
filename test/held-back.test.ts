import { expect, test } from 'vitest'
import { codeOf, readSources, withoutTests } from '../tools/sources.mjs'

const sources: Readonly<Record<string, string>> = withoutTests(readSources('src'))
const room = (path: string) => path.slice(0, path.indexOf('/'))
const naming = (name: RegExp) => Object.keys(sources).filter((path) => name.test(codeOf(sources[path]!)))

test('records that were held back are opened by the audit alone', () => {
  // Left of the transcript they are dealt and written, in the waist they are read: right of it only the judge asks.
  const rooms = new Set(naming(/\bheldBack(Ids)?\b/).map(room))
  expect([...rooms].sort()).toEqual(expect.arrayContaining(['scenario', 'settings', 'transcript']))
  for (const blind of ['threat', 'attacks', 'metrics', 'federation', 'defences', 'models']) {
    expect(rooms, blind).not.toContain(blind)
  }
})

test('what scores a claim is handed a truth that does not know of them', () => {
  const files = naming(/\bTruthFile\b/)
  expect(files).toContain('transcript/truth-file.ts')
  expect(files.filter((path) => !['transcript', 'audit', 'doors'].includes(room(path)))).toEqual([])
})
