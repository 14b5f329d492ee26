import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { check, distinct, shown, some } from './validate.js'

const person = z.looseObject({ name: z.string().min(1), age: z.number().min(0).lt(150).optional() })
const schema = z.looseObject({
  list: z.array(person).max(3).default([]),
  table: z.record(z.string(), person).optional(),
  either: z.union([z.literal('all'), z.array(z.string()).min(1), person]).optional(),
  kind: z.discriminatedUnion('is', [z.looseObject({ is: z.literal('a'), n: z.int() }), z.looseObject({ is: z.literal('b') })]).nullable().optional(), // biome-ignore format: a line
  free: z.object({ known: z.number() }).catchall(z.any()).optional(),
  level: z.number().max(5).gt(1).optional(),
  id: z.string().regex(/^x/).optional(),
  flag: z.boolean().optional(),
})

describe('a fault is told with its place, what was found and what is allowed', () => {
  test.each([
    [7, 'f: the whole is 7; allowed: an object'],
    [{ list: 1 }, 'f: list is 1; allowed: a list'],
    [{ list: [{ name: 'a' }, {}] }, 'f: list[1].name is missing; allowed: a string'],
    [{ list: [{ name: '' }] }, 'f: list[0].name is ""; allowed: at least 1 long'],
    [{ list: [{ name: 'a', age: -1 }] }, 'f: list[0].age is -1; allowed: a number from 0'],
    [{ list: [{ name: 'a', age: 150 }] }, 'f: list[0].age is 150; allowed: a number below 150'],
    [{ list: [{}, {}, {}, {}] }, 'f: list'],
    [{ list: Array.from({ length: 4 }, () => ({ name: 'a' })) }, 'f: list is a list of 4; allowed: at most 3 long'],
    [{ table: { x: { name: null } } }, 'f: table.x.name is null; allowed: a string'],
    [{ either: 3 }, 'f: either is 3; allowed: "all", or a list, or an object'],
    [{ either: [] }, 'f: either is a list of 0; allowed: at least 1 long'],
    [{ either: ['a', 5] }, 'f: either[1] is 5; allowed: a string'],
    [{ either: { name: 2 } }, 'f: either.name is 2; allowed: a string'],
    [{ kind: { is: 'c' } }, 'f: kind.is is "c"; allowed: "a", "b"'],
    [{ kind: { is: 'a', n: 1.5 } }, 'f: kind.n is 1.5; allowed: a whole number'],
    [{ kind: 4 }, 'f: kind is 4; allowed: an object'],
    [{ level: 6 }, 'f: level is 6; allowed: a number up to 5'],
    [{ level: 1 }, 'f: level is 1; allowed: a number above 1'],
    [{ level: Number.NaN }, 'f: level is null; allowed: a finite number'],
    [{ id: 'y' }, 'f: id is "y"; allowed: a string that matches /^x/'],
    [{ flag: {} }, 'f: flag is an object; allowed: true or false'],
  ])('%j', (value, message) => {
    expect(() => check(schema, value, 'f')).toThrow(message)
  })

  test('briefly, and without what a terminal would obey', () => {
    expect(shown('x'.repeat(200))).toBe(`"${'x'.repeat(99)}...`)
    expect(shown('x'.repeat(98))).toBe(`"${'x'.repeat(98)}"`)
    expect(shown('x'.repeat(99))).toBe(`"${'x'.repeat(99)}...`)
    expect(shown(undefined)).toBe('missing')
    expect(shown('\u001b')).toBe('"\\u001b"')
    expect(() => check(schema, { table: { ['k'.repeat(90)]: 1 } }, 'f')).toThrow(`f: table.${'k'.repeat(80)} is 1`)
    expect(() => check(schema, { table: { 'a\u0007b': 1 } }, 'f')).toThrow('f: table.a\\u0007b is 1')
  })
})

describe('a key that nobody knows is kept, and warned of', () => {
  const warned = (value: object) => check(schema, value, 'f').warnings
  const ignored = (path: string, meant = '') => `f: unknown key ${path} is kept and ignored${meant}`

  test.each([
    [{ lists: [] }, [ignored('lists', ' (did you mean "list"?)')]],
    [{ list: [{ name: 'a' }, { name: 'b', agee: 1 }] }, [ignored('list[1].agee', ' (did you mean "age"?)')]],
    [{ table: { x: { name: 'a', other: 1 } } }, [ignored('table.x.other')]],
    [{ either: { name: 'a', other: 1 } }, [ignored('either.other')]],
    [{ either: 'all' }, []],
    [{ kind: { is: 'b', number: 1 } }, [ignored('kind.number')]],
    [{ kind: { is: 'a', n: 1 } }, []],
    [{ kind: null }, []],
    [{ free: { known: 1, whatever: { list: 1 } } }, []],
  ] as [object, string[]][])('%j', (value, expected) => {
    expect(warned(value)).toEqual(expected)
  })

  test('the value keeps it', () => {
    expect(check(schema, { more: 1 }, 'f').value).toEqual({ list: [], more: 1 })
  })

  test('up to twenty times', () => {
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`zzzzzz${i}`, i]))
    expect(warned(many(20))).toHaveLength(20)
    expect(warned(many(20)).at(-1)).toBe(ignored('zzzzzz19'))
    expect(warned(many(21))).toHaveLength(21)
    expect(warned(many(50)).slice(19)).toEqual([ignored('zzzzzz19'), 'f: more unknown keys follow'])
  })
})

test('some of many names', () => {
  const names = Array.from({ length: 21 }, (_, i) => `n${i}`)
  expect(some(names)).toBe(names.slice(0, 20).join(', '))
  expect(some(['x'.repeat(40), 'x'.repeat(41)])).toBe(`${'x'.repeat(40)}, ${'x'.repeat(40)}...`)
  expect(some(['a\nb'])).toBe('a\\u000ab')
})

test('names that occur twice are refused', () => {
  expect(() => distinct(['a', 'b'], { key: 'columns', where: 'f' })).not.toThrow()
  expect(() => distinct(['a', 'b', 'a'], { key: 'columns', where: 'f' })).toThrow(
    'f: columns holds "a" twice; keep one',
  )
})
