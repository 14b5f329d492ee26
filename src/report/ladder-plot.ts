/** The ladder of each question as a picture: its rungs on one axis from a guess to everything, with the interval of the step. */
import { figure } from '../audit/figures.js'
import { alarmStep, byHarm, toldOf } from '../audit/ladder/leak-sentences.js'
import { isAlarm, type Question, type Rung, type Word } from '../audit/ladder/question.js'
import { severalModels, signed, stepWords, subjectOf, wordText } from '../audit/ladder/question-words.js'
import { escaped, point } from './escape.js'
import { drawnStep, lowest, placeOf, rungs, rungsOf, stepEnds } from './ladder-scale.js'

/** Where things stand: beside each other, or, where a screen is narrow, one below the other. */
interface Room {
  readonly width: number
  readonly left: number
  readonly right: number
  readonly step: number
  readonly head: number
  /** How far the line of a row lies below its words. */
  readonly below: number
  /** Letters of a name. */
  readonly letters: number
  readonly legend: readonly (readonly [x: number, y: number])[]
}

const wide: Room = {
  ...{ width: 820, left: 290, right: 90, step: 38, head: 58, below: 0, letters: 44 },
  legend: [[0, 12], [90, 12], [330, 12], [0, 32], [260, 32], [462, 32]], // biome-ignore format: places
}
const narrow: Room = {
  ...{ width: 360, left: 10, right: 56, step: 66, head: 128, below: 24, letters: 46 },
  legend: [[0, 12], [0, 32], [0, 52], [0, 72], [0, 92], [180, 12]], // biome-ignore format: places
}

export interface PlotOptions {
  /** At most so many questions. */
  readonly most?: number
  readonly narrow?: boolean
  /** The place of the page that tells more of a question. */
  to?(question: Question): string | null
}

/** The colour of a word. */
export const colourOf = (word: Word): 'leak' | 'weak' | 'none' =>
  isAlarm(word) ? 'leak' : word === 'inconclusive' || word === 'not-tested' ? 'weak' : 'none'

/** Questions that were tested, the worst first; '' of none. */
export function ladderPlot(questions: readonly Question[], options: PlotOptions = {}): string {
  const { most = Number.POSITIVE_INFINITY } = options
  const room = options.narrow ? narrow : wide
  const told = toldOf(questions).map(({ question }) => question)
  const shown = told.sort(byHarm).slice(0, most)
  if (shown.length === 0) return ''
  const models = severalModels(questions)
  const { width, head, step } = room
  const height = head + step * shown.length + 34
  const rows = shown.map((one, i) => {
    const drawn = row(one, { room, y: head + step * (i + 0.5), models })
    const to = options.to?.(one) ?? null
    return to === null ? drawn : `<a href="#${escaped(to)}">${drawn}</a>`
  })
  // What can be clicked is no mere picture.
  const role = options.to === undefined ? 'img' : 'group'
  return `<svg viewBox="0 0 ${width} ${height}" role="${role}" aria-label="what is learned by each question, from a guess to everything">${legend(room)}${axis(room, height)}${rows.join('')}</svg>`
}

const across = ({ width, left, right }: Room, place: number): number =>
  left + ((place - lowest) / (1 - lowest)) * (width - left - right)

function axis(room: Room, height: number): string {
  const { width, head } = room
  const ends: readonly [number, string][] = [
    [0, 'a guess'],
    [1, 'everything'],
  ]
  const lines = ends.map(([at, word]) => {
    const x = point(across(room, at))
    return `<line x1="${x}" x2="${x}" y1="${head - 4}" y2="${height - 30}" stroke="var(--line)"/><text class="dim" x="${x}" y="${height - 14}" font-size="12" text-anchor="middle">${word}</text>`
  })
  const middle = point((across(room, 0) + across(room, 1)) / 2)
  return `${lines.join('')}<text class="dim" x="${middle}" y="${height - 14}" font-size="12" text-anchor="middle">what is learned</text><text class="dim" x="${width}" y="${head - 8}" font-size="12" text-anchor="end">step</text>`
}

/** A mark for each rung, told apart by its form too. */
function mark(rung: Rung, x: number, y: number): string {
  const colour = `var(--${rung})`
  const fill = rung === 'record' ? colour : 'var(--paper)'
  const paint = `fill="${fill}" stroke="${colour}" stroke-width="2"`
  const at = (points: readonly (readonly [number, number])[]): string =>
    `<polygon points="${points.map(([dx, dy]) => `${point(x + dx)},${point(y + dy)}`).join(' ')}" ${paint}/>`
  if (rung === 'guess') {
    return `<line x1="${point(x)}" x2="${point(x)}" y1="${point(y - 7)}" y2="${point(y + 7)}" stroke="${colour}" stroke-width="3"/>`
  }
  if (rung === 'federation') return at([[-5, -5], [5, -5], [5, 5], [-5, 5]]) // biome-ignore format: a shape
  if (rung === 'everybody') return at([[0, -6], [6, 5], [-6, 5]]) // biome-ignore format: a shape
  if (rung === 'client') return at([[0, -7], [7, 0], [0, 7], [-7, 0]]) // biome-ignore format: a shape
  return `<circle cx="${point(x)}" cy="${point(y)}" r="6" ${paint}/>`
}

const short: Readonly<Record<Rung, string>> = {
  guess: 'a guess',
  federation: 'a federation without the client',
  everybody: 'what everybody hears',
  client: 'the client, records not trained on',
  record: 'the client, its records',
}

function legend({ legend: places }: Room): string {
  const items = rungs.map(({ rung }, i) => {
    const [x, y] = [places[i]![0] + 8, places[i]![1]]
    return `${mark(rung, x, y)}<text class="dim" x="${x + 12}" y="${y + 4}" font-size="12">${short[rung]}</text>`
  })
  const [left, y] = places.at(-1)!
  const x = left + 8
  return `${items.join('')}<line x1="${x}" x2="${x + 24}" y1="${y}" y2="${y}" stroke="var(--dim)" stroke-width="1"/><line x1="${x}" x2="${x}" y1="${y - 4}" y2="${y + 4}" stroke="var(--dim)"/><line x1="${x + 24}" x2="${x + 24}" y1="${y - 4}" y2="${y + 4}" stroke="var(--dim)"/><text class="dim" x="${x + 32}" y="${y + 4}" font-size="12">interval of the step</text>`
}

function row(question: Question, { room, y: middle, models }: { room: Room; y: number; models: boolean }): string {
  const [words, y] = [middle - room.below / 2, middle + room.below / 2 + (room.below > 0 ? 6 : 0)]
  const { ladder, level, observer } = question
  const place = placeOf(ladder)
  const x = (value: number): number | null => {
    const at = place(value)
    return at === null ? null : across(room, at)
  }
  const colour = `var(--${colourOf(level)})`
  const own = rungsOf(question)
  const drawn = drawnStep(question)
  const [from, to] = [drawn.from, drawn.to].map((rung) => {
    const value = own.find((one) => one.rung === rung)?.value
    return value === undefined ? null : x(value)
  })
  const gain =
    from == null || to == null
      ? ''
      : `<line x1="${point(from)}" x2="${point(to)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="4"/>`
  const ends = stepEnds(question)?.map(x)
  const marks = own.flatMap(({ rung, value }) => {
    const at = x(value)
    return at === null ? [] : [mark(rung, at, y)]
  })
  const decided = alarmStep(question)
  const name = subjectOf(question, models)
  const figures = own.map(({ rung, value }) => `${rung} ${figure(value)}`)
  const title = `${name}: ${wordText[level]}; ${ladder.metric}: ${figures.join(', ')}${decided === null ? '' : `; ${stepWords(decided)}`}`
  const said = `${wordText[level]}, ${observer}`
  return `<g><title>${escaped(title)}</title><text x="0" y="${words - 2}" font-size="13">${escaped(cut(name, room))}</text><text class="dim" x="0" y="${words + 13}" font-size="12">${escaped(cut(said, room))}</text>${gain}${whisker(ends, y)}${marks.join('')}<text x="${room.width}" y="${y + 4}" font-size="12" text-anchor="end">${decided === null ? '' : escaped(signed(decided.effect))}</text></g>`
}

function whisker(ends: readonly (number | null)[] | undefined, y: number): string {
  const [a, b] = ends ?? []
  if (a == null || b == null) return ''
  const [low, high] = [point(Math.min(a, b)), point(Math.max(a, b))]
  const cap = (x: string): string => `<line x1="${x}" x2="${x}" y1="${y + 8}" y2="${y + 14}" stroke="currentColor"/>`
  return `<line x1="${low}" x2="${high}" y1="${y + 11}" y2="${y + 11}" stroke="currentColor"/>${cap(low)}${cap(high)}`
}

const cut = (name: string, { letters }: Room): string =>
  name.length > letters ? `${name.slice(0, letters - 1)}…` : name
