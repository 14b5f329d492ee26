import { describe, expect, test } from 'vitest'
import type { AuditDocument } from '../audit/document.js'
import { readLine } from './trial-line.js'
import { resultOf, trialResultSchema } from './trial-result.js'

const question = {
  ...{ observer: 'server', target: '0', model: 'm', kind: 'labels', name: null, level: 'none-found', notTested: null },
  ladder: { metric: 'AUC', better: 'higher', guess: 0.5, federation: null, client: 0.6, record: 0.75, everybody: Number.NaN }, // biome-ignore format: a line
  test: { record: { effect: 0.25, adjusted: 0.01 } },
}
const attack = {
  ...{ attack: 'a', params: { steps: 3 }, observer: 'server', target: null, model: 'm', oracle: false },
  ...{ status: 'claimed', error: undefined },
  findings: [
    { claim: { kind: 'labels', name: 'union' }, score: { metric: 'AUC', better: 'higher', value: 0, chance: 0.5, lift: -1 } }, // biome-ignore format: a line
    { claim: { kind: 'model' }, score: null },
  ],
}
const audited = (over: object = {}) =>
  resultOf({
    ...{ hash: 'h', verdict: { level: 'none-found', tested: 1, notTested: 0 }, questions: [question] },
    ...{ observers: [{ attacks: [attack] }], utility: {}, diverged: {}, ...over },
  } as unknown as AuditDocument)

describe('what is kept of an audit', () => {
  test('is a row for each question, with numbers that JSON has', () => {
    const [row] = audited().questions
    expect(row).toMatchObject({ observer: 'server', guess: 0.5, federation: null, client: 0.6, record: 0.75 })
    expect(row).toMatchObject({ everybody: null, recordStep: 0.25, recordP: 0.01, clientStep: null, clientP: null })
    expect(audited()).toMatchObject({ hash: 'h', level: 'none-found', tested: 1, notTested: 0 })
  })

  test('is told once where another observer learns the same', () => {
    const copied = audited({
      questions: [{ ...question, sameAs: 'eavesdropper' }, question],
      observers: [{ attacks: [{ ...attack, sameAs: 'eavesdropper' }] }, { attacks: [{ ...attack, attack: 'b' }] }],
    })
    expect(copied.questions).toHaveLength(1)
    expect(copied.scores.map((row) => row.attack)).toEqual(['b', 'b'])
  })

  test('is a row for each finding, graded or not', () => {
    const about = { observer: 'server', attack: 'a', params: '{"steps":3}', target: null, model: 'm', oracle: false, status: 'claimed' } // biome-ignore format: a line
    expect(audited().scores).toEqual([
      { ...about, kind: 'labels', name: 'union', metric: 'AUC', better: 'higher', value: 0, chance: 0.5, lift: -1, reason: null }, // biome-ignore format: a line
      { ...about, kind: 'model', name: null, metric: null, better: null, value: null, chance: null, lift: null, reason: null }, // biome-ignore format: a line
    ])
  })

  test('is one row of an attack that found nothing, and none where it does not apply', () => {
    const failed = { ...attack, status: 'failed', findings: [], error: { message: 'it broke' } }
    const empty = { ...attack, status: 'nothing', findings: [] }
    const apart = { ...attack, status: 'not-applicable', findings: [] }
    const { scores } = audited({ observers: [{ attacks: [failed, apart, empty] }] })
    expect(scores.map(({ status, reason, kind, value }) => [status, reason, kind, value])).toEqual([
      ['failed', 'it broke', null, null],
      ['nothing', null, null, null],
    ])
  })

  test('says what each model is worth, and where its training went', () => {
    const worth = { rounds: 3, trainLoss: Number.POSITIVE_INFINITY, heldOutLoss: 0, metric: 'R2', value: undefined }
    const { utility } = audited({ utility: { a: worth, b: { ...worth, value: 0.5 } }, diverged: { a: 2 } })
    expect(utility).toEqual([
      { model: 'a', rounds: 3, trainLoss: null, heldOutLoss: 0, metric: 'R2', value: null, diverged: 2 },
      { model: 'b', rounds: 3, trainLoss: null, heldOutLoss: 0, metric: 'R2', value: 0.5, diverged: null },
    ])
  })
})

test('nothing tested and nothing left out are counts, less is none', () => {
  const result = { hash: '', level: '', tested: 0, notTested: 0, questions: [], scores: [], utility: [] }
  expect(trialResultSchema.parse(result)).toEqual(result)
  for (const wrong of [{ tested: -1 }, { notTested: -1 }, { tested: 0.5 }])
    expect(() => trialResultSchema.parse({ ...result, ...wrong })).toThrow()
})

test('a line of a log is read with the seed 0, and one of another format is none', () => {
  const line = { format: 'overhear-trial/1', id: 'a'.repeat(64), seed: 0, at: {}, result: null, reason: 'x', took: { seconds: null, attempts: 0, worker: null } } // biome-ignore format: a line
  expect(readLine(JSON.stringify(line), 'w')).toEqual(line)
  for (const wrong of [{ seed: -1 }, { id: 'a' }, { took: { ...line.took, attempts: -1 } }])
    expect(() => readLine(JSON.stringify({ ...line, ...wrong }), 'line 3')).toThrow('line 3')
  for (const other of ['null', '3', '{}', JSON.stringify({ ...line, format: 'overhear-trial/2' })])
    expect(readLine(other, 'w')).toBeUndefined()
  expect(() => readLine('{', 'line 3')).toThrow('line 3 is not JSON; delete that line, and its trial is run again')
})
