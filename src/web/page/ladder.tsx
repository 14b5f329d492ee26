/** Questions with their ladders: a row each, its rungs on one axis from a guess to everything, told apart by form and colour. */
import { useState } from 'preact/hooks'
import type { ShownQuestion } from '../../api/answers.js'
import { figure } from '../../audit/figures.js'
import type { Rung } from '../../audit/ladder/question.js'
import { wordText } from '../../audit/ladder/question-words.js'
import { drawnStep, lowest, placeOf, propertyRung, rungs, rungsOf, stepEnds } from '../../report/ladder-scale.js'
import { WordMark } from './word-mark.js'

const [width, height] = [320, 28]
const pad = 10
const across = (place: number): number => pad + ((place - lowest) / (1 - lowest)) * (width - 2 * pad)

/** A mark for each rung, by its form: the same as in the report. */
function Mark({ rung, x, y, loud }: { rung: Rung; x: number; y: number; loud: boolean }) {
  const own = `rung rung-${rung}${loud ? ' loud' : ''}`
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
        <Mark
          key={rung}
          rung={rung}
          x={x}
          y={y}
          loud={rung !== 'guess' && (rung === drawn.from || rung === drawn.to)}
        />
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
            <Mark rung={rung} x={10} y={10} loud={false} />
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

const [mostAtFirst, mostAtOnce] = [50, 200]

export function Ladders({ questions }: { questions: readonly ShownQuestion[] }) {
  const all = questions.filter(({ level }) => level !== 'not-tested')
  const [most, setMost] = useState(mostAtFirst)
  const tested = all.slice(0, most)
  const rest = questions.filter(({ level }) => level === 'not-tested')
  return (
    <>
      <ol class="questions">
        {tested.map((one) => {
          const step = drawnStep(one).test
          const best = one.ladder.record ?? one.ladder.client
          return (
            <li key={`${one.observer} ${one.about}`} class={`level-${one.level}`}>
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
        })}
      </ol>
      {all.length > most && (
        <p>
          <button type="button" onClick={() => setMost(most + mostAtOnce)}>
            Show more: {all.length - most} are left, the worst are above
          </button>
        </p>
      )}
      {tested.length > 0 && <LadderLegend property={tested.some(isProperty)} />}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} not tested: that is no pass</summary>
          <ul>
            {rest.map((one) => (
              <li key={`${one.observer} ${one.about}`}>
                {one.about}, {one.observer}: <span class="dim">{one.notTested}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
