/** A small picture: means along an axis with their range, and where there are some, the paper's figures beside. */
import { figure as shown } from '../../audit/figures.js'
import { log } from '../../numeric/special/elementary-functions.js'

/** What is drawn: a point has a place as a word, and as a number where it is one. */
export interface Panel {
  readonly title: string
  readonly axis: string
  readonly points: readonly PanelPoint[]
}

export interface PanelPoint {
  readonly at: string
  readonly x: number | null
  readonly mean: number
  readonly least: number
  readonly most: number
  /** What a paper prints. */
  readonly paper?: number | null
}

interface MultipleProps {
  readonly panel: Panel
  readonly low: number
  readonly high: number
  readonly figure: string
}

const [width, height] = [260, 170]
const [left, right, top, bottom] = [46, 10, 10, 26]

/** A place of the axis in a few letters: numbers with as many figures as anybody reads. */
function shortly(at: string): string {
  if (at.length <= 8) return at
  const number = Number(at)
  if (!Number.isNaN(number)) return String(Number(number.toPrecision(3)))
  return at.length > 16 ? `${at.slice(0, 15)}…` : at
}

export function SmallMultiple({ panel, low, high, figure }: MultipleProps) {
  const { title, axis, points } = panel
  const span = high > low ? high - low : Math.max(Math.abs(low), 1) * 0.1
  const room = width - left - right - 16
  const numbers = points.length > 1 && points.every(({ x }) => x !== null)
  const [first, last] = numbers ? [points[0]!.x!, points.at(-1)!.x!] : [0, 1]
  const inLogs = numbers && first > 0 && last / first >= 20
  const line = (x: number): number => (inLogs ? log(x) : x)
  const share = ({ x }: PanelPoint, k: number): number =>
    numbers ? (line(x!) - line(first)) / (line(last) - line(first) || 1) : (k + 0.5) / points.length
  const px = (one: PanelPoint, k: number): number => left + 8 + share(one, k) * room
  const py = (y: number): number => top + ((high - y) / span) * (height - top - bottom)
  const middles = points.map((one, k) => `${px(one, k).toFixed(1)},${py(one.mean).toFixed(1)}`)
  const ends = points.length === 0 ? [] : [points[0]!, ...(points.length > 1 ? [points.at(-1)!] : [])]
  const told = points.map(
    ({ at, mean, paper }) => `${at}: ${shown(mean)}${paper == null ? '' : ` (paper ${shown(paper)})`}`,
  )
  return (
    <figure class="multiple">
      {title !== '' && <figcaption class="small">{title}</figcaption>}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${figure} by ${axis}${title === '' ? '' : `, ${title}`}: ${told.slice(0, 12).join('; ')}`}
      >
        <path class="axis" fill="none" d={`M${left} ${top}V${height - bottom}H${width - right}`} />
        <text class="tick" x={left - 5} y={top + 6} text-anchor="end">
          {shown(high)}
        </text>
        <text class="tick" x={left - 5} y={height - bottom} text-anchor="end">
          {shown(low)}
        </text>
        {ends.map(({ at }, k) => (
          <text
            key={at}
            class="tick"
            x={k === 0 ? left : width - right}
            y={height - 8}
            text-anchor={k === 0 ? 'start' : 'end'}
          >
            {`${k === 0 && axis !== title && axis.length <= 16 ? `${axis} ` : ''}${k === 1 && inLogs ? '(log) ' : ''}${shortly(at)}`}
          </text>
        ))}
        {(numbers || points.length > 12) && <polyline class="through" points={middles.join(' ')} />}
        {points.map((one, k) => (
          <g key={one.at} class="box">
            <title>{told[k]}</title>
            <line x1={px(one, k)} x2={px(one, k)} y1={py(one.least)} y2={py(one.most)} />
            <circle cx={px(one, k)} cy={py(one.mean)} r={3} />
            {one.paper != null && <path class="theirs" d={`M${px(one, k)} ${py(one.paper) - 5}l5 5l-5 5l-5 -5z`} />}
          </g>
        ))}
      </svg>
    </figure>
  )
}
