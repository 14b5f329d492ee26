/** A small picture of points along one axis: means as dots, their range as whiskers, lines between neighbours. */
import { figure } from '../audit/figures.js'
import { log } from '../numeric/special/elementary-functions.js'
import { escaped, point } from './escape.js'

/** One value: a number or a word on the axis below. */
export interface Spot {
  readonly x: number | string
  readonly y: number
  /** Which line it belongs to. */
  readonly line: number
}

export interface PictureOptions {
  readonly scale: readonly [low: number, high: number]
  readonly colours: readonly string[]
  /** Whether neighbours are joined. */
  readonly joined: boolean
  readonly label: string
}

const [width, height] = [250, 170]
const [left, right, top, bottom] = [46, 8, 8, 26]

/** A scale that all values fit on. */
export function sameScale(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 1]
  const [low, high] = values.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity])
  const room = high > low ? 0.05 * (high - low) : Math.max(0.05 * Math.abs(low), 0.01)
  return [low - room, high + room]
}

/** A word below the picture: where, between 0 and 1, and how much room it has there. */
interface Mark {
  readonly at: number
  readonly word: string
  readonly anchor: 'start' | 'middle' | 'end'
  readonly share: number
}

interface Places {
  at(x: Spot['x']): number
  readonly marks: readonly Mark[]
}

const shown = (x: number): string => (Number.isInteger(x) && Math.abs(x) < 1e6 ? String(x) : figure(x))

/** Where places of the axis lie between 0 and 1: by their size, in logarithms where they span much, or words side by side. */
function placesOf(spots: readonly Spot[]): Places {
  const all = [...new Set(spots.map(({ x }) => x))]
  const numbers = all.filter((x) => typeof x === 'number')
  if (numbers.length < all.length || numbers.length < 2) {
    const at = (x: Spot['x']): number => (all.indexOf(x) + 0.5) / all.length
    return { at, marks: all.map((x) => ({ at: at(x), word: String(x), anchor: 'middle', share: 1 / all.length })) }
  }
  const [low, high] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity])
  const inLogs = low > 0 && high / low >= 20
  const line = (x: number): number => (inLogs ? log(x) : x)
  return {
    at: (x) => (line(x as number) - line(low)) / (line(high) - line(low)),
    marks: [
      { at: 0, word: shown(low), anchor: 'start', share: 0.5 },
      { at: 1, word: `${inLogs ? '(log) ' : ''}${shown(high)}`, anchor: 'end', share: 0.5 },
    ],
  }
}

export function smallPicture(spots: readonly Spot[], { scale, colours, joined, label }: PictureOptions): string {
  const { at, marks } = placesOf(spots)
  const [low, high] = scale
  const px = (x: Spot['x']): number => left + 6 + at(x) * (width - left - right - 12)
  const py = (y: number): number => top + ((high - y) / (high - low)) * (height - top - bottom)
  const lines = [...new Set(spots.map(({ line }) => line))].map((line) => {
    const colour = colours[line % colours.length]!
    const means = meansOf(spots.filter((spot) => spot.line === line)).sort((a, b) => px(a.x) - px(b.x))
    const path = means.map(({ x, mean }) => `${point(px(x))},${point(py(mean))}`).join(' ')
    const dots = means.map(({ x, mean, least, most }) => {
      const whisker =
        least === most
          ? ''
          : `<line x1="${point(px(x))}" x2="${point(px(x))}" y1="${point(py(least))}" y2="${point(py(most))}" stroke="${colour}"/>`
      return `<g><title>${escaped(`${x}: ${figure(mean)}`)}</title>${whisker}<circle cx="${point(px(x))}" cy="${point(py(mean))}" r="3" fill="${colour}"/></g>`
    })
    const way =
      joined && means.length > 1
        ? `<polyline points="${path}" fill="none" stroke="${colour}" stroke-opacity="0.5"/>`
        : ''
    return `${way}${dots.join('')}`
  })
  const frame = `<path d="M${left} ${top}V${height - bottom}H${width - right}" fill="none" stroke="var(--line)"/>`
  const sides = [low, high].map(
    (y) =>
      `<text class="dim" x="${left - 4}" y="${point(py(y) + (y === high ? 8 : 0))}" font-size="10" text-anchor="end">${figure(y)}</text>`,
  )
  return `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${frame}${sides.join('')}${below(marks)}${lines.join('')}</svg>`
}

function below(marks: readonly Mark[]): string {
  const room = width - left - right - 12
  return marks
    .map(({ at, word, anchor, share }) => {
      const most = Math.max(1, Math.floor((share * room) / 6))
      const text = word.length > most ? `${word.slice(0, most - 1)}…` : word
      return `<text class="dim" x="${point(left + 6 + at * room)}" y="${height - 10}" font-size="10" text-anchor="${anchor}">${escaped(text)}</text>`
    })
    .join('')
}

interface Mean {
  readonly x: Spot['x']
  readonly mean: number
  readonly least: number
  readonly most: number
}

function meansOf(spots: readonly Spot[]): Mean[] {
  const byPlace = new Map<Spot['x'], number[]>()
  for (const { x, y } of spots) byPlace.set(x, [...(byPlace.get(x) ?? []), y])
  return [...byPlace].map(([x, ys]) => ({
    x,
    mean: ys.reduce((a, b) => a + b, 0) / ys.length,
    least: Math.min(...ys),
    most: Math.max(...ys),
  }))
}
