/** Parallel coordinates of a sweep's trials on a canvas, some lines a frame so that the page stays quick. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ColumnsAnswer } from '../../api/sweeps.js'
import { figure as shown } from '../../audit/figures.js'
import { sweepColumns } from './ask-server.js'
import { useLoaded } from './use-loaded.js'

const [left, top, bottom, height] = [12, 28, 26, 340]
/** Painted after a frame's script, so no clock tells how long they take: few enough for a slow machine. */
const linesAFrame = 200

/** Which trials are looked at: those with a value in a third of a column's range. */
interface Brush {
  readonly column: number
  readonly part: number
}

interface Scaled {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly ends: readonly [string, string]
  /** Between 0 and 1; null where a trial has none. */
  readonly shares: readonly (number | null)[]
}

function scaled({ name, words, values }: ColumnsAnswer['columns'][number]): Scaled {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)]
  if (least > most) [least, most] = [0, 1]
  const word = (value: number): string => words?.[value] ?? (Number.isInteger(value) ? String(value) : shown(value))
  const share = (value: number | null): number | null =>
    value === null ? null : most > least ? (value - least) / (most - least) : 0.5
  return { name, least, most, ends: [word(least), word(most)], shares: values.map(share) }
}

export function ParallelLines({ id, figures }: { id: string; figures: readonly string[] }) {
  const [chosen, setChosen] = useState<readonly number[]>(figures.slice(0, 3).map((_, k) => k))
  const [brush, setBrush] = useState<Brush>({ column: -1, part: 2 })
  const { value, error } = useLoaded(() => sweepColumns(id, { figures: chosen.join(',') }), [id, chosen.join()])
  const columns = useMemo(() => value?.columns.map(scaled) ?? [], [value])
  const looked = (row: number): boolean => {
    const share = columns[brush.column]?.shares[row]
    return share != null && Math.min(2, Math.floor(share * 3)) === brush.part
  }
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const on = canvas.current
    if (on === null || value === null) return
    const redraw = (): (() => void) => draw(on, columns, { rows: value.drawn, looked: brush.column < 0 ? null : looked }) // biome-ignore format: one line
    let stop = redraw()
    const again = (): void => {
      stop()
      // The window can change while this screen is being left: its canvas is gone before its listeners are.
      if (on.isConnected) stop = redraw()
    }
    window.addEventListener('resize', again)
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', again)
    return () => {
      stop()
      window.removeEventListener('resize', again)
      dark.removeEventListener('change', again)
    }
  }, [value, brush.column, brush.part])
  const found = value === null || brush.column < 0 ? 0 : Array.from({ length: value.drawn }, (_, row) => row).filter(looked).length // biome-ignore format: one line
  return (
    <>
      {error !== null && <p class="fault">{error}</p>}
      <div class="row">
        <label>
          look at trials by
          <select
            value={String(brush.column)}
            onChange={({ currentTarget }) => setBrush({ ...brush, column: Number(currentTarget.value) })}
          >
            <option value="-1">all of them</option>
            {columns.map(({ name }, k) => (
              <option key={name} value={String(k)}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {brush.column >= 0 && (
          <label>
            that are
            <select
              value={String(brush.part)}
              onChange={({ currentTarget }) => setBrush({ ...brush, part: Number(currentTarget.value) })}
            >
              <option value="0">low</option>
              <option value="1">in the middle</option>
              <option value="2">high</option>
            </select>
          </label>
        )}
        <label>
          figures
          <select
            value=""
            onChange={({ currentTarget }) => {
              const k = Number(currentTarget.value)
              setChosen(chosen.includes(k) ? chosen.filter((one) => one !== k) : [...chosen, k].slice(-6))
            }}
          >
            <option value="" disabled>
              add or take away
            </option>
            {figures.map((name, k) => (
              <option key={name} value={String(k)}>
                {chosen.includes(k) ? `take away ${name}` : `add ${name}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {value !== null && (
        <p class="dim small" role="status">
          {value.drawn < value.trials ? `${value.drawn} of ${value.trials} trials, evenly` : `${value.trials} trials`},
          a line each{brush.column >= 0 && `; ${found} of them are dark`}.
        </p>
      )}
      <canvas
        ref={canvas}
        class="parallel"
        role="img"
        aria-label={`every trial as a line through ${columns.map(({ name }) => name).join(', ')}`}
      />
      <table>
        <thead>
          <tr>
            <th scope="col">column, from left to right</th>
            <th scope="col">below</th>
            <th scope="col">above</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, ends }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{ends[0]}</td>
              <td>{ends[1]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

interface Drawing {
  readonly rows: number
  /** null: all of them. */
  readonly looked: ((row: number) => boolean) | null
}

/** Draws until it is done or stopped; those that are looked at come last, on top. */
function draw(canvas: HTMLCanvasElement, columns: readonly Scaled[], { rows, looked }: Drawing): () => void {
  const style = getComputedStyle(canvas)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const [ratio, width] = [window.devicePixelRatio, canvas.clientWidth]
  canvas.width = width * ratio
  canvas.height = height * ratio
  const on = canvas.getContext('2d')!
  on.scale(ratio, ratio)
  on.clearRect(0, 0, width, height)
  const step = (width - 2 * left) / Math.max(1, columns.length - 1)
  const x = (k: number): number => left + k * step
  const y = (share: number): number => height - bottom - share * (height - top - bottom)
  on.strokeStyle = colour('edge')
  on.fillStyle = colour('dim')
  on.font = `11px ${style.fontFamily}`
  for (const [k, { name, ends }] of columns.entries()) {
    on.beginPath()
    on.moveTo(x(k), top)
    on.lineTo(x(k), height - bottom)
    on.stroke()
    on.textAlign = k === 0 ? 'left' : k === columns.length - 1 ? 'right' : 'center'
    // Those at the edges stand inwards, where the next ones begin.
    const room = step * (k === 0 || k === columns.length - 1 ? 0.48 : 0.95)
    on.fillText(fitted(on, name, room), x(k), 12)
    on.fillText(fitted(on, ends[1], room), x(k), top - 4)
    on.fillText(fitted(on, ends[0], room), x(k), height - 10)
  }
  const order = Array.from({ length: rows }, (_, row) => row)
  const last = looked === null ? [] : order.filter(looked)
  const chosen = new Set(last)
  const passes = [
    { list: order.filter((row) => !chosen.has(row)), ink: colour(looked === null ? 'ink' : 'edge'), faint: looked === null ? 1 : 0.4 }, // biome-ignore format: one line
    { list: last, ink: colour('leak'), faint: 1 },
  ]
  let frame = 0
  let [pass, at] = [0, 0]
  const some = (): void => {
    const now = passes[pass]
    if (now === undefined) return
    const { list, ink, faint } = now
    on.strokeStyle = ink
    // Many lines are fainter each, so that where they lie together shows.
    on.globalAlpha = Math.max(0.03, Math.min(0.6, 60 / Math.max(1, list.length))) * faint
    for (let i = at; i < Math.min(list.length, at + linesAFrame); i++) {
      const row = list[i]!
      on.beginPath()
      let drawing = false
      for (const [k, { shares }] of columns.entries()) {
        const share = shares[row]
        if (share == null) {
          drawing = false
          continue
        }
        if (drawing) on.lineTo(x(k), y(share))
        else on.moveTo(x(k), y(share))
        drawing = true
      }
      on.stroke()
    }
    at += linesAFrame
    if (at >= list.length) [pass, at] = [pass + 1, 0]
    frame = requestAnimationFrame(some)
  }
  canvas.dataset.state = 'drawing'
  frame = requestAnimationFrame(some)
  const watch = setInterval(() => {
    if (pass < passes.length) return
    canvas.dataset.state = 'drawn'
    clearInterval(watch)
  }, 50)
  return () => {
    cancelAnimationFrame(frame)
    clearInterval(watch)
    pass = passes.length
  }
}

/** As much of a word as there is room for. */
function fitted(on: CanvasRenderingContext2D, text: string, room: number): string {
  if (on.measureText(text).width <= room) return text
  let most = text.length
  while (most > 1 && on.measureText(`${text.slice(0, most)}…`).width > room) most--
  return `${text.slice(0, most)}…`
}
