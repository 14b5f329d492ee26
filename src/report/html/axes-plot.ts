/** A small plot with two named axes, ticks, and whatever is drawn between them. */
import { escaped, point } from '../escape.js'

const side = 190
const edge = 44

export interface Axis {
  readonly name: string
  readonly ticks: readonly (readonly [at: number, words: string])[]
  /** From a value to 0..1. */
  place(value: number): number
}

/** From nothing to all. */
export const share: Axis = { name: '', ticks: [[0, '0'], [0.5, '0.5'], [1, '1']], place: (x) => x } // biome-ignore format: short

/** From values to places in the picture. */
export interface Scales {
  x(value: number): string
  y(value: number): string
}

/** Axes with names and ticks around what is drawn by `draw`, which is given the two scales. */
export function plot(
  title: string,
  { x, y }: { readonly x: Axis; readonly y: Axis },
  draw: (to: Scales) => string,
  { wide = side }: { readonly wide?: number } = {},
): string {
  const to = {
    x: (v: number): string => point(edge + wide * x.place(v)),
    y: (v: number): string => point(8 + side * (1 - y.place(v))),
  }
  const [right, floor] = [edge + wide, 8 + side]
  const ticks = [
    ...x.ticks.map(
      ([at, words]) =>
        `<text class="dim" x="${to.x(at)}" y="${floor + 14}" font-size="11" text-anchor="middle">${escaped(words)}</text>`,
    ),
    ...y.ticks.map(
      ([at, words]) =>
        `<text class="dim" x="${edge - 5}" y="${to.y(at)}" dy="4" font-size="11" text-anchor="end">${escaped(words)}</text>`,
    ),
  ]
  const names = `<text class="dim" x="${edge + wide / 2}" y="${floor + 30}" font-size="12" text-anchor="middle">${escaped(x.name)}</text><text class="dim" transform="translate(11 ${8 + side / 2}) rotate(-90)" font-size="12" text-anchor="middle">${escaped(y.name)}</text>`
  return `<svg width="${right + 22}" height="${floor + 36}" viewBox="0 0 ${right + 22} ${floor + 36}" role="img" aria-label="${escaped(title)}"><path d="M${edge} 8V${floor}H${right}" fill="none" stroke="var(--dim)"/>${ticks.join('')}${names}${draw(to)}</svg>`
}

export const line = (points: readonly string[], more = ''): string =>
  `<polyline points="${points.join(' ')}" fill="none" stroke="var(--leak)" stroke-width="2"${more}/>`
