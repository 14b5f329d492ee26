/** The lab: sliders for a small federation in this browser, and the ladder of what an eavesdropper learns, as it comes. */
import { useEffect, useState } from 'preact/hooks'
import { figure } from '../../audit/figures.js'
import { type LabDefence, type LabEvent, type LabQuestion, type LabSettings, labDefences } from '../lab.js'
import type { LabMessage } from '../lab-worker.js'
import { LadderBar, LadderLegend } from './ladder.js'
import { Screen } from './screen.js'
import { WordMark } from './word-mark.js'

interface Slider {
  readonly key: Exclude<keyof LabSettings, 'defence'>
  readonly words: string
  readonly about: string
  readonly values: readonly number[]
  /** What 0 means. */
  readonly zero?: string
}

const sliders: readonly Slider[] = [
  {
    key: 'rounds',
    words: 'eavesdropped rounds',
    about: 'the training is as long, and all of it is overheard',
    values: [2, 5, 10, 20, 40, 60],
  },
  {
    key: 'localEpochs',
    words: 'local epochs',
    about: "passes over its records in a client's turn",
    values: [1, 2, 5, 10, 20],
  },
  { key: 'batchSize', words: 'batch size', about: 'records of a step', values: [0, 4, 8, 16], zero: 'all of them' },
  {
    key: 'heterogeneity',
    words: 'heterogeneity',
    about: '0: clients are alike; 0.5: two kinds of them',
    values: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
  },
  { key: 'noise', words: 'noise', about: 'of DP-SGD, in clipping norms', values: [0, 0.5, 1, 2, 4, 8], zero: 'none' },
  { key: 'seed', words: 'seed', about: 'the same seed gives the same bits', values: [1, 2, 3, 4, 5, 6, 7, 8] },
]

const first: LabSettings = { batchSize: 0, localEpochs: 10, rounds: 20, heterogeneity: 0.4, noise: 0, seed: 1 }
const defenceWords: Readonly<Record<LabDefence, string>> = {
  none: 'none',
  quantise: 'quantise: two bits a value',
  sparsify: 'sparsify: the largest tenth is sent',
  'gradient-pruning': 'gradient pruning: the smallest third is dropped',
  mixup: 'mixup: records are mixed in pairs',
}
/** Records that are mixed have no norm of their own to clip: with noise there is no mixup. */
const together = (settings: LabSettings): LabSettings =>
  settings.defence === 'mixup' && settings.noise > 0 ? { ...settings, defence: 'none' } : settings
const quietFor = 300 // ms after the last poke

interface Shown {
  readonly questions: readonly LabQuestion[]
  readonly progress: Extract<LabEvent, { kind: 'progress' }> | null
  readonly state: 'running' | 'done' | 'failed'
  readonly use: number | null
  readonly error: string | null
  readonly firstAt: number | null
  readonly at: number
}

const fresh: Shown = { questions: [], progress: null, state: 'running', use: null, error: null, firstAt: null, at: 0 }

function after(shown: Shown, message: LabMessage): Shown {
  const { at } = message
  switch (message.kind) {
    case 'progress':
      return { ...shown, progress: message, at }
    case 'rungs':
      return { ...shown, questions: message.questions, firstAt: shown.firstAt ?? at, at }
    case 'done':
      return { ...shown, questions: message.questions, use: message.use, state: 'done', at }
    case 'failed':
      return { ...shown, error: message.error, state: 'failed', at }
  }
}

export function LabScreen() {
  const [settings, setSettings] = useState(first)
  const [shown, setShown] = useState(fresh)
  useEffect(() => {
    setShown((before) => ({ ...fresh, questions: before.questions }))
    let worker: Worker | undefined
    const timer = setTimeout(() => {
      worker = new Worker(new URL('../bundle/web/lab-worker.js', import.meta.url), { type: 'module' })
      worker.onmessage = ({ data }: MessageEvent<LabMessage>) => setShown((before) => after(before, data))
      worker.onerror = (event) => setShown((before) => ({ ...before, state: 'failed', error: event.message }))
      worker.postMessage(settings)
    }, quietFor)
    return () => {
      clearTimeout(timer)
      worker?.terminate()
    }
  }, [settings])
  return (
    <Screen title="Lab" error={shown.error}>
      <p>
        Eight clients predict wages; somebody on the line of client 0 wants to know who of its workers is in a union.
        Everything runs in this browser, by the same kernels as an audit: nothing is sent anywhere.
      </p>
      <div class="beside">
        <form aria-label="the federation" onSubmit={(event) => event.preventDefault()}>
          {sliders.map((slider) => (
            <SliderField
              key={slider.key}
              slider={slider}
              value={settings[slider.key]}
              put={(value) => setSettings((before) => together({ ...before, [slider.key]: value }))}
            />
          ))}
          <div class="field">
            <label for="lab-defence">another defence</label>
            <select
              id="lab-defence"
              value={settings.defence ?? 'none'}
              onChange={({ currentTarget }) => {
                const defence = currentTarget.value as LabDefence
                setSettings((before) => ({ ...before, defence }))
              }}
            >
              {labDefences.map((one) => (
                <option key={one} value={one} disabled={one === 'mixup' && settings.noise > 0}>
                  {defenceWords[one]}
                </option>
              ))}
            </select>
          </div>
        </form>
        <section aria-label="what is learned">
          <LabProgress shown={shown} />
          <ul class="questions lab">
            {shown.questions.map((one) => (
              <LabRow key={`${one.kind} ${one.name}`} question={one} judged={shown.state === 'done'} />
            ))}
          </ul>
          <LadderLegend />
        </section>
      </div>
    </Screen>
  )
}

function SliderField({ slider, value, put }: { slider: Slider; value: number; put(value: number): void }) {
  const { key, words, about, values, zero } = slider
  const id = `lab-${key}`
  const shown = value === 0 && zero !== undefined ? zero : String(value)
  return (
    <div class="field">
      <label for={id}>
        {words}: <output for={id}>{shown}</output>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={values.length - 1}
        step={1}
        value={values.indexOf(value)}
        aria-describedby={`${id}-about`}
        aria-valuetext={shown}
        onInput={({ currentTarget }) => put(values[Number(currentTarget.value)]!)}
      />
      <span class="small dim" id={`${id}-about`}>
        {about}
      </span>
    </div>
  )
}

function LabProgress({ shown }: { shown: Shown }) {
  const { progress, state, use, at, firstAt } = shown
  const told =
    state === 'done'
      ? `judged after ${(at / 1000).toFixed(1)} s, the first rungs after ${((firstAt ?? at) / 1000).toFixed(1)} s; the model explains R2 ${figure(use)} of wages it has not seen`
      : progress === null
        ? 'begins'
        : `training ${progress.training} of ${progress.trainings}, ${progress.attacks} attacks; not judged yet`
  return (
    <p class="dim lab-progress" data-state={state} data-first={firstAt ?? ''} data-at={at}>
      {state === 'failed' ? 'failed' : told}
    </p>
  )
}

function LabRow({ question, judged }: { question: LabQuestion; judged: boolean }) {
  const { kind, name, ladder, level } = question
  const about = name ?? kind
  const rung = (word: string, value: number | null) => (
    <span>
      {word} {figure(value)}{' '}
    </span>
  )
  return (
    <li class={`level-${level}`} data-about={about} data-record={ladder.record ?? ''}>
      <div>
        <strong>{about} of client 0</strong> {judged && <WordMark word={level} />}
      </div>
      <LadderBar question={question} label={about} />
      <div class="figures small">
        {ladder.metric}: {rung('guess', ladder.guess)}
        {rung('federation', ladder.federation)}
        {rung('client', ladder.client)}
        {rung('record', ladder.record)}
      </div>
    </li>
  )
}
