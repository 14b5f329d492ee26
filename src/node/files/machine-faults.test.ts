import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { faultOf, machineFault, systemCode } from './machine-faults.js'
import { requireRegular } from './regular-file.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-faults-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const withCode = (code: unknown, more = {}) => Object.assign(new Error('said'), { code, ...more })

describe('the code of the system', () => {
  test('is what an error brings, and no code of Node', () => {
    expect([systemCode(withCode('ENOENT')), systemCode(withCode('E2BIG'))]).toEqual(['ENOENT', 'E2BIG'])
    for (const other of [withCode('ERR_X'), withCode('enoent'), withCode('xENOENT'), withCode(2), new Error('ENOENT')])
      expect(systemCode(other)).toBeUndefined()
    expect(systemCode({ code: 'ENOENT' })).toBeUndefined()
    expect(systemCode(undefined)).toBeUndefined()
  })
})

describe('a fault of the machine', () => {
  test('names the file and what to do', () => {
    expect((faultOf(withCode('EROFS'), '/x') as Error).message).toBe(
      '/x cannot be written: the file system is read-only; take another place',
    )
    expect((faultOf(withCode('EXDEV'), '/x') as Error).message).toBe(
      '/x could not be used: EXDEV; look at it and at the disk',
    )
    expect(faultOf(withCode('EROFS'), '/x')).toMatchObject({ code: 'E_INPUT' })
  })

  test('has a path of at most 200 signs', () => {
    const told = (length: number) => (faultOf(withCode('EISDIR'), 'p'.repeat(length)) as Error).message
    expect(told(200)).toBe(`${'p'.repeat(200)} is a folder; name a file`)
    expect(told(201)).toBe(`${'p'.repeat(200)}... is a folder; name a file`)
  })

  test('is no other error', () => {
    for (const other of [new Error('x'), new OverhearError('E_VALUE', 'x'), 'x', undefined]) {
      expect(faultOf(other, '/x')).toBe(other)
      expect(machineFault(other)).toBe(other)
    }
  })
})

describe('what ended a command', () => {
  test.each([
    ['a thread without memory', withCode('ERR_WORKER_OUT_OF_MEMORY')],
    ['a string that is too long', new RangeError('Invalid string length')],
    ['an array that is', new RangeError('Invalid typed array length: 9')],
    ['a map that is', new RangeError('Map maximum size exceeded')],
  ])('is too little memory: %s', (_, error) => {
    expect(machineFault(error)).toMatchObject({
      code: 'E_VALUE',
      message: `this needs more memory than there is (${error.message}); take fewer --workers, fewer records or a smaller model`,
    })
  })

  test('is a thread that does not start, or a file', () => {
    expect(machineFault(withCode('ERR_WORKER_INIT_FAILED'))).toMatchObject({
      message: 'a thread could not be started: said; take fewer --workers',
    })
    expect(machineFault(withCode('ENOENT', { path: '/y' }))).toMatchObject({ message: '/y is not there; look at the name' })
    expect(machineFault(withCode('ENOENT'))).toMatchObject({ message: 'a file is not there; look at the name' })
  }) // biome-ignore format: lines

  test('is a bug where memory is not the reason', () => {
    for (const bug of [new RangeError('Maximum call stack size exceeded'), new TypeError('Invalid string length')])
      expect(machineFault(bug)).toBe(bug)
  })
})

test('a file that can be read to its end is neither a folder nor a device, and is there', () => {
  writeFileSync(join(root, 'file'), '')
  requireRegular(join(root, 'file'), 'a text')
  expect(() => requireRegular(root, 'a text')).toThrow(`${root} is a folder; a text is needed`)
  expect(() => requireRegular('/dev/null', 'a text')).toThrow('/dev/null is no regular file; a text is needed')
  expect(() => requireRegular(join(root, 'none'), 'a text')).toThrow(`${join(root, 'none')} is not there; look at the name`)
}) // biome-ignore format: a line
