/** How far an audit is: rounds, losses, attacks, what was found so far, and how long it may still take. */
import type { JobState } from '../../api/answers.js'
import { figure } from '../../audit/figures.js'

export const isAtWork = (job: JobState | null): boolean => job?.state === 'running' || job?.state === 'waiting'

/** "2 min 05 s" */
function clock(seconds: number): string {
  const s = Math.ceil(seconds)
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s`
}

const words: Readonly<Record<JobState['state'], string>> = {
  waiting: 'waits in line',
  running: 'at work',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped; what was finished is kept',
}

/** In one line. */
function progressText({ state, training, attacks, secondsLeft, error }: JobState): string {
  if (state !== 'running') return error ?? words[state]
  const parts = [
    training.total === 0 ? 'begins' : `training ${training.number} of ${training.total}`,
    ...(attacks.total === 0 ? [] : [`attack ${attacks.done} of ${attacks.total}`]),
    ...(secondsLeft === null ? [] : [`${clock(secondsLeft)} left`]),
  ]
  return parts.join(', ')
}

export function ProgressBar({ job }: { job: JobState }) {
  return (
    <div class="progress">
      <progress max={1} value={job.share} aria-label={`progress of ${job.id}`} />
      <span class="dim">{progressText(job)}</span>
    </div>
  )
}

export function ProgressPanel({ job }: { job: JobState }) {
  const { round, trained, found, remarks, lastAttack, error } = job
  return (
    <section class="panel" aria-label="progress">
      <ProgressBar job={job} />
      {error !== null && <p class="fault">{error}</p>}
      <dl class="facts">
        {round !== null && (
          <>
            <dt>round</dt>
            <dd>
              {round.round} of {round.rounds} ({round.model})
            </dd>
          </>
        )}
        {trained.map(({ model, trainLoss, heldOutLoss, metric, value }) => (
          <>
            <dt>{model}</dt>
            <dd>
              loss {figure(trainLoss)}, held out {figure(heldOutLoss)}
              {metric !== null && `, ${metric} ${figure(value)}`}
            </dd>
          </>
        ))}
        {lastAttack !== null && (
          <>
            <dt>last attack</dt>
            <dd>{lastAttack}</dd>
          </>
        )}
      </dl>
      {found.length > 0 && (
        <>
          <h3>Found so far, not judged yet</h3>
          <ul class="found">
            {found.map((one) => (
              <li key={`${one.attack} ${one.about}`}>
                {one.attack}, {one.about}: {one.metric} {figure(one.trained)} trained, {figure(one.held)} held back
              </li>
            ))}
          </ul>
        </>
      )}
      {remarks.length > 0 && (
        <details>
          <summary>{remarks.length} remarks</summary>
          <ul>
            {remarks.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
