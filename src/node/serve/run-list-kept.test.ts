import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { documentWith, questionWith, resultWith } from '../../../test/audit-results.js'
import { questionsRequest } from '../../api/requests.js'
import type { AuditDocument } from '../../audit/document.js'
import { runList } from './run-list.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overhear-list-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const write = (path: string, value: unknown): void => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value))
}
const runs = () => runList(root, () => null)
const document = (over: object = {}) => ({
  ...documentWith([resultWith()], { questions: [questionWith({})] }),
  ...over,
})

test('a run that has no document yet has nothing to say', () => {
  write('a/started.json', '{}')
  expect(runs().detail('a')).toEqual({
    ...{ verdict: null, sentences: 0, questions: { from: 0, total: 0, questions: [] }, notTested: 0 },
    ...{ utility: [], versions: {}, yaml: null, summary: runs().summary('a') },
  })
  expect(() => runs().audit('a')).toThrow(/a\/audit\.json: there is no such file/)
})

test('one that is not complete can be resumed where it was started here', () => {
  const resumable = (complete: unknown, here: boolean) => {
    const id = `r${complete}${here}`
    write(`${id}/audit.json`, document({ complete }))
    if (here) write(`${id}/started.json`, '{}')
    const { complete: told, resumable: can } = runs().summary(id)
    return [told, can]
  }
  expect(resumable(true, true)).toEqual([true, false])
  expect(resumable(false, true)).toEqual([false, true])
  expect(resumable(undefined, true)).toEqual([false, true])
  expect(resumable(false, false)).toEqual([false, false])
})

test('it is called as its scenario is, and its first sentence is told', () => {
  const { verdict } = document() as unknown as AuditDocument
  const saying = (sentences: unknown) => ({ ...verdict, sentences, level: 'leaks-records', tested: 3, notTested: 2 })
  write('a-0123456789ab/audit.json', document({ scenario: { name: 'mine' }, verdict: saying(['first', 'second']) }))
  expect(runs().summary('a-0123456789ab')).toMatchObject({ name: 'mine', sentence: 'first', level: 'leaks-records', tested: 3, notTested: 2 }) // biome-ignore format: a line
  write('a-0123456789ab/audit.json', document({ scenario: null, verdict: saying([]) }))
  expect(runs().summary('a-0123456789ab')).toMatchObject({ name: 'a', sentence: null })
})

test('a screen has a hundred sentences and doubts, the first among them', () => {
  const many = Array.from({ length: 101 }, (_, i) => `s${i}`)
  const { verdict } = document() as unknown as AuditDocument
  write('a/audit.json', document({ verdict: { ...verdict, sentences: many, doubts: many, untested: ['x'] } }))
  const { verdict: told, sentences } = runs().detail('a')
  expect([told!.sentences, told!.doubts, told!.untested, sentences]).toEqual([many.slice(0, 100), many.slice(0, 100), [], 101]) // biome-ignore format: a line
})

test('a document that is written anew is read anew', () => {
  const list = runs()
  write('a/audit.json', document({ scenario: { name: 'one' } }))
  expect([list.summary('a').name, list.audit('a').scenario?.name]).toEqual(['one', 'one'])
  write('a/audit.json', document({ scenario: { name: 'another' } }))
  expect([list.summary('a').name, list.audit('a').scenario?.name]).toEqual(['another', 'another'])
  utimesSync(join(root, 'a/audit.json'), 5e9, 5e9)
  expect(list.summary('a').changed).toBe(5e12)
})

test('the text of a scenario is shown up to a million letters', () => {
  write('a/run.json', '{}')
  for (const [length, shown] of [
    [1_000_000, true],
    [1_000_001, false],
  ] as const) {
    // biome-ignore format: a line
    write('a/scenario.yaml', 'x'.repeat(length))
    expect(runs().detail('a').yaml !== null).toBe(shown)
  }
})

test('questions are found by their words, a page at a time', () => {
  const questions = ['0', '1', '2'].map((target) => questionWith({ target, observer: target === '1' ? 'server' : 'eavesdropper' })) // biome-ignore format: a line
  write('a/audit.json', document({ questions: [...questions, questionWith({ target: '9', level: 'not-tested', notTested: 'No Model' })] })) // biome-ignore format: a line
  const page = (asked: object) => {
    const { from, total, questions: found } = runs().questions('a', questionsRequest.parse(asked))
    return [from, total, found.map(({ target }) => target).sort()]
  }
  expect(page({})).toEqual([0, 3, ['0', '1', '2']])
  expect(page({ find: 'SERVER' })).toEqual([0, 1, ['1']])
  expect((page({ from: 1, count: 1 })[2] as string[]).length).toBe(1)
  expect(page({ tested: 'no' })).toEqual([0, 1, ['9']])
  expect(page({ tested: 'no', find: 'no model' })).toEqual([0, 1, ['9']])
  expect(page({ tested: 'no', find: 'another' })).toEqual([0, 0, []])
})
