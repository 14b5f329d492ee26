/** Questions with their ladders: a row each, its rungs on one axis from a guess to everything, told apart by form and colour. */
import { useState } from 'preact/hooks'
import type { QuestionPage, ShownQuestion } from '../../api/answers.js'
import { figure } from '../../audit/figures.js'
import type { Rung } from '../../audit/ladder/question.js'
import { wordText } from '../../audit/ladder/question-words.js'
import { drawnStep, lowest, placeOf, propertyRung, rungs, rungsOf, stepEnds } from '../../report/ladder-scale.js'
import { readQuestions } from './ask-server.js'
import { Pager } from './paged.js'
import { useLoaded } from './use-loaded.js'
import { WordMark } from './word-mark.js'

const [width, height] = [320, 28]
const pad = 10
const across = (place: number): number => pad + ((place - lowest) / (1 - lowest)) * (width - 2 * pad)

/** A mark for each rung, by its form and its colour: the same as in the report. */
function Mark({ rung, x, y }: { rung: Rung; x: number; y: number }) {
  const own = `rung rung-${rung}`
  const at = (...points: readonly (readonly [number, number])[]): string =>
    points.map(([dx, dy]) => `${x + dx},${y + dy}`).join(' ')
  if (rung === 'guess') return <line class={own} x1={x} x2={x} y1={y - 7} y2={y + 7} />
  if (rung === 'federation') return <polygon class={own} points={at([-5, -5], [5, -5], [5, 5], [-5, 5])} />
  if (rung === 'everybody') return <polygon class={own} points={at([0, -6], [6, 5], [-6, 5])} />
  if (rung === 'client') return <polygon class={own} points={at([0, -7], [7, 0], [0, 7], [-7, 0])} />
  return <circle class={own} cx={x} cy={y} r={6} />
}

type LadderPart = Pick<ShownQuestion, 'ladder' | 'test' | 'target' | 'level'>

/** One axis with what was reached on it. */
export function LadderBar({ question, label }: { question: LadderPart; label: string }) {
  const { ladder } = question
  const place = placeOf(ladder)
  const own = rungsOf(question).flatMap(({ rung, value }) => {
    const at = place(value)
    return at === null ? [] : [{ rung, value, x: across(at) }]
  })
  const drawn = drawnStep(question)
  const [from, to] = [drawn.from, drawn.to].map((rung) => own.find((one) => one.rung === rung)?.x)
  const ends = stepEnds(question)?.map(place)
  const [low, high] = [ends?.[0], ends?.[1]].map((one) => (one == null ? null : across(one)))
  const y = height / 2
  const figures = own.map(({ rung, value }) => `${rung} ${figure(value)}`).join(', ')
  return (
    <svg
      class="ladder"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${label}: ${ladder.metric} ${figures}`}
    >
      <line class="axis" x1={across(0)} x2={across(1)} y1={y} y2={y} />
      <line class="axis" x1={across(0)} x2={across(0)} y1={3} y2={height - 3} />
      <line class="axis" x1={across(1)} x2={across(1)} y1={3} y2={height - 3} />
      {from !== undefined && to !== undefined && <line class="step" x1={from} x2={to} y1={y} y2={y} />}
      {low != null && high != null && <line class="whisker" x1={low} x2={high} y1={height - 2} y2={height - 2} />}
      {own.map(({ rung, x }) => (
        <Mark key={rung} rung={rung} x={x} y={y} />
      ))}
    </svg>
  )
}

/** What the marks stand for; a property of clients where there is one. */
export function LadderLegend({ property = false }: { property?: boolean }) {
  const items = [...rungs, ...(property ? [propertyRung] : [])]
  return (
    <ul class="legend">
      {items.map(({ rung, words, letter }) => (
        <li key={letter}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <Mark rung={rung} x={10} y={10} />
          </svg>
          {words}
        </li>
      ))}
      <li>each line goes from a guess to knowing everything; thick: the step that was tested, below it its interval</li>
    </ul>
  )
}

/** Properties of clients have no rungs between a guess and what is heard. */
const isProperty = ({ target, ladder }: ShownQuestion): boolean => target === null && ladder.federation === null

const pageSize = 50

interface LaddersProps {
  readonly id: string
  readonly first: QuestionPage
  readonly notTested: number
}

/** Questions a page at a time, as the server has them; those whose words hold what is looked for. */
export function Ladders({ id, first, notTested }: LaddersProps) {
  const [asked, setAsked] = useState({ from: 0, find: '' })
  const { value, error } = useLoaded(
    () =>
      asked.from === 0 && asked.find === '' ? Promise.resolve(first) : readQuestions(id, { ...asked, count: pageSize }),
    [id, asked.from, asked.find, first],
  )
  const { from, total, questions } = value ?? first
  return (
    <>
      {first.total > pageSize && (
        <div class="row">
          <label>
            find a question
            <input
              type="text"
              value={asked.find}
              placeholder="client 17, union, server"
              onInput={({ currentTarget }) => setAsked({ from: 0, find: currentTarget.value })}
            />
          </label>
          <Pager
            what="questions"
            from={from}
            shown={questions.length}
            total={total}
            size={pageSize}
            to={(next) => setAsked({ ...asked, from: next })}
          />
        </div>
      )}
      {error !== null && <p class="fault">{error}</p>}
      <ol class="questions">
        {questions.map((one) => (
          <LadderRow key={`${one.observer} ${one.about}`} one={one} />
        ))}
      </ol>
      {questions.length > 0 && <LadderLegend property={questions.some(isProperty)} />}
      {notTested > 0 && <NotTested id={id} count={notTested} />}
    </>
  )
}

function LadderRow({ one }: { one: ShownQuestion }) {
  const step = drawnStep(one).test
  const best = one.ladder.record ?? one.ladder.client
  return (
    <li class={`level-${one.level}`}>
      <div>
        <WordMark word={one.level} /> <strong>{one.about}</strong>
        <span class="dim"> heard by {[one.observer, ...one.alsoTo].join(', ')}</span>
      </div>
      <LadderBar question={one} label={`${one.about}, ${wordText[one.level]}`} />
      <div class="figures">
        {one.ladder.metric} {figure(best)}
        {step !== null && (
          <span class="dim">
            , step {figure(step.effect)}, p {figure(step.adjusted)}
          </span>
        )}
      </div>
    </li>
  )
}

/** Asked for when it is opened. */
function NotTested({ id, count }: { id: string; count: number }) {
  const [open, setOpen] = useState(false)
  const [from, setFrom] = useState(0)
  const { value } = useLoaded(
    () => (open ? readQuestions(id, { from, count: pageSize, tested: 'no' }) : Promise.resolve(null)),
    [id, open, from],
  )
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{count} not tested: that is no pass</summary>
      {value !== null && (
        <>
          <Pager
            what="questions"
            from={from}
            shown={value.questions.length}
            total={value.total}
            size={pageSize}
            to={setFrom}
          />
          <ul>
            {value.questions.map((one) => (
              <li key={`${one.observer} ${one.about}`}>
                {one.about}, {one.observer}: <span class="dim">{one.notTested}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  )
}
