/** The list of runs: what each came to, those at work with their progress, and two of them to compare. */
import { useState } from 'preact/hooks'
import type { RunSummary } from '../../api/answers.js'
import { listRuns } from './ask-server.js'
import { go, toCompare, toRun } from './places.js'
import { isAtWork, ProgressBar } from './progress-panel.js'
import { Screen } from './screen.js'
import { useJobs } from './use-jobs.js'
import { useLoaded } from './use-loaded.js'
import { WordMark } from './word-mark.js'

export function RunsScreen() {
  const { value: runs, error, reload } = useLoaded(listRuns, [])
  const jobs = useJobs(reload)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const choose = (id: string, wanted: boolean): void =>
    setChosen((now) => (wanted ? [...now, id].slice(-2) : now.filter((one) => one !== id)))
  return (
    <Screen title="Runs" error={error}>
      {runs?.length === 0 && (
        <p>
          There is none yet. <a href="#/new">Start an audit</a>: the built-in one, or of a table of your own.
        </p>
      )}
      {runs !== null && runs.length > 0 && (
        <>
          <ul class="runs">
            {runs.map((run) => (
              <Row
                key={run.id}
                run={{ ...run, job: jobs[run.id] ?? run.job }}
                chosen={chosen.includes(run.id)}
                choose={choose}
              />
            ))}
          </ul>
          <p>
            <button type="button" disabled={chosen.length !== 2} onClick={() => go(toCompare(chosen[0]!, chosen[1]!))}>
              Compare the two that are ticked
            </button>
          </p>
        </>
      )}
    </Screen>
  )
}

interface RowProps {
  readonly run: RunSummary
  readonly chosen: boolean
  choose(id: string, wanted: boolean): void
}

function Row({ run, chosen, choose }: RowProps) {
  const { id, name, level, tested, notTested, changed, sentence, job } = run
  return (
    <li>
      <input
        type="checkbox"
        aria-label={`compare ${id}`}
        checked={chosen}
        disabled={level === null}
        onChange={(event) => choose(id, event.currentTarget.checked)}
      />
      <div>
        <a href={toRun(id)}>{name}</a> {level !== null && <WordMark word={level} />}{' '}
        {level !== null && (
          <span class="dim">
            {tested} of {tested + notTested} tested
          </span>
        )}
        {sentence !== null && <p class="sentence">{sentence}</p>}
        {job !== null && isAtWork(job) && <ProgressBar job={job} />}
        {job?.error != null && <p class="fault">{job.error}</p>}
        <p class="dim small">
          <time dateTime={new Date(changed).toISOString()}>{new Date(changed).toLocaleString()}</time> · {id}
        </p>
      </div>
    </li>
  )
}
