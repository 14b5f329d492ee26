import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import '../audit/catalogue.js'
import { readSetting, readSettings } from './read-settings.js'
import type { SettingValue } from './setting.js'
import { sectionSchema, valueSchema } from './value-schema.js'

const doc = 'words'
const declared = {
  rate: { kind: 'number', default: 0.5, above: 0, below: 2, doc },
  count: { kind: 'number', default: 3, min: 1, max: 4, whole: true, doc },
  none: { kind: 'number', default: null, min: 0, orNull: 'nothing', doc },
  list: { kind: 'numbers', default: [1], min: 0, doc },
  choice: { kind: 'choice', default: 'a', choices: ['a', 'b'], doc },
  text: { kind: 'text', default: 'x', pattern: /^x/, doc },
  flag: { kind: 'flag', default: false, doc },
  model: { kind: 'name', table: 'partition', default: 'iid', doc },
  one: { kind: 'entry', table: 'partition', default: { name: 'iid', params: {} }, doc },
  many: { kind: 'entries', table: 'partition', default: [], doc },
  each: { kind: 'by client', table: 'partition', default: {}, doc },
  texts: { kind: 'texts', words: ['all'], default: 'all', doc },
  some: { kind: 'texts', words: [], least: 1, table: 'partition', default: ['iid'], doc },
  params: { kind: 'params', default: {}, doc },
  other: { kind: 'other', default: 1, doc },
} as unknown as Readonly<Record<string, SettingValue>>
const iid = { name: 'iid', params: { clients: 3 } }

describe('values by a program', () => {
  test('have defaults, and unknown names are refused with the nearest', () => {
    const known = { rate: { value: declared.rate! }, many: { value: declared.many! } } as never
    expect(readSettings(known, {}, 'it')).toEqual({ rate: 0.5, many: [] })
    expect(readSettings(known, { rate: 1 }, 'it')).toEqual({ rate: 1, many: [] })
    expect(() => readSettings(known, { rat: 1 }, 'it')).toThrow('rate')
    expect(() => readSettings(known, { rate: 2 }, 'it')).toThrow('it: rate')
  })

  test.each([
    ['model', 'iid', 'iid'],
    ['one', iid, iid],
    ['one', { name: 'iid' }, { name: 'iid', params: {} }],
    ['many', [iid], [iid]],
    ['each', { a: iid }, { a: iid }],
    ['texts', 'all', 'all'],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['params', { a: 1 }, { a: 1 }],
    ['other', [5], [5]],
    ['flag', true, true],
  ])('%s may be %j', (key, value, expected) => expect(readSetting(declared[key]!, value, 'here')).toEqual(expected))

  test.each([
    ['model', 'idd', 'iid'],
    ['one', null, 'here is null; name, and params'],
    ['one', 'iid', 'here is "iid"'],
    ['one', { name: 5 }, 'here is {"name":5}'],
    ['one', { name: 'iid', params: { clientz: 1 } }, 'clientz'],
    ['many', iid, 'a list is needed'],
    ['many', [iid, 5], 'here[1] is 5'],
    ['each', 5, 'an object is needed'],
    ['each', null, 'here is null; an object is needed'],
    ['each', { a: 5 }, 'here.a is 5'],
    ['texts', 'some', '"all" or a list of texts is needed'],
    ['texts', ['a', 1], 'here is ["a",1]'],
    ['flag', 1, 'here'],
  ])('%s may not be %j', (key, value, words) => {
    expect(() => readSetting(declared[key]!, value, 'here')).toThrow(words)
  })
})

test.each([
  ['rate', [1, 0.001, 1.999], [0, 2, '1', null]],
  ['count', [1, 4], [0, 5, 1.5]],
  ['none', [null, 0], [-1]],
  ['list', [[], [0, 2]], [[-1], 1]],
  ['choice', ['a', 'b'], ['c']],
  ['text', ['x', 'xy'], ['y', null]],
  ['flag', [true], [1]],
  ['model', ['iid', 'anything'], ['', 5]],
  ['one', [iid, { name: 'iid' }], [{}, { name: '' }, 'iid']],
  ['many', [[], [iid]], [iid]],
  ['each', [{}, { a: iid }], [[], { a: 5 }]],
  ['texts', ['all', [], ['a']], ['some', [1]]],
  ['some', [['a']], [[], 'a', ['']]],
  ['params', [{ a: 1 }], [5]],
  ['other', [1, null, 'x'], []],
])('a file may give %s as %j and not as %j', (key, right, wrong) => {
  const schema = valueSchema(declared[key]!)
  for (const value of right) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(true)
  for (const value of wrong) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(false)
})

test('a section has defaults, and editors are told the names of a table', () => {
  const schema = sectionSchema(Object.fromEntries(Object.entries(declared).map(([key, value]) => [key, { value }])) as never) // biome-ignore format: a line
  expect(schema.parse({})).toMatchObject({ rate: 0.5, none: null, one: { name: 'iid', params: {} }, texts: 'all' })
  expect(schema.parse({ rate: 1, extra: 2 })).toMatchObject({ rate: 1, extra: 2 })
  const told = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))
  expect(told).toContain('"iid"')
  expect(told).toContain('which partition')
})
