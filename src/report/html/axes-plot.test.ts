import { expect, test } from 'vitest'
import { type Axis, line, plot, share } from './axes-plot.js'

const tenths: Axis = { name: 'in <tenths>', ticks: [[0, 'none'], [10, 'ten']], place: (v) => v / 10 } // biome-ignore format: a line

test('a square of 190 pixels, with room for ticks and names around it', () => {
  const html = plot('of "two"', { x: tenths, y: { ...share, name: 'part' } }, ({ x, y }) => `${x(5)} ${y(0.25)}`)
  // 44 to the left and 22 to the right, 8 above and 36 below.
  expect(html).toMatch(
    /^<svg width="256" height="234" viewBox="0 0 256 234" role="img" aria-label="of &quot;two&quot;">/,
  )
  expect(html).toContain('<path d="M44 8V198H234" fill="none" stroke="var(--dim)"/>')
  expect(html).toMatch(/139\.0 150\.5<\/svg>$/)
})

test('ticks stand where their values are, upwards and to the right', () => {
  const html = plot('t', { x: tenths, y: share }, () => '')
  const ticks = [...html.matchAll(/<text class="dim" x="([\d.]+)" y="([\d.]+)"[^>]*font-size="11"[^>]*>([^<]*)</g)]
  expect(ticks.map(([, x, y, words]) => [words, x, y])).toEqual([
    ['none', '44.0', '212'],
    ['ten', '234.0', '212'],
    ['0', '39', '198.0'],
    ['0.5', '39', '103.0'],
    ['1', '39', '8.0'],
  ])
})

test('names stand in the middle of their axes', () => {
  const html = plot('t', { x: tenths, y: { ...share, name: 'a & b' } }, () => '')
  expect(html).toContain('x="139" y="228" font-size="12" text-anchor="middle">in &lt;tenths&gt;</text>')
  expect(html).toContain(
    'transform="translate(11 103) rotate(-90)" font-size="12" text-anchor="middle">a &amp; b</text>',
  )
})

test('a wider plot is wider along x alone', () => {
  const html = plot('t', { x: tenths, y: share }, ({ x, y }) => `${x(10)} ${y(0)}`, { wide: 400 })
  expect(html).toContain('viewBox="0 0 466 234"')
  expect(html).toContain('M44 8V198H444')
  expect(html).toContain('x="244" y="228"')
  expect(html).toMatch(/444\.0 198\.0<\/svg>$/)
})

test('a line goes through its points', () => {
  expect(line(['1,2', '3,4'])).toBe('<polyline points="1,2 3,4" fill="none" stroke="var(--leak)" stroke-width="2"/>')
  expect(line([], ' opacity="0.5"')).toContain('stroke-width="2" opacity="0.5"/>')
})
