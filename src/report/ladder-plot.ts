/** The ladder of each question as a picture: its rungs on one axis from a guess to everything, with the interval of the step. */
import { figure } from '../audit/figures.js'
import { alarmStep, byHarm, toldOf } from '../audit/ladder/leak-sentences.js'
import { isAlarm, type Question, type Rung, type Word } from '../audit/ladder/question.js'
import { severalModels, signed, stepWords, subjectOf, wordText } from '../audit/ladder/question-words.js'
import { escaped, point } from './escape.js'
import { drawnStep, lowest, placeOf, rungs, rungsOf, stepEnds } from './ladder-scale.js'

const width = 820
const left = 290
const right = 90
const step = 38
const head = 58

/** The colour of a word. */
export const colourOf = (word: Word): 'leak' | 'weak' | 'none' =>
  isAlarm(word) ? 'leak' : word === 'inconclusive' || word === 'not-tested' ? 'weak' : 'none'

/** Questions that were tested, the worst first; '' of none. At most so many. */
export function ladderPlot(questions: readonly Question[], most = Number.POSITIVE_INFINITY): string {
  const told = toldOf(questions).map(({ question }) => question)
  const shown = told.sort(byHarm).slice(0, most)
  if (shown.length === 0) return ''
  const models = severalModels(questions)
  const height = head + step * shown.length + 34
  const rows = shown.map((one, i) => row(one, head + step * (i + 0.5), models))
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="what is learned by each question, from a guess to everything">${legend()}${axis(height)}${rows.join('')}</svg>`
}

const across = (place: number): number => left + ((place - lowest) / (1 - lowest)) * (width - left - right)

function axis(height: number): string {
  const ends: readonly [number, string][] = [
    [0, 'a guess'],
    [1, 'everything'],
  ]
  const lines = ends.map(([at, word]) => {
    const x = point(across(at))
    return `<line x1="${x}" x2="${x}" y1="${head - 4}" y2="${height - 30}" stroke="var(--line)"/><text class="dim" x="${x}" y="${height - 14}" font-size="12" text-anchor="middle">${word}</text>`
  })
  const middle = point((across(0) + across(1)) / 2)
  return `${lines.join('')}<text class="dim" x="${middle}" y="${height - 14}" font-size="12" text-anchor="middle">what is learned</text><text class="dim" x="${width}" y="${head - 8}" font-size="12" text-anchor="end">step</text>`
}

/** A mark for each rung, told apart by its form too. */
function mark(rung: Rung, x: number, y: number, colour: string): string {
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

function legend(): string {
  const places = [0, 90, 330, 0, 260]
  const items = rungs.map(({ rung }, i) => {
    const [x, y] = [places[i]! + 8, i < 3 ? 12 : 32]
    return `${mark(rung, x, y, 'var(--dim)')}<text class="dim" x="${x + 12}" y="${y + 4}" font-size="12">${short[rung]}</text>`
  })
  const x = 470
  return `${items.join('')}<line x1="${x}" x2="${x + 24}" y1="32" y2="32" stroke="var(--dim)" stroke-width="1"/><line x1="${x}" x2="${x}" y1="28" y2="36" stroke="var(--dim)"/><line x1="${x + 24}" x2="${x + 24}" y1="28" y2="36" stroke="var(--dim)"/><text class="dim" x="${x + 32}" y="36" font-size="12">interval of the step</text>`
}

function row(question: Question, y: number, models: boolean): string {
  const { ladder, level, observer } = question
  const place = placeOf(ladder)
  const x = (value: number): number | null => {
    const at = place(value)
    return at === null ? null : across(at)
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
    const counts = rung !== 'guess' && (rung === drawn.to || rung === drawn.from)
    return at === null ? [] : [mark(rung, at, y, counts ? colour : 'var(--dim)')]
  })
  const decided = alarmStep(question)
  const name = subjectOf(question, models)
  const figures = own.map(({ rung, value }) => `${rung} ${figure(value)}`)
  const title = `${name}: ${wordText[level]}; ${ladder.metric}: ${figures.join(', ')}${decided === null ? '' : `; ${stepWords(decided)}`}`
  const said = `${wordText[level]}, ${observer}`
  return `<g><title>${escaped(title)}</title><text x="0" y="${y - 2}" font-size="13">${escaped(cut(name))}</text><text class="dim" x="0" y="${y + 13}" font-size="12">${escaped(cut(said))}</text>${gain}${whisker(ends, y)}${marks.join('')}<text x="${width}" y="${y + 4}" font-size="12" text-anchor="end">${decided === null ? '' : escaped(signed(decided.effect))}</text></g>`
}

function whisker(ends: readonly (number | null)[] | undefined, y: number): string {
  const [a, b] = ends ?? []
  if (a == null || b == null) return ''
  const [low, high] = [point(Math.min(a, b)), point(Math.max(a, b))]
  const cap = (x: string): string => `<line x1="${x}" x2="${x}" y1="${y + 8}" y2="${y + 14}" stroke="currentColor"/>`
  return `<line x1="${low}" x2="${high}" y1="${y + 11}" y2="${y + 11}" stroke="currentColor"/>${cap(low)}${cap(high)}`
}

const cut = (name: string): string => (name.length > 44 ? `${name.slice(0, 43)}…` : name)
