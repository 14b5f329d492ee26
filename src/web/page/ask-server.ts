/** What the page asks its server, typed as the server answers. */
import type {
  Checked,
  Described,
  Edited,
  Fault,
  JobState,
  RunDetail,
  RunSummary,
  UploadAbout,
} from '../../api/answers.js'
import type { CheckRequest, EditRequest, StartRequest } from '../../api/requests.js'
import type { Comparison } from '../../audit/finished/compare.js'

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init).catch(() => {
    throw new Error('the server does not answer; is "overhear serve" still running?')
  })
  const value = (await answer.json()) as T | Fault
  if (!answer.ok) throw new Error((value as Fault).error)
  return value as T
}

const posted = <T>(path: string, value?: unknown): Promise<T> =>
  ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value ?? {}) })

const runPath = (id: string): string => `/api/runs/${encodeURIComponent(id)}`

export const describe = (): Promise<Described> => ask('/api/describe')
export const listRuns = (): Promise<RunSummary[]> => ask('/api/runs')
export const readRun = (id: string): Promise<RunDetail> => ask(runPath(id))
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
