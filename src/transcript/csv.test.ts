import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvOptions, csvReader, csvRows } from './csv.js'

const rows = (text: string, options: Partial<CsvOptions> = {}): (readonly string[])[] => [
  ...csvReader({ where: 'x.csv', ...options }).read(text, true),
]

describe('the rows of a text', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n,\n',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
    [
      'a,b\n\n1,2\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n\n1\n', [['a'], [''], ['1']]],
    [
      'a,b\n"1,\n2","say ""so"""\n',
      [
        ['a', 'b'],
        ['1,\n2', 'say "so"'],
      ],
    ],
    [
      'a,b\n"",""""\n',
      [
        ['a', 'b'],
        ['', '"'],
      ],
    ],
    [
      'a,b\n"x",y',
      [
        ['a', 'b'],
        ['x', 'y'],
      ],
    ],
    [
      'a,b\nx,"y"',
      [
        ['a', 'b'],
        ['x', 'y'],
      ],
    ],
    [
      '\ufeffa,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n\ufeff1,2\n',
      [
        ['a', 'b'],
        ['\ufeff1', '2'],
      ],
    ],
    ['', []],
    ['""\n', [['']]],
  ] as [string, string[][]][])('%j', (text, expected) => {
    if (text === '""\n') expect(rows(text, { width: 1 })).toEqual(expected)
    else expect([...csvRows(text, 'x.csv')]).toEqual(expected)
  })

  test('with another delimiter, a known width, lines to pass over', () => {
    expect(rows('a;b\n1,5;2\n', { delimiter: ';' })).toEqual([['a', 'b'], ['1,5', '2']]) // biome-ignore format: one line
    expect(rows('1,2\n3,4\n', { width: 2 })).toEqual([['1', '2'], ['3', '4']]) // biome-ignore format: one line
    expect(rows('words\nmore, "words\n1,2\n', { width: 2, skip: 2 })).toEqual([['1', '2']])
    expect(rows('words', { skip: 1 })).toEqual([])
    expect(rows('words\n', { skip: 2 })).toEqual([])
  })

  test.each([
    ['a,b\n1\n', 'x.csv: line 2 has 1 cells; the header has 2'],
    ['a,b\n\n1,2,3\n', 'x.csv: line 3 has 3 cells; the header has 2'],
    ['a,b\n"1\n2",3\n4\n', 'x.csv: line 4 has 1 cells; the header has 2'],
    ['a,b\n"1\n\n\n2",3\n"4', 'x.csv: line 6 opens a quote that is never closed'],
    ['a,b\n1,"2\n', 'x.csv: line 2 opens a quote that is never closed'],
    ['a,b\n1,2"3\n', 'x.csv: line 2 has a quote inside a cell that begins without one'],
    ['a,b\n1,"2"3\n', 'x.csv: line 2 goes on after a closing quote; "," is needed there'],
    ['a,b\n1,2\r3\n', 'x.csv: line 2 holds a carriage return without a line feed'],
    ['a,a\n', 'x.csv'],
  ])('%j is refused', (text, message) => expect(() => rows(text)).toThrow(message))

  test('of which the first are passed over are counted, too', () => {
    expect(() => rows('words\n1,2\n3\n', { width: 2, skip: 1 })).toThrow('x.csv: line 3 has 1 cells; needed: 2')
  })
})

describe('a text in pieces', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r', ' '), maxLength: 6 })
  const written = (value: string) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

  test('has the rows of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.array(fc.nat({ max: 9 }), { minLength: 1 }),
        (table, end, closed, sizes) => {
          const lines = [['x', 'y'], ...table]
          const text = lines.map((row) => row.map(written).join(',')).join(end) + (closed ? end : '')
          const reader = csvReader({ where: 'x.csv' })
          const found: (readonly string[])[] = []
          let at = 0
          for (let i = 0; at < text.length; i++) {
            const size = 1 + sizes[i % sizes.length]!
            found.push(...reader.read(text.slice(at, at + size)))
            at += size
          }
          found.push(...reader.read('', true))
          expect(found).toEqual(lines)
        },
      ),
    )
  })

  test('is tried again when it is twice as long as what was in vain', () => {
    const reader = csvReader({ where: 'x.csv', width: 2 })
    expect([...reader.read('a,"bbb')]).toEqual([])
    expect([...reader.read('"\nc,d')]).toEqual([]) // 11 of 12 characters
    expect([...reader.read('\n')]).toEqual([['a', 'bbb'], ['c', 'd']]) // biome-ignore format: one line
    expect([...reader.read('e,f\n')]).toEqual([['e', 'f']])
    expect([...reader.read('g,h')]).toEqual([])
    expect([...reader.read('', true)]).toEqual([['g', 'h']])
  })

  test('is not kept for a quote that stays open too long', () => {
    const reader = csvReader({ where: 'x.csv', width: 2 })
    const long = 'x'.repeat(1 << 24)
    expect([...reader.read(`a,"${long.slice(1)}`)]).toEqual([])
    expect(() => [...reader.read(`${long}xx`)]).toThrow('line 1 opens a quote that is never closed')
  })
})
