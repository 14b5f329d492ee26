/** Audits at work, as the server tells of them; and a word when one ends. */
import { useEffect, useState } from 'preact/hooks'
import type { JobState } from '../../api/answers.js'
import { followJobs } from './ask-server.js'
import { isAtWork } from './progress-panel.js'

export type Jobs = Readonly<Record<string, JobState>>

export function useJobs(ended: (job: JobState) => void): Jobs {
  const [jobs, setJobs] = useState<Jobs>({})
  useEffect(
    () =>
      followJobs((job) => {
        setJobs((known) => ({ ...known, [job.id]: job }))
        if (!isAtWork(job)) ended(job)
      }),
    [],
  )
  return jobs
}
