import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mostBytes, tableLimits } from './table-limits.js'

const names = ['BYTES', 'ROWS', 'COLUMNS', 'CELLS'].map((name) => `OVERHEAR_MAX_${name}`)
const kept = names.map((name) => process.env[name])
const set = (values: Readonly<Record<string, string>>) => Object.assign(process.env, values)
const clear = () => {
  for (const name of names) delete process.env[name]
}
beforeEach(clear)
afterEach(() => {
  clear()
  for (const [i, name] of names.entries()) if (kept[i] !== undefined) process.env[name] = kept[i]
})

describe('a table', () => {
  test('may be as large as is usual', () => {
    expect(mostBytes()).toBe(2 ** 29)
    const { take, rows } = tableLimits('t.csv')
    take(2 ** 29)
    expect(() => take(1)).toThrow(
      't.csv holds more than 536870912 bytes of text; at most 536870912 are read; set OVERHEAR_MAX_BYTES where the machine has room for more',
    )
    rows(10_000_000, 5)
    rows(5_000, 10_000)
    expect(() => rows(10_000_001, 1)).toThrow('t.csv holds more than 10000000 rows')
    expect(() => rows(1, 10_001)).toThrow('t.csv holds more than 10000 columns')
    expect(() => rows(10_000_000, 6)).toThrow('t.csv holds more than 50000000 cells')
  })

  test('or as large as somebody says', () => {
    set({ OVERHEAR_MAX_BYTES: '10', OVERHEAR_MAX_ROWS: '3', OVERHEAR_MAX_COLUMNS: '4', OVERHEAR_MAX_CELLS: '8' })
    expect(mostBytes()).toBe(10)
    const { take, rows } = tableLimits('t.csv')
    take(4)
    take(6)
    expect(() => take(1)).toThrow('more than 10 bytes of text')
    rows(3, 2)
    rows(2, 4)
    expect(() => rows(4, 1)).toThrow('more than 3 rows')
    expect(() => rows(1, 5)).toThrow('more than 4 columns')
    expect(() => rows(3, 3)).toThrow('more than 8 cells')
    expect(() => rows(4, 5)).toThrow('columns')
  })

  test('by a whole number from 1', () => {
    set({ OVERHEAR_MAX_BYTES: '' })
    expect(mostBytes()).toBe(2 ** 29)
    set({ OVERHEAR_MAX_BYTES: '1' })
    expect(mostBytes()).toBe(1)
    for (const text of ['0', '-1', '1.5', 'x', '1e300']) {
      set({ OVERHEAR_MAX_BYTES: text })
      expect(mostBytes).toThrow(`OVERHEAR_MAX_BYTES is "${text}"; a whole number from 1 is needed`)
      expect(() => tableLimits('t')).toThrow('OVERHEAR_MAX_BYTES')
    }
  })
})
