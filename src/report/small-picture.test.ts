import { expect, test } from 'vitest'
import { type Spot, sameScale, smallPicture } from './small-picture.js'

const draw = (spots: readonly Spot[], more: object = {}) =>
  smallPicture(spots, { scale: [0, 1], colours: ['red', 'blue'], joined: true, label: 'a < b', ...more }).replace(
    /\.0\b/g,
    '',
  )
const all = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map((one) => one.slice(1))
const spot = (x: Spot['x'], y: number, line = 0): Spot => ({ x, y, line })
const circles = (svg: string) => all(svg, /<circle cx="([\d.]+)" cy="([\d.]+)" r="3" fill="(\w+)"/g)
const words = (svg: string) => all(svg, /<text class="dim" x="([\d.]+)" y="160" font-size="10" text-anchor="(\w+)">([^<]*)</g) // biome-ignore format: a line

test('a scale on which all values fit', () => {
  expect(sameScale([])).toEqual([0, 1])
  expect(sameScale([1, 3, 2])).toEqual([1 - 0.1, 3 + 0.1])
  expect(sameScale([2])).toEqual([1.9, 2.1])
  expect(sameScale([-2, -2])).toEqual([-2.1, -1.9])
  expect(sameScale([0.1])).toEqual([0.1 - 0.01, 0.1 + 0.01])
})

test('numbers lie by their size, and their ends are named', () => {
  const svg = draw([spot(0, 0), spot(5, 0.5), spot(10, 1)])
  expect(circles(svg)).toEqual([['52', '144', 'red'], ['144', '76', 'red'], ['236', '8', 'red']]) // biome-ignore format: a list
  expect(words(svg)).toEqual([['52', 'start', '0'], ['236', 'end', '10']]) // biome-ignore format: a list
  expect(svg).toContain('<polyline points="52,144 144,76 236,8"')
  expect(svg).toContain('aria-label="a &lt; b"')
  expect(svg).toContain('d="M46 8V144H242"')
  expect(all(svg, /x="42" y="([\d.]+)" font-size="10" text-anchor="end">([\d.]+)</g)).toEqual([['144', '0.000'], ['16', '1.00']]) // biome-ignore format: a list
})

test('values lie on the scale that is given', () => {
  const svg = draw([spot(0, 3), spot(1, 5)], { scale: [1, 5] })
  expect(circles(svg).map(([, y]) => y)).toEqual(['76', '8'])
})

test('in logarithms where they span much', () => {
  const places = (...xs: number[]) => circles(draw(xs.map((x) => spot(x, 0)))).map(([x]) => Number(x))
  expect(places(1, 4, 16)).toEqual([52, 88.8, 236])
  expect(places(1, 10, 100)).toEqual([52, 144, 236])
  expect(places(1, 20)).toEqual([52, 236])
  expect(places(4, 6, 40)).toEqual([52, 62.2, 236])
  expect(words(draw([spot(1, 0), spot(20, 0)]))[1]).toEqual(['236', 'end', '(log) 20'])
  expect(words(draw([spot(1, 0), spot(19, 0)]))[1]).toEqual(['236', 'end', '19'])
  expect(words(draw([spot(0, 0), spot(100, 0)]))[1]).toEqual(['236', 'end', '100'])
  expect(words(draw([spot(0.5, 0), spot(2e6, 0)])).map(([, , word]) => word)).toEqual(['0.500', '(log) 2.00e+6'])
})

test('words stand side by side, and long ones are cut', () => {
  const svg = draw([spot('a', 0), spot('b', 1)])
  expect(words(svg)).toEqual([['98', 'middle', 'a'], ['190', 'middle', 'b']]) // biome-ignore format: a list
  expect(words(draw([spot(3, 0)]))).toEqual([['144', 'middle', '3']])
  expect(words(draw([spot(3, 0), spot('x', 0)])).map(([, , word]) => word)).toEqual(['3', 'x'])
  const long = words(draw([spot('x'.repeat(15), 0), spot('y'.repeat(16), 0)])).map(([, , word]) => word)
  expect(long).toEqual(['x'.repeat(15), `${'y'.repeat(14)}…`])
})

test('several values of one place are a mean with whiskers, lines have colours in turn', () => {
  const svg = draw([spot(0, 0.2), spot(0, 0.6), spot(1, 0.5, 1), spot(1, 0.5, 2)])
  expect(circles(svg)).toEqual([['52', '89.6', 'red'], ['236', '76', 'blue'], ['236', '76', 'red']]) // biome-ignore format: a list
  expect(all(svg, /<line x1="(\d+)" x2="(\d+)" y1="([\d.]+)" y2="([\d.]+)" stroke="red"/g)).toEqual([['52', '52', '116.8', '62.4']]) // biome-ignore format: a line
  expect(svg).not.toContain('polyline')
  expect(svg).toContain('<title>0: 0.400</title>')
  expect(draw([spot(0, 0), spot(1, 1)], { joined: false })).not.toContain('polyline')
  expect(draw([spot(1, 1), spot(0, 0)])).toContain('points="52,144 236,8"')
})
