/** Two runs side by side: which words and steps moved, and whether by more than noise. */
import { useState } from 'preact/hooks'
import type { RunSummary } from '../../api/answers.js'
import { figure } from '../../audit/figures.js'
import type { Comparison, MovedStep } from '../../audit/finished/compare.js'
import { signed, wordText } from '../../audit/ladder/question-words.js'
import { compareRuns, listRuns } from './ask-server.js'
import { go, toCompare } from './places.js'
import { Screen } from './screen.js'
import { useLoaded } from './use-loaded.js'
import { WordMark } from './word-mark.js'

interface CompareProps {
  readonly before: string
  readonly after: string
}

export function CompareScreen({ before, after }: CompareProps) {
  const runs = useLoaded(listRuns, [])
  const both = before !== '' && after !== ''
  const compared = useLoaded(() => (both ? compareRuns(before, after) : Promise.resolve(null)), [before, after])
  const ended = (runs.value ?? []).filter(({ level }) => level !== null)
  return (
    <Screen title="Compare" error={runs.error ?? compared.error}>
      <Choice key={`${before} ${after}`} runs={ended} before={before} after={after} />
      {compared.value !== null && <Compared compared={compared.value} />}
    </Screen>
  )
}

function Choice({ runs, before, after }: CompareProps & { runs: readonly RunSummary[] }) {
  const [pair, setPair] = useState({ before, after })
  const select = (which: keyof CompareProps) => (
    <label>
      {which}
      <select value={pair[which]} onChange={(event) => setPair({ ...pair, [which]: event.currentTarget.value })}>
        <option value="">choose a run</option>
        {runs.map(({ id, name, level, changed }) => (
          <option key={id} value={id}>
            {name}: {wordText[level!]}, {new Date(changed).toLocaleString()}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div class="row">
      {select('before')}
      {select('after')}
      <button
        type="button"
        disabled={pair.before === '' || pair.after === ''}
        onClick={() => go(toCompare(pair.before, pair.after))}
      >
        Compare
      </button>
    </div>
  )
}

function Compared({ compared }: { compared: Comparison }) {
  const { before, after, questions, use, raised, settled, settings } = compared
  const beyond = questions.flatMap(({ steps }) => steps.filter(({ beyondNoise }) => beyondNoise === true)).length
  return (
    <>
      <p class="lead">
        <WordMark word={before.level} /> → <WordMark word={after.level} />
      </p>
      <p>
        {raised} new {raised === 1 ? 'alarm' : 'alarms'}, {settled} gone; {beyond} {beyond === 1 ? 'step' : 'steps'}{' '}
        moved by more than noise.
      </p>
      <Settings settings={settings} />
      <h2>What moved</h2>
      <ul class="questions compared">
        {questions.map(({ about, observer, before: old, after: now, steps, rungs }) => (
          <li key={`${observer} ${about}`}>
            <div>
              <strong>{about}</strong> <span class="dim">{observer}</span>
            </div>
            <div>
              {old === null ? 'not asked' : <WordMark word={old} />}
              {old !== now && <> → {now === null ? 'not asked' : <WordMark word={now} />}</>}
            </div>
            <div class="figures">
              {steps.map((step) => (
                <Moved key={step.step} step={step} />
              ))}
              {rungs.length > 0 && (
                <p class="dim small">
                  rungs:{' '}
                  {rungs.map(({ rung, before: a, after: b }) => `${rung} ${figure(a)} → ${figure(b)}`).join(', ')}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
      <h2>What the training is worth</h2>
      <ul>
        {use.map(({ model, metric, before: old, after: now }) => (
          <li key={model}>
            {model}: held-out {metric ?? 'value'} {figure(old)} → {figure(now)}
          </li>
        ))}
      </ul>
      <p class="dim">{pairedWords(compared)}</p>
    </>
  )
}

/** What the scenarios say differently: the cause of the rest. */
function Settings({ settings }: Pick<Comparison, 'settings'>) {
  if (settings.length === 0) return null
  return (
    <>
      <h2>What was changed</h2>
      <dl class="facts">
        {settings.map(({ path, before, after }) => (
          <>
            <dt key={path}>{path}</dt>
            <dd>
              {before === '' ? 'not said' : before} → {after === '' ? 'not said' : after}
            </dd>
          </>
        ))}
      </dl>
    </>
  )
}

/** How noise was told: training by training where both dealt the same records. */
function pairedWords({ questions, sameSeed }: Comparison): string {
  const all = questions.flatMap(({ steps }) => steps)
  const paired = all.filter((one) => one.paired).length
  const same = `Both dealt the same records, so ${paired} of ${all.length} steps are compared training by training.`
  const apart = sameSeed
    ? 'One seed, but other trainings or records: steps that are not paired have the intervals of both added in squares.'
    : 'Drawn by different seeds: intervals of both are added in squares.'
  if (all.length === 0) return 'No step was tested in both.'
  return [...(paired > 0 ? [same] : []), ...(paired < all.length ? [apart] : [])].join(' ')
}

function Moved({ step }: { step: MovedStep }) {
  const { change, interval, beyondNoise } = step
  const range = interval === null ? '' : ` (${signed(interval[0])} to ${signed(interval[1])})`
  const noise = beyondNoise === null ? 'noise is not known' : beyondNoise ? 'more than noise' : 'within noise'
  return (
    <p>
      {step.step} step {signed(step.before)} → {signed(step.after)}, by {signed(change)}
      {range}: <strong>{noise}</strong>
    </p>
  )
}
