import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditDocument } from '../../audit/document.js'
import { OverhearError } from '../../errors.js'
import { adviceBeside, keepAdvice, readAdvice } from './advice-file.js'
import { auditedAt, madeOf, readAudit } from './audit-file.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overhear-documents-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const at = (...names: string[]) => join(root, ...names)
const write = (file: string, value: unknown) => {
  writeFileSync(at(file), typeof value === 'string' ? value : JSON.stringify(value))
  return at(file)
}

const document = { questions: [], observers: [], verdict: {}, utility: {} }

describe('the document of an audit', () => {
  test('is read from a file, or from the folder of a run', () => {
    mkdirSync(at('run'))
    write('run/audit.json', document)
    expect(readAudit(at('run'))).toEqual(document)
    expect(readAudit(at('run/audit.json'))).toEqual(document)
    utimesSync(at('run/audit.json'), 1000, 2000)
    expect([at('run'), at('run/audit.json')].map((path) => auditedAt(path).getTime())).toEqual([2e6, 2e6])
  })

  test('has all that a report needs', () => {
    for (const [
      key,
      wrong,
    ] of [['questions', {}], ['observers', null], ['verdict', []], ['verdict', 'x'], ['utility', null]] as const) // biome-ignore format: a line
      expect(() => readAudit(write('wrong.json', { ...document, [key]: wrong }))).toThrow(
        /wrong\.json is no document of an audit; give the folder of a run, such as /,
      )
    for (const value of ['null', '3', '[]'])
      expect(() => readAudit(write('wrong.json', value))).toThrow('is no document')
    expect(() => readAudit(write('wrong.json', '{'))).toThrow(/wrong\.json: .*JSON.*; give the folder/)
    expect(() => readAudit(at('none'))).toThrow(/none: there is no such file; give the folder/)
    mkdirSync(at('bare'))
    expect(() => readAudit(at('bare'))).toThrow(/bare\/audit\.json: there is no such file/)
    mkdirSync(at('bare/audit.json'))
    expect(() => readAudit(at('bare'))).toThrow("is a folder; an audit's document is needed")
  })

  test('that lacks something is of another version; other errors are what they are', () => {
    expect(madeOf('p', () => 3)).toBe(3)
    const failing = (error: Error) => () =>
      madeOf('p', () => {
        throw error
      })
    expect(failing(new TypeError('x is undefined'))).toThrow(
      /^p: x is undefined; it was not written by this version; audit again$/,
    )
    expect(failing(new RangeError('x'))).toThrow(RangeError)
    expect(failing(new OverhearError('E_VALUE', 'x'))).toThrow(/^x$/)
  })
})

describe('advice', () => {
  const scenario = { name: 'a', data: { name: 'd' }, partition: { name: 'iid' }, models: [1], training: { rounds: 3 }, defences: [] } // biome-ignore format: a line
  const audit = { scenario } as unknown as AuditDocument
  const advice = { tried: [], front: [], asItIs: null, scenario: { ...scenario, name: 'b', attacks: [] } } as never

  test('is kept for its owner alone, and read back', () => {
    mkdirSync(at('advised'))
    expect(adviceBeside(at('advised'), audit)).toBeUndefined()
    const file = keepAdvice(at('advised'), advice)
    expect(file).toBe(at('advised/advice.json'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const path of [file, at('advised')]) expect(readAdvice(path, audit)).toEqual(advice)
    expect(adviceBeside(at('advised'), audit)).toEqual(advice)
    expect(adviceBeside(file, audit)).toBeUndefined()
    expect(adviceBeside(at('nowhere'), audit)).toBeUndefined()
    expect(() => keepAdvice(at('nowhere'), advice)).toThrow(/nowhere\/advice\.json is not there/)
  })

  test('is about the same federation', () => {
    const read = (over: object) => () => readAdvice(write('advice.json', { ...(advice as object), ...over }), audit)
    for (const key of ['data', 'partition', 'models', 'training', 'defences'])
      expect(read({ scenario: { ...scenario, [key]: 'other' } }), key).toThrow('is about another federation; advise on')
    expect(read({ scenario: null })).toThrow('is about another federation')
    expect(read({ scenario: { ...scenario, seed: 7 } })).not.toThrow()
    const recorded = { scenario: null } as AuditDocument
    expect(() => readAdvice(write('advice.json', { tried: [], front: [], asItIs: {}, scenario: null }), recorded)).toThrow('is about another federation') // biome-ignore format: a line
  })

  test('has what a report shows', () => {
    for (const wrong of [{ tried: {} }, { front: null }, { asItIs: 3 }])
      expect(() => readAdvice(write('advice.json', { ...(advice as object), ...wrong }), audit)).toThrow(
        'advice.json is no advice; give what "overhear advise" has written',
      )
    expect(() => readAdvice(write('advice.json', 'null'), audit)).toThrow('is no advice')
    expect(() => readAdvice(write('advice.json', '['), audit)).toThrow(/advice\.json: .*; give what/)
    expect(() => readAdvice(at('nowhere'), audit)).toThrow('nowhere: there is no such file; give what')
    mkdirSync(at('odd/advice.json'), { recursive: true })
    expect(() => readAdvice(at('odd'), audit)).toThrow('is a folder; advice is needed')
  })
})
