import { describe, expect, test } from 'vitest'
import { lookup, nearest, OverhearError } from './errors.js'
import { choice, flag, number, numbers, type Param, readParam, text, whole, wordsOf } from './params.js'
import { add, aKind, builtIn, chosen, find, type Kind, kindOfTable, namesIn, originOf, removeFrom, table, tableChanges, tableOf } from './registry.js' // biome-ignore format: a line

const doc = 'words'
const read = (param: Param, value: unknown) => readParam(param, value, 'x')
const refusal = (param: Param, value: unknown): string => {
  try {
    read(param, value)
  } catch (error) {
    return (error as Error).message
  }
  return 'allowed'
}

describe('a number', () => {
  test('may be either end of from and up to, and neither of above and below', () => {
    const closed = number({ default: 1, min: 1, max: 3, doc })
    expect([1, 3, '2.5'].map((value) => read(closed, value))).toEqual([1, 3, 2.5])
    for (const value of [0.999, 3.001, '0', Number.NaN, Number.POSITIVE_INFINITY, null, '', ' ', true, [1]]) expect(refusal(closed, value)).toContain('; a number from 1 up to 3 is needed') // biome-ignore format: a line
    const open = number({ default: 1, above: 0, below: 1, doc })
    expect(read(open, 0.5)).toBe(0.5)
    for (const value of [0, 1]) expect(refusal(open, value)).toBe(`x is ${value}; a number above 0 below 1 is needed`)
    expect(refusal(number({ default: 1, doc }), 'a')).toBe('x is "a"; a number is needed')
    expect(read(number({ default: 1, doc }), -1e300)).toBe(-1e300)
  })
  test('may be whole, and null where that means something', () => {
    const some = whole({ default: null, min: 0, orNull: 'all of them', doc })
    expect([0, '7', null, 'null'].map((value) => read(some, value))).toEqual([0, 7, null, null])
    expect(refusal(some, 1.5)).toBe('x is 1.5; a whole number from 0 or null (all of them) is needed')
    expect(refusal(whole({ default: 1, doc }), 'null')).toBe('x is "null"; a whole number is needed')
    expect([wordsOf(some), wordsOf({ doc })]).toEqual(['words; null: all of them', 'words'])
  })
  test('of a list is told by its place', () => {
    const list = numbers({ default: [], max: 5, doc })
    expect([read(list, '1,2'), read(list, 3), read(list, []), read(list, ['4', 5])]).toEqual([[1, 2], [3], [], [4, 5]])
    expect(refusal(list, [1, 6])).toBe('x[1] is 6; a number up to 5 is needed')
    expect(refusal(list, '1,')).toBe('x[1] is ""; a number up to 5 is needed')
    expect(refusal(list, true)).toBe('x is true; a list of numbers is needed')
  })
})

test('words: one of a few, any text, text that a pattern fits, null', () => {
  const one = choice({ default: 'a', choices: ['a', 'b'], doc })
  expect([read(one, 'b'), refusal(one, 'c'), refusal(one, undefined)]).toEqual(['b', 'x is "c"; one of a, b is needed', 'x is undefined; one of a, b is needed']) // biome-ignore format: a line
  const plain = text({ default: '', doc })
  expect([read(plain, ''), refusal(plain, 1), refusal(plain, null)]).toEqual(['', 'x is 1; text is needed', 'x is null; text is needed']) // biome-ignore format: a line
  const fitting = text({ default: null, pattern: /^a+$/, orNull: 'none', doc })
  expect([read(fitting, 'aa'), read(fitting, null), refusal(fitting, 'b')]).toEqual(['aa', null, 'x is "b"; /^a+$/ must match']) // biome-ignore format: a line
  const yes = flag({ default: true, doc })
  expect([true, 'true', false, 'false'].map((value) => read(yes, value))).toEqual([true, true, false, false])
  expect([refusal(yes, 'no'), refusal(yes, 0)]).toEqual(['x is "no"; true or false is needed', 'x is 0; true or false is needed']) // biome-ignore format: a line
})

describe('names', () => {
  test('that are not known are answered with the nearest, if it is near enough', () => {
    const known = { alpha: 1, beta: 2, gamma: 3 }
    expect(lookup(known, 'beta', 'thing')).toBe(2)
    expect(() => lookup(known, 'bta', 'thing')).toThrow('unknown thing: "bta" (did you mean "beta"?); known: alpha, beta, gamma') // biome-ignore format: a line
    expect(() => lookup(known, 'omega-minus', 'thing')).toThrow('unknown thing: "omega-minus"; known: alpha, beta, gamma') // biome-ignore format: a line
    expect(() => lookup(known, 'toString', 'thing')).toThrow(OverhearError)
  })
  test('are near by the fewest edits', () => {
    expect(nearest('seed', ['speed', 'need', 'weeds'])).toBe('speed')
    expect(nearest('rounds', ['round', 'rounds'])).toBe('rounds')
    expect([nearest('x', []), nearest('', ['abcdef'])]).toEqual([undefined, undefined])
    expect([nearest('ABC', ['abd', 'abc']), nearest('abc', ['abd', 'abe'])]).toEqual(['abc', 'abd'])
    // Two edits of a short name, a third of a longer one.
    expect([nearest('abc', ['ayz']), nearest('abc', ['xyz'])]).toEqual(['ayz', undefined])
    expect([nearest('abcdefghi', ['abcdefxyz']), nearest('abcdefghi', ['abcdewxyz'])]).toEqual(['abcdefxyz', undefined])
    expect([nearest('abc', ['abcde']), nearest('abc', ['abcdef']), nearest('abcde', ['cde'])]).toEqual(['abcde', undefined, 'cde']) // biome-ignore format: a line
  })
})

describe('a table', () => {
  const entry = (id: string) => ({ id, title: 't', params: { size: whole({ default: 2, min: 1, doc }) } })
  const made = table('generator', [entry('one'), entry('two')])

  test('has its entries in their order, and tells what they are called', () => {
    expect([Object.keys(made), namesIn('generator'), kindOfTable(made)]).toEqual([['one', 'two'], ['one', 'two'], 'generator']) // biome-ignore format: a line
    expect(tableOf('generator')).toBe(made)
    expect([aKind('attack'), aKind('dataset'), aKind('observer')]).toEqual(['an attack', 'a dataset', 'an observer'])
    // Of all kinds that there are, another test of this thread may have loaded the table.
    const unloaded = 'gadget' as Kind
    expect(() => tableOf(unloaded)).toThrow('internal: the table of gadgets was never loaded')
    expect(namesIn(unloaded)).toEqual([])
  })

  test('finds an entry, and reads its parameters', () => {
    expect(find(made, 'one')).toBe(made.one)
    expect(() => find(made, 'oen')).toThrow('unknown generator: "oen" (did you mean "one"?)')
    expect(chosen(made, { name: 'two', size: '5' } as never)).toEqual({ entry: made.two, values: { size: 5 } })
    expect(chosen(made, { name: 'two' }).values).toEqual({ size: 2 })
    expect(() => chosen(made, { name: 'two', size: 0 } as never)).toThrow('generator two: size is 0')
    expect(() => chosen({ own: entry('own') }, { name: 'two' })).toThrow('unknown name: "two"')
  })

  test('takes what others bring, once under each name, and gives it back', () => {
    const three = entry('three')
    const before = tableChanges()
    add(made, three, 'p.mjs')
    expect([namesIn('generator'), originOf(made, 'three'), originOf(made, 'one'), tableChanges()]).toEqual([['one', 'two', 'three'], 'p.mjs', builtIn, before + 1]) // biome-ignore format: a line
    add(made, three, 'q.mjs')
    expect([originOf(made, 'three'), tableChanges()]).toEqual(['p.mjs', before + 1])
    expect(() => add(made, entry('three'), 'q.mjs')).toThrow('q.mjs brings a generator "three", which there is already (p.mjs); give it another id') // biome-ignore format: a line
    expect(() => add(made, entry('one'), 'q.mjs')).toThrow('(built in)')
    for (const id of ['', '1a', 'a b', 'a_b', `a${'b'.repeat(64)}`]) expect(() => add(made, entry(id), 'q.mjs')).toThrow(`q.mjs brings a generator whose id is ${JSON.stringify(id)}; letters, digits`) // biome-ignore format: a line
    expect(() => add(made, entry(5 as never), 'q.mjs')).toThrow('whose id is 5')
    add(made, entry(`A.b-9${'c'.repeat(59)}`), 'q.mjs')
    removeFrom('p.mjs')
    expect([namesIn('generator').includes('three'), namesIn('generator').length, tableChanges()]).toEqual([false, 3, before + 3]) // biome-ignore format: a line
    removeFrom('q.mjs')
    expect(namesIn('generator')).toEqual(['one', 'two'])
    expect(originOf({}, 'one')).toBe(builtIn)
  })
})
