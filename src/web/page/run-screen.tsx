/** One run: its word, its progress while it is at work, the ladders, sentences, and the report itself. */
import { useState } from 'preact/hooks'
import type { RunDetail } from '../../api/answers.js'
import { figure } from '../../audit/figures.js'
import type { Verdict } from '../../audit/verdict.js'
import { cancelAudit, readRun, reportPath, reportPdf, resumeAudit } from './ask-server.js'
import { Ladders } from './ladder.js'
import { keepText } from './new-text.js'
import { go, toCompare, toExplore } from './places.js'
import { isAtWork, ProgressPanel } from './progress-panel.js'
import { Screen } from './screen.js'
import { useJobs } from './use-jobs.js'
import { useLoaded } from './use-loaded.js'
import { WordMark } from './word-mark.js'

export function RunScreen({ id }: { id: string }) {
  const { value: run, error, reload } = useLoaded(() => readRun(id), [id])
  const jobs = useJobs((job) => {
    if (job.id === id) reload()
  })
  const [fault, setFault] = useState<string | null>(null)
  const act = (work: (id: string) => Promise<unknown>) => (): void => {
    setFault(null)
    work(id).then(reload, (problem: Error) => setFault(problem.message))
  }
  const job = jobs[id] ?? run?.summary.job ?? null
  return (
    <Screen title={run?.summary.name ?? id} error={error ?? fault}>
      {run !== null && (
        <>
          <p class="dim small">{id}</p>
          <div class="row">
            {isAtWork(job) && (
              <button type="button" onClick={act(cancelAudit)}>
                Cancel
              </button>
            )}
            {!isAtWork(job) && run.summary.resumable && (
              <button type="button" onClick={act(resumeAudit)}>
                Resume
              </button>
            )}
            {run.verdict !== null && (
              <>
                <a class="button" href={reportPath(id)} target="_blank" rel="noreferrer">
                  Open the report
                </a>
                <a class="button" href={`${reportPath(id)}?redact`} target="_blank" rel="noreferrer">
                  Report without people
                </a>
                <PdfButton id={id} failed={setFault} />
                <a class="button" href={toExplore(id)}>
                  Explore the messages
                </a>
                <button type="button" onClick={() => go(toCompare(id, ''))}>
                  Compare
                </button>
              </>
            )}
            {run.yaml !== null && (
              <button
                type="button"
                onClick={() => {
                  keepText(run.yaml!)
                  go('#/new')
                }}
              >
                Change and run again
              </button>
            )}
          </div>
          <p role="status" class="visually-hidden">
            {job === null ? '' : `the audit is ${job.state}`}
          </p>
          {job !== null && job.state !== 'done' && <ProgressPanel job={job} />}
          <Ended run={run} />
        </>
      )}
    </Screen>
  )
}

/** Printed by a browser of the server's machine, which takes some seconds. */
function PdfButton({ id, failed }: { id: string; failed(message: string): void }) {
  const [printing, setPrinting] = useState(false)
  const print = async (): Promise<void> => {
    setPrinting(true)
    try {
      const address = URL.createObjectURL(await reportPdf(id))
      Object.assign(document.createElement('a'), { href: address, download: `${id}.pdf` }).click()
      setTimeout(() => URL.revokeObjectURL(address), 10_000)
    } catch (problem) {
      failed((problem as Error).message)
    }
    setPrinting(false)
  }
  return (
    <button type="button" disabled={printing} onClick={print}>
      {printing ? 'Printing…' : 'PDF without people'}
    </button>
  )
}

function Ended({ run }: { run: RunDetail }) {
  const { verdict, questions, utility, summary, yaml } = run
  if (verdict === null) return null
  const [worst, ...others] = verdict.sentences
  return (
    <>
      <p class="lead">
        <WordMark word={verdict.level} />{' '}
        <span class="dim">
          {verdict.tested} of {verdict.tested + verdict.notTested} questions tested
          {summary.complete ? '' : '; it was stopped before its end'}
        </span>
      </p>
      {worst !== undefined && <p class="sentence">{worst}</p>}
      <Untested verdict={verdict} />
      <h2>What is learned, and from where</h2>
      <Ladders id={summary.id} first={questions} notTested={run.notTested} />
      {others.length > 0 && (
        <details>
          <summary>All of it in sentences</summary>
          <ul>
            {others.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          {run.sentences > verdict.sentences.length && (
            <p class="dim">{run.sentences - verdict.sentences.length} more are in the report.</p>
          )}
        </details>
      )}
      {verdict.advice.length > 0 && (
        <>
          <h2>What could be changed</h2>
          <p class="dim">Untried: overhear advise tries changes, and measures what they leave and cost.</p>
          <ul>
            {verdict.advice.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {utility.length > 0 && (
        <>
          <h2>What the training is worth</h2>
          <ul>
            {utility.map(({ model, trainLoss, heldOutLoss, metric, value }) => (
              <li key={model}>
                {model}: training loss {figure(trainLoss)}, held-out loss {figure(heldOutLoss)}, {metric ?? 'value'}{' '}
                {figure(value)}
              </li>
            ))}
          </ul>
        </>
      )}
      {yaml !== null && (
        <details>
          <summary>The scenario</summary>
          <pre>{yaml}</pre>
        </details>
      )}
      <h2>The report</h2>
      <Report id={summary.id} large={questions.total + run.notTested > 200} />
    </>
  )
}

/** Why questions were not tested: that is no pass. */
function Untested({ verdict }: { verdict: Verdict }) {
  const { untested } = verdict
  if (untested.length === 0) return null
  return (
    <div class="sentence">
      <p>Not tested, which is no pass:</p>
      <ul>
        {untested.slice(0, 4).map(({ reason, questions }) => (
          <li key={reason}>
            {reason}{' '}
            <span class="dim">
              ({questions.length} {questions.length === 1 ? 'question' : 'questions'})
            </span>
          </li>
        ))}
        {untested.length > 4 && <li class="dim">{untested.length - 4} more reasons are in the report.</li>}
      </ul>
    </div>
  )
}

/** A large one takes a browser a while: only when it is asked for. */
function Report({ id, large }: { id: string; large: boolean }) {
  const [shown, setShown] = useState(!large)
  if (!shown) {
    return (
      <button type="button" onClick={() => setShown(true)}>
        Show the report here: it is large
      </button>
    )
  }
  return (
    <iframe
      class="report"
      title="the report of this run"
      sandbox="allow-scripts allow-downloads"
      src={reportPath(id)}
    />
  )
}
