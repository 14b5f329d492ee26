import { expect, test } from 'vitest'
import { type QuestionParts, questionWith, stepWith } from '../../test/audit-results.js'
import { ladderPlot } from './ladder-plot.js'

const whole = { guess: 0, federation: 0.2, client: 0.5, record: 1, best: 1 } as const
const plot = (narrow: boolean, ...parts: QuestionParts[]) => ladderPlot(parts.map((one) => questionWith({ ladder: whole, ...one })), { narrow }) // biome-ignore format: a line
const rowsIn = (svg: string) => [...svg.matchAll(/<g>(.*?)<\/g>/g)].map((one) => one[1]!)
const legendOf = (svg: string) => svg.slice(0, svg.indexOf('stroke="var(--line)"'))
const round = (x: number) => x.toFixed(1)

// A guess stands three thirteenths of the way from the left end, so that what is worse has room.
const rooms = [
  { narrow: false, view: '0 0 820 130', left: 290, right: 730, head: 58, height: 130, y: 77, words: 77, letters: 44, width: 820 }, // biome-ignore format: a line
  { narrow: true, view: '0 0 360 228', left: 10, right: 304, head: 128, height: 228, y: 179, words: 149, letters: 46, width: 360 }, // biome-ignore format: a line
]

test.each(rooms)(
  'narrow $narrow: everything stands where its room says',
  ({ narrow, left, right, head, height, y, words, letters, width, view }) => {
    // biome-ignore format: a line
    const svg = plot(narrow, {})
    const at = (place: number) => left + ((place + 0.3) / 1.3) * (right - left)
    const x = (place: number) => round(at(place))
    expect(svg).toContain(`viewBox="${view}" role="img"`)
    // The axis: two lines down to the words below them.
    for (const [place, word] of [
      [0, 'a guess'],
      [1, 'everything'],
    ] as const) {
      // biome-ignore format: a list
      expect(svg).toContain(`<line x1="${x(place)}" x2="${x(place)}" y1="${head - 4}" y2="${height - 30}" stroke="var(--line)"/><text class="dim" x="${x(place)}" y="${height - 14}"`) // biome-ignore format: a line
      expect(svg).toContain(`text-anchor="middle">${word}</text>`)
    }
    expect(svg).toContain(`x="${x(0.5)}" y="${height - 14}" font-size="12" text-anchor="middle">what is learned<`)
    expect(svg).toContain(`x="${width}" y="${head - 8}" font-size="12" text-anchor="end">step<`)
    const [row] = rowsIn(svg)
    expect(row).toContain(`<text x="0" y="${words - 2}" font-size="13">union of client 0<`)
    expect(row).toContain(`<text class="dim" x="0" y="${words + 13}" font-size="12">leaks records, server<`)
    expect(row).toContain(`<text x="${width}" y="${y + 4}" font-size="12" text-anchor="end">+0.080</text>`)
    // The step goes from the client to its records, and its interval lies below.
    expect(row).toContain(
      `<line x1="${x(0.5)}" x2="${x(1)}" y1="${y}" y2="${y}" stroke="var(--leak)" stroke-width="4"/>`,
    )
    expect(row).toContain(`<line x1="${x(0.55)}" x2="${x(0.61)}" y1="${y + 11}" y2="${y + 11}" stroke="currentColor"/>`)
    for (const end of [0.55, 0.61]) expect(row).toContain(`<line x1="${x(end)}" x2="${x(end)}" y1="${y + 8}" y2="${y + 14}" stroke="currentColor"/>`) // biome-ignore format: a line
    // A stroke for the guess, a square, a diamond, a dot.
    expect(row).toContain(`<line x1="${x(0)}" x2="${x(0)}" y1="${round(y - 7)}" y2="${round(y + 7)}" stroke="var(--guess)" stroke-width="3"/>`) // biome-ignore format: a line
    const shape = (place: number, moves: readonly (readonly [number, number])[]) => moves.map(([dx, dy]) => `${round(at(place) + dx)},${round(y + dy)}`).join(' ') // biome-ignore format: a line
    expect(row).toContain(`<polygon points="${shape(0.2, [[-5, -5], [5, -5], [5, 5], [-5, 5]])}" fill="var(--paper)" stroke="var(--federation)" stroke-width="2"/>`) // biome-ignore format: a line
    expect(row).toContain(`<polygon points="${shape(0.5, [[0, -7], [7, 0], [0, 7], [-7, 0]])}" fill="var(--paper)" stroke="var(--client)"`) // biome-ignore format: a line
    expect(row).toContain(`<circle cx="${x(1)}" cy="${round(y)}" r="6" fill="var(--record)" stroke="var(--record)"`)
    const everybody = rowsIn(plot(narrow, { ladder: { ...whole, everybody: 0.7 } }))[0]
    expect(everybody).toContain(
      `<polygon points="${shape(0.7, [
        [0, -6],
        [6, 5],
        [-6, 5],
      ])}"`,
    )
    const named = (length: number) => rowsIn(plot(narrow, { name: 'n'.repeat(length - ' of client 0'.length) }))[0]!
    expect(named(letters)).not.toContain('…')
    expect(named(letters + 1)).toContain(`>${'n'.repeat(letters - 11)} of client…</text>`)
  },
)

test('rows follow each other below the legend', () => {
  const places = (narrow: boolean) => rowsIn(plot(narrow, {}, { name: 'b' }, { name: 'c' })).map((row) => Number(/cy="([\d.]+)"/.exec(row)![1])) // biome-ignore format: a line
  expect(places(false)).toEqual([77, 115, 153])
  expect(places(true)).toEqual([179, 245, 311])
  expect(plot(false, {}, { name: 'b' })).toContain('viewBox="0 0 820 168"')
})

test.each([
  [false, ['20,16', '110,16', '350,16', '20,36', '280,36'], [470, 32]],
  [true, ['20,16', '20,36', '20,56', '20,76', '20,96'], [188, 12]],
] as const)('narrow %s: the legend names each mark beside it, then the interval', (narrow, texts, [x, y]) => {
  const legend = legendOf(plot(narrow, {}))
  const found = [...legend.matchAll(/<text class="dim" x="(\d+)" y="(\d+)" font-size="12">([^<]*)</g)]
  expect(found.map(([, left, top]) => `${left},${top}`)).toEqual([...texts, `${x + 32},${y + 4}`])
  expect(found.map(([, , , words]) => words)).toEqual(['a guess', 'a federation without the client', 'what everybody hears', 'the client, records not trained on', 'the client, its records', 'interval of the step']) // biome-ignore format: a line
  expect(legend).toContain(`<line x1="${x}" x2="${x + 24}" y1="${y}" y2="${y}" stroke="var(--dim)" stroke-width="1"/><line x1="${x}" x2="${x}" y1="${y - 4}" y2="${y + 4}" stroke="var(--dim)"/><line x1="${x + 24}" x2="${x + 24}" y1="${y - 4}" y2="${y + 4}"`) // biome-ignore format: a line
  const [first] = texts[0].split(',').map(Number) as [number]
  expect(legend).toContain(
    `<line x1="${round(first - 12)}" x2="${round(first - 12)}" y1="5.0" y2="19.0" stroke="var(--guess)"`,
  )
})

test('a step without both of its ends is not drawn, nor is an interval without one', () => {
  const row = (parts: QuestionParts) => rowsIn(plot(false, parts))[0]!
  expect(row({ ladder: { ...whole, client: null } })).not.toContain('stroke-width="4"')
  expect(row({ level: 'leaks-client', test: { client: stepWith({ effect: -0.5 }) } })).toContain('stroke-width="4"')
  expect(row({ ladder: { ...whole, federation: null }, level: 'leaks-client' })).not.toContain('stroke-width="4"')
  expect(row({ test: { record: null } })).toMatch(/text-anchor="end"><\/text>$/)
  expect(row({ test: { record: null } })).toContain('<title>union of client 0: leaks records; AUC: guess 0.000, federation 0.200, client 0.500, record 1.00</title>') // biome-ignore format: a line
})

test('what can be clicked leads to its place, and the picture says so', () => {
  const questions = [questionWith(), questionWith({ name: 'b' })]
  const svg = ladderPlot(questions, { to: ({ name }) => (name === 'b' ? 'q"2' : null) })
  expect(svg).toContain('role="group"')
  expect(svg.match(/<a href="#q&quot;2"><g>/g)).toHaveLength(1)
})

test('names say which model where there are several', () => {
  expect(plot(false, { model: 'mlp' }, { model: 'ols' })).toContain('>union of client 0 (ols)<')
  expect(plot(false, { model: 'mlp' })).toContain('>union of client 0<')
})
