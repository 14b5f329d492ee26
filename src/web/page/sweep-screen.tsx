/** Sweeps: the list of them, and one of them as small multiples and parallel coordinates. */
import { useState } from 'preact/hooks'
import type { SweepAnswer } from '../../api/sweeps.js'
import type { Word } from '../../audit/ladder/question.js'
import { listSweeps, readSweep, sweepMultiples } from './ask-server.js'
import { bytesText } from './explore/explore-charts.js'
import { ParallelLines } from './parallel-lines.js'
import { toSweep } from './places.js'
import { Screen } from './screen.js'
import { SmallMultiple } from './small-multiple.js'
import { useLoaded } from './use-loaded.js'
import { WordMark } from './word-mark.js'

export function SweepsScreen() {
  const { value, error } = useLoaded(listSweeps, [])
  return (
    <Screen title="Sweeps" error={error}>
      {value?.length === 0 && (
        <p>There is none in the folder of runs. "overhear sweep FILE" makes one, and it is here while it runs.</p>
      )}
      <ul class="runs">
        {value?.map(({ id, changed, bytes }) => (
          <li key={id}>
            <div>
              <a href={toSweep(id)}>{id}</a>
              <p class="dim small">
                <time dateTime={new Date(changed).toISOString()}>{new Date(changed).toLocaleString()}</time> ·{' '}
                {bytesText(bytes)}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Screen>
  )
}

export function SweepScreen({ id }: { id: string }) {
  const { value: sweep, error } = useLoaded(() => readSweep(id), [id])
  return (
    <Screen title={id} error={error}>
      {sweep !== null && (
        <>
          <p class="lead figures">
            {sweep.trials} trials{sweep.failed > 0 && <span class="weak">, {sweep.failed} failed</span>}
          </p>
          <ul class="legend">
            {Object.entries(sweep.levels).map(([level, n]) => (
              <li key={level}>
                <WordMark word={level as Word} /> {n}
              </li>
            ))}
          </ul>
          {sweep.figures.length === 0 ? (
            <p class="dim">No trial has a figure yet.</p>
          ) : (
            <Pictures id={id} sweep={sweep} />
          )}
          {sweep.reasons.length > 0 && (
            <details>
              <summary>Why trials failed</summary>
              <ul>
                {sweep.reasons.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </Screen>
  )
}

function Pictures({ id, sweep }: { id: string; sweep: SweepAnswer }) {
  const [asked, setAsked] = useState({ figure: 0, x: -1, by: -1 })
  const { figure, x, by } = asked
  const request = { figure, ...(x >= 0 && { x }), ...(x >= 0 && by >= 0 && { by }) }
  const { value, error } = useLoaded(() => sweepMultiples(id, request), [id, figure, x, by])
  const choice = (key: 'figure' | 'x' | 'by', words: string, names: readonly string[], none?: string) => (
    <label>
      {words}
      <select
        value={String(asked[key])}
        onChange={({ currentTarget }) => setAsked({ ...asked, [key]: Number(currentTarget.value) })}
      >
        {none !== undefined && <option value="-1">{none}</option>}
        {names.map((name, k) => (
          <option key={name} value={String(k)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
  const axes = sweep.axes.map(({ name }) => name)
  return (
    <>
      <h2>One figure at a time</h2>
      <div class="row">
        {choice('figure', 'figure', sweep.figures)}
        {choice('x', 'along', axes, 'each axis by itself')}
        {x >= 0 && choice('by', 'a picture for each', axes, 'all together')}
      </div>
      {error !== null && <p class="fault">{error}</p>}
      <p class="dim small">
        Dots are means over trials, lines from the least to the most; all pictures have one scale.
      </p>
      <div class="multiples">
        {value?.panels.map((panel) => (
          <SmallMultiple key={panel.title} panel={panel} low={value.low} high={value.high} figure={value.figure} />
        ))}
      </div>
      <h2>All trials at once</h2>
      <ParallelLines id={id} figures={sweep.figures} />
    </>
  )
}
