import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeWithShared, sharedFolder, vector } from './shared.js'

describe('a made-up folder', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shared-'))
    mkdirSync(join(folder, 'vectors'))
    writeFileSync(join(folder, 'vectors', 'a_first.json'), '{"x": [1, 2]}')
    writeFileSync(join(folder, 'vectors', 'b_one.json'), '1')
    writeFileSync(join(folder, 'vectors', 'b_two.json'), '2')
    vi.stubEnv('OVERHEAR_SHARED', folder)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })

  test('is found by the variable', () => {
    expect(sharedFolder()).toBe(resolve(folder))
    vi.stubEnv('OVERHEAR_SHARED', join(folder, 'absent'))
    expect(sharedFolder()).toBeUndefined()
  })

  test('gives vectors by letter, and errors when they are not there', () => {
    expect(vector('a')).toEqual({ x: [1, 2] })
    expect(() => vector('z')).toThrow(/vector "z": found no file in .*; known: a_first.json, b_one.json, b_two.json/)
    expect(() => vector('b')).toThrow(/found b_one.json and b_two.json/)
    expect(() => vector('')).toThrow(/found no file/)
    rmSync(join(folder, 'vectors'), { recursive: true })
    expect(() => vector('a')).toThrow(/known: none/)
  })
})

describeWithShared('the vectors', () => {
  test.each([...'abcdefghijklmn'])('%s is there', (letter) => {
    expect(typeof vector(letter)).toBe('object')
  })
})
