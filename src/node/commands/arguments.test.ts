import { describe, expect, test } from 'vitest'
import { commonFlags, defined, parseFlags, parseNamed, parsePlaced, settings, wholeNumber } from './arguments.js'

describe('arguments', () => {
  test('are flags, and one name at most', () => {
    expect(parseNamed(['--json', 'a', '--plugin', 'x', '--plugin', 'y'], commonFlags)).toEqual({
      values: { json: true, plugin: ['x', 'y'] },
      name: 'a',
    })
    expect(parseNamed([], commonFlags)).toEqual({ values: {}, name: undefined })
    expect(() => parseNamed(['a', 'b'], commonFlags)).toThrow('unexpected argument "b"; one name at a time')
  })

  test('or as many places as are wanted', () => {
    const wanted = ['the run before', 'the run after']
    expect(parsePlaced(['a', '--out', 'o', 'b'], commonFlags, wanted)).toEqual({ values: { out: 'o' }, places: ['a', 'b'] })
    expect(() => parsePlaced([], commonFlags, wanted)).toThrow('missing: the run before; see "overhear --help"')
    expect(() => parsePlaced(['a'], commonFlags, wanted)).toThrow('missing: the run after; see "overhear --help"')
    expect(() => parsePlaced(['a', 'b', 'c'], commonFlags, wanted)).toThrow('unexpected argument "c"')
  }) // biome-ignore format: lines

  test('or flags alone', () => {
    expect(parseFlags(['--seed', '3', '--trust-plugins'], commonFlags)).toEqual({ seed: '3', 'trust-plugins': true })
    expect(() => parseFlags(['a'], commonFlags)).toThrow(/^unexpected argument 'a'.*; see "overhear --help"$/)
  })

  test('a flag that is none is named, by one short sentence', () => {
    for (const parse of [parseNamed, parseFlags])
      expect(() => parse(['--sed', '3'], commonFlags)).toThrow(/^unknown option '--sed'; see "overhear --help"$/)
    expect(() => parsePlaced(['--seed'], commonFlags, [])).toThrow(/--seed.*; see "overhear --help"$/)
  })
})

describe('a whole number', () => {
  test('is one from 1; a seed may be 0', () => {
    expect(wholeNumber('workers', undefined)).toBeUndefined()
    expect(['1', '17', ' 3 ', '9007199254740991'].map((text) => wholeNumber('workers', text))).toEqual([1, 17, 3, 9007199254740991]) // biome-ignore format: a list
    expect(wholeNumber('seed', '0')).toBe(0)
    for (const text of ['0', '-1', '1.5', '', ' ', 'x', '9007199254740992', 'Infinity'])
      expect(() => wholeNumber('workers', text)).toThrow(`--workers is "${text}"; a whole number from 1 is needed`)
    for (const text of ['-1', '', '0.5'])
      expect(() => wholeNumber('seed', text)).toThrow(`--seed is "${text}"; a whole number from 0 is needed`)
  })
})

test('only what was given has a key', () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: 0, e: false, f: '' }))).toEqual([
    ...[['a', 1] as const, ['c', null] as const, ['d', 0] as const, ['e', false] as const, ['f', ''] as const],
  ])
})

test('a setting is a name and all that follows the first sign', () => {
  expect(settings(['a=1', 'training.rounds=20', 'x=y=z', 'e=', 'a=2'])).toEqual({
    a: '2',
    'training.rounds': '20',
    x: 'y=z',
    e: '',
  })
  for (const text of ['=1', 'a', '']) expect(() => settings([text])).toThrow(`--set is "${text}"; name=value is needed`)
})
