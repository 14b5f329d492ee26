/** What the page asks its server, typed as the server answers. */
import type {
  Checked,
  Described,
  Edited,
  Fault,
  JobState,
  QuestionPage,
  RunDetail,
  RunSummary,
  UploadAbout,
} from '../../api/answers.js'
import type {
  ClientAnswer,
  ClientRequest,
  ExploreAnswer,
  ExploreRequest,
  ParticipationAnswer,
  ParticipationRequest,
  RecordsAnswer,
  RecordsRequest,
  RoundAnswer,
  RoundRequest,
  TimelineAnswer,
  TimelineRequest,
} from '../../api/explore.js'
import type { CheckRequest, EditRequest, QuestionsRequest, StartRequest } from '../../api/requests.js'
import type {
  ColumnsAnswer,
  ColumnsRequest,
  MultiplesAnswer,
  MultiplesRequest,
  StoredStudy,
  StudySummary,
  SweepAnswer,
  SweepSummary,
} from '../../api/sweeps.js'
import type { Comparison } from '../../audit/finished/compare.js'

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init).catch(() => {
    throw new Error('the server does not answer; is "overhear serve" still running?')
  })
  const value = (await answer.json()) as T | Fault
  if (!answer.ok) throw new Error((value as Fault).error)
  return value as T
}

/** The report without people as PDF. */
export async function reportPdf(id: string): Promise<Blob> {
  const answer = await fetch(`${reportPath(id)}.pdf`)
  if (!answer.ok) throw new Error(((await answer.json()) as Fault).error)
  return answer.blob()
}

const posted = <T>(path: string, value?: unknown): Promise<T> =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value ?? {}) })

/** What is asked, behind the ? of an address. */
const query = (request: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(Object.entries(request).flatMap(([key, one]) => (one == null ? [] : [[key, String(one)]])))

const runPath = (id: string): string => `/api/runs/${encodeURIComponent(id)}`

export const describe = (): Promise<Described> => ask('/api/describe')
export const listRuns = (): Promise<RunSummary[]> => ask('/api/runs')
export const readRun = (id: string): Promise<RunDetail> => ask(runPath(id))
export const readQuestions = (id: string, request: QuestionsRequest): Promise<QuestionPage> =>
  ask(`${runPath(id)}/questions?${query(request)}`)
const explored =
  <Request extends object, Answer>(part: string) =>
  (id: string, request: Request): Promise<Answer> =>
    ask(`${runPath(id)}/explore${part}?${query(request as Readonly<Record<string, unknown>>)}`)
export const exploreRun = explored<ExploreRequest, ExploreAnswer>('')
export const exploreTimeline = explored<TimelineRequest, TimelineAnswer>('/rounds')
export const exploreRound = explored<RoundRequest, RoundAnswer>('/round')
export const exploreClient = explored<ClientRequest, ClientAnswer>('/client')
export const exploreParticipation = explored<ParticipationRequest, ParticipationAnswer>('/participation')
export const exploreRecords = explored<RecordsRequest, RecordsAnswer>('/records')
const sweepPath = (id: string): string => `/api/sweeps/${encodeURIComponent(id)}`
export const listSweeps = (): Promise<SweepSummary[]> => ask('/api/sweeps')
export const readSweep = (id: string): Promise<SweepAnswer> => ask(sweepPath(id))
export const sweepColumns = (id: string, request: ColumnsRequest): Promise<ColumnsAnswer> =>
  ask(`${sweepPath(id)}/columns?${query(request)}`)
export const sweepMultiples = (id: string, request: MultiplesRequest): Promise<MultiplesAnswer> =>
  ask(`${sweepPath(id)}/multiples?${query(request)}`)
export const listStudies = (): Promise<StudySummary[]> => ask('/api/studies')
export const readStudy = (key: string): Promise<StoredStudy> => ask(`/api/studies/${encodeURIComponent(key)}`)
export const reportPath = (id: string): string => `${runPath(id)}/report`
export const startAudit = (request: StartRequest): Promise<JobState> => posted('/api/runs', request)
export const cancelAudit = (id: string): Promise<JobState> => posted(`${runPath(id)}/cancel`)
export const resumeAudit = (id: string): Promise<JobState> => posted(`${runPath(id)}/resume`)
export const checkText = (request: CheckRequest): Promise<Checked> => posted('/api/check', request)
export const editText = (request: EditRequest): Promise<Edited> => posted('/api/edit', request)
export const aboutUpload = (name: string): Promise<UploadAbout> => ask(`/api/uploads/${encodeURIComponent(name)}`)
export const compareRuns = (before: string, after: string): Promise<Comparison> =>
  ask(`/api/compare?${new URLSearchParams({ before, after })}`)

/** Sends a file; `inside` is its path in a folder that is uploaded, if any. */
export async function upload(name: string, file: Blob, inside: readonly string[] = []): Promise<void> {
  const path = ['/api/uploads', ...[name, ...inside].map(encodeURIComponent)].join('/')
  await ask(path, { method: 'PUT', body: file })
}

/** States of audits as they change, until the function that it returns is called. */
export function followJobs(take: (job: JobState) => void): () => void {
  const source = new EventSource('/api/events')
  source.addEventListener('job', (event) => take(JSON.parse(event.data as string) as JobState))
  return () => source.close()
}
