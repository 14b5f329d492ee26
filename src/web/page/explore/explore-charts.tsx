/** Pictures of the explorer: norms by round as boxes or a line, and a client's rounds as a strip. */
import type { ParticipationAnswer, Spread } from '../../../api/explore.js'
import { figure } from '../../../audit/figures.js'

const height = 180
const [left, right, top, bottom] = [52, 8, 10, 24]

/** What stands at a round: a spread, or one figure. */
export interface RoundMark {
  readonly round: number
  readonly spread: Spread | null
  readonly value: number | null
  /** Something other than the honest model was sent. */
  readonly loud: boolean
}

interface NormsProps {
  readonly marks: readonly RoundMark[]
  readonly label: string
}

/** Boxes from quartile to quartile with whiskers, a line through the middles; one scale from 0. */
export function NormsByRound({ marks, label }: NormsProps) {
  // On a narrow screen there is less to see, as large as elsewhere.
  const width = window.innerWidth < 600 ? 360 : 720
  const known = marks.filter(({ spread, value }) => spread !== null || value !== null)
  if (known.length === 0) return null
  const most = Math.max(...known.map(({ spread, value }) => Math.max(spread?.most ?? 0, value ?? 0)), 1e-12)
  const room = width - left - right
  const x = (k: number): number => left + ((k + 0.5) / known.length) * room
  const y = (value: number): number => top + (1 - value / most) * (height - top - bottom)
  const wide = Math.max(1, Math.min(12, (room / known.length) * 0.6))
  const middles = known.map(({ spread, value }, k) => `${x(k).toFixed(1)},${y(spread?.middle ?? value!).toFixed(1)}`)
  const [first, last] = [known[0]!, known.at(-1)!]
  const about = `${label}, rounds ${first.round} to ${last.round}, at most ${figure(most)}`
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={about}>
      <path class="axis" fill="none" d={`M${left} ${top}V${height - bottom}H${width - right}`} />
      <text class="tick" x={left - 6} y={top + 5} text-anchor="end">
        {figure(most)}
      </text>
      <text class="tick" x={left - 6} y={height - bottom} text-anchor="end">
        0
      </text>
      <text class="tick" x={left} y={height - 6}>
        round {first.round}
      </text>
      <text class="tick" x={width - right} y={height - 6} text-anchor="end">
        {last.round}
      </text>
      <polyline class="through" points={middles.join(' ')} />
      {known.map(({ round, spread, value, loud }, k) => (
        <g key={round} class={loud ? 'box loud-box' : 'box'}>
          {spread === null ? (
            <circle cx={x(k)} cy={y(value!)} r={2.5} />
          ) : (
            <>
              <line x1={x(k)} x2={x(k)} y1={y(spread.most)} y2={y(spread.least)} />
              <rect
                x={x(k) - wide / 2}
                width={wide}
                y={y(spread.high)}
                height={Math.max(1, y(spread.low) - y(spread.high))}
              />
            </>
          )}
        </g>
      ))}
    </svg>
  )
}

const kinds = [
  ['1', 'in'],
  ['d', 'out'],
  ['t', 'fooled'],
] as const

/** A client's rounds side by side, runs of the same as one piece. */
export function RoundStrip({ row, most }: { row: ParticipationAnswer['rows'][number]; most: number }) {
  const { cells, id } = row
  const pieces = (letter: string): string =>
    [...cells.matchAll(new RegExp(`${letter}+`, 'g'))].map((one) => `M${one.index} 0h${one[0].length}v10h-${one[0].length}z`).join('') // biome-ignore format: one line
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${most} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${id}: in ${cells.replaceAll(/[0d]/g, '').length} of these ${cells.length} rounds`}
    >
      {kinds.map(([letter, name]) => (
        <path key={letter} class={`cell-${name}`} d={pieces(letter)} />
      ))}
    </svg>
  )
}

/** "12.3 kB", not to be torn apart. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let [value, k] = [bytes, 0]
  while (value >= 1000 && k < units.length - 1) [value, k] = [value / 1000, k + 1]
  return `${k === 0 ? value : value.toFixed(1)}\u00a0${units[k]}`
}
