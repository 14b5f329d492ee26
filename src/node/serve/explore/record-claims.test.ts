import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordsRequest } from '../../../api/explore.js'
import type { AuditDocument } from '../../../audit/document.js'
import { clientsWithClaims, recordsOf } from './record-claims.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-claims-'))
  writeFileSync(join(folder, 'knowledge.json'), JSON.stringify({ format: 'overhear-knowledge/1', target: 'north', sensitive: [smoker, bmi] }))
  writeFileSync(join(folder, 'knowledge-south.json'), JSON.stringify({ format: 'overhear-knowledge/1', target: 'south', sensitive: [ward] }))
  mkdirSync(join(folder, 'truth'))
  writeFileSync(join(folder, 'truth/north.csv'), 'id,smoker,bmi,ward_a,ward_b,cost\np1,1.9,2.5,0,1,10\np2,-0.4,-1,0,0,20.5\np3,-0.5,0,1,0,30\n')
  const truth = { format: 'overhear-truth/1', clients: { north: { file: 'north.csv', label: 'cost', id: 'id' } } }
  writeFileSync(join(folder, 'truth/truth.json'), JSON.stringify(truth))
}) // biome-ignore format: lines
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const smoker = { name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[-0.5], [1.97]], words: ['no', 'yes'] }
const bmi = { name: 'bmi', columns: ['bmi'], kind: 'continuous', values: [-2, 3] }
const ward = { name: 'ward', columns: ['ward_a', 'ward_b'], kind: 'categorical', values: [[0, 0], [0, 1], [1, 0]] } // biome-ignore format: a line

const attribute = (name: string, values: readonly number[], more: object = {}, client = 'north') => ({ kind: 'attribute', client, name, values, ...more }) // biome-ignore format: a line
const labels = (values: readonly number[], more: object = {}) => ({ kind: 'labels', client: 'north', labels: values, ...more }) // biome-ignore format: a line
const result = (claims: readonly object[], over: object = {}, score: object | null = null) => ({
  ...{ attack: 'a', status: 'claimed', findings: claims.map((claim) => ({ claim, score })) },
  ...over,
})
const audited = (attacks: readonly object[], questions: readonly object[] = []) =>
  ({ observers: [{ attacks: attacks.map((one) => ({ observer: 'server', ...one })) }], questions }) as unknown as AuditDocument // biome-ignore format: a line
const records = (audit: AuditDocument, asked: object = {}, at = folder) =>
  recordsOf(audit, at, recordsRequest.parse({ client: 'north', ...asked }))

describe('claims about records', () => {
  test('are told record by record, in words, with what is true', async () => {
    const claims = [attribute('smoker', [1, 0, 1], { confidence: [0.9, 0.5, Number.NaN] }), attribute('bmi', [2.25, -1, 0.5]), labels([9, 20, 31])] // biome-ignore format: a line
    const { client, from, total, records: found } = await records(audited([result(claims)]))
    expect([client, from, total]).toEqual(['north', 0, 3])
    expect(found.map(({ row, id }) => [row, id])).toEqual([[0, 'p1'], [1, 'p2'], [2, 'p3']]) // biome-ignore format: a list
    const told = (k: number) =>
      found[k]!.about.map(({ name, truth, claims: [one] }) => [name, truth, one!.said, one!.sure])
    expect(told(0)).toEqual([['smoker', 'yes', 'yes', 0.9], ['bmi', '2.50', '2.25', null], ['label', '10.00', '9.00', null]]) // biome-ignore format: a line
    expect(told(1)).toEqual([['smoker', 'no', 'no', 0.5], ['bmi', '-1.00', '-1.00', null], ['label', '20.50', '20.00', null]]) // biome-ignore format: a line
    expect(told(2)).toEqual([['smoker', 'no', 'yes', null], ['bmi', '0.000', '0.500', null], ['label', '30.00', '31.00', null]]) // biome-ignore format: a line
  })

  test('about values of several columns are called by them', async () => {
    const { records: found } = await records(audited([result([attribute('ward', [0, 2, 9])])]))
    expect(found.map(({ about: [one] }) => [one!.truth, one!.claims[0]!.said])).toEqual([['0.000 1.00', '0.000 0.000'], ['0.000 0.000', '1.00 0.000'], ['1.00 0.000', '9.00']]) // biome-ignore format: a line
  })

  test('are right or wrong where the score says so of something discrete', async () => {
    const graded = [result([attribute('smoker', [1, 1, 0])], {}, { perRecord: [1, 0, 0.5] }), result([attribute('bmi', [1, 1, 1])], {}, { perRecord: [1, 0, 0] })] // biome-ignore format: a line
    const { records: found } = await records(audited(graded))
    expect(found.map(({ about }) => about.map(({ claims: [one] }) => one!.right))).toEqual([[true, null], [false, null], [null, null]]) // biome-ignore format: a line
  })

  test('are told the surest first, forty of them', async () => {
    const sure = (k: number) => result([attribute('smoker', [1], { confidence: [k / 50] })], { attack: `a${k}` })
    const unsure = result([attribute('smoker', [0])], { attack: 'unsure' })
    const many = [unsure, ...Array.from({ length: 45 }, (_, k) => sure(k))]
    const { records: found } = await records(audited(many))
    const claims = found[0]!.about[0]!.claims
    expect(claims.map(({ attack }) => attack)).toEqual(Array.from({ length: 40 }, (_, k) => `a${44 - k}`))
    expect(claims[0]).toEqual({ attack: 'a44', observer: 'server', said: 'yes', sure: 0.88, right: null })
    const few = (await records(audited([unsure, sure(0)]))).records[0]!.about[0]!.claims
    expect(few.map(({ attack }) => attack)).toEqual(['a0', 'unsure'])
  })

  test('have a window, as long as the longest claim', async () => {
    const audit = audited([result([attribute('smoker', [1, 0, 1, 1, 0]), attribute('bmi', [1])])])
    const rows = async (asked: object) => (await records(audit, asked)).records.map(({ row }) => row)
    expect(await rows({})).toEqual([0, 1, 2, 3, 4])
    expect(await rows({ from: 1, count: 2 })).toEqual([1, 2])
    expect(await rows({ from: 4, count: 2 })).toEqual([4])
    expect(await rows({ from: 9 })).toEqual([])
    // Beyond the table nothing is known, and a claim that ends before says nothing.
    const [last] = (await records(audit, { from: 4 })).records
    expect(last).toMatchObject({ id: '4', about: [{ name: 'smoker', truth: null }, { name: 'bmi', truth: null, claims: [] }] }) // biome-ignore format: a line
  })

  test('are those of all of its records, not told before, that an attack stands by', async () => {
    const own = attribute('smoker', [1])
    const audit = audited([
      result([own], { attack: 'first' }),
      result([own], { attack: 'same', sameAs: 'eavesdropper' }),
      result([own], { attack: 'failed', status: 'failed' }),
      result([labels([1], { round: 3 }), labels([1], { once: true }), { kind: 'model', client: 'west' }]),
      result([attribute('smoker', [1], {}, 'south')]),
    ])
    expect(clientsWithClaims(audit)).toEqual(['north', 'south'])
    const { records: found } = await records(audit)
    expect(found[0]!.about.map(({ name, claims }) => [name, claims.map(({ attack }) => attack)])).toEqual([['smoker', ['first']]]) // biome-ignore format: a line
    await expect(records(audit, { client: 'west' })).rejects.toThrow('nothing was claimed of the records of client "west"') // biome-ignore format: a line
  })

  test('say whom the audit calls given away', async () => {
    const question = (over: object) => ({ target: 'north', name: 'smoker', kind: 'attribute', exposed: { ids: ['p2'] }, ...over }) // biome-ignore format: a line
    const questions = [
      question({}),
      question({ exposed: { ids: ['p3'] } }),
      question({ target: 'south', exposed: { ids: ['p1'] } }),
      question({ exposed: null }),
      question({ name: null, kind: 'labels', exposed: { ids: ['p1'] } }),
    ]
    const audit = audited([result([attribute('smoker', [1, 1, 1]), labels([1, 1, 1])])], questions)
    const { records: found } = await records(audit)
    expect(found.map(({ about }) => about.map(({ exposed }) => exposed))).toEqual([[false, true], [true, false], [true, false]]) // biome-ignore format: a line
  })

  test('without a truth are called by their places', async () => {
    const claims = [attribute('smoker', [1]), attribute('age', [0.25])]
    const bare = join(folder, 'bare')
    const [first] = (await records(audited([result(claims)]), {}, bare)).records
    expect(first).toMatchObject({ row: 0, id: '0', about: [{ truth: null, claims: [{ said: '1.00' }] }, { truth: null, claims: [{ said: '0.250' }] }] }) // biome-ignore format: a line
    // What nobody said is sensitive, or whose columns are not there, has no truth.
    const known = (await records(audited([result(claims)]))).records[0]!
    expect(known.about.map(({ truth }) => truth)).toEqual(['yes', null])
  })
})
