/** A stored study in short, for lists. */
import type { StoredStudy, StudySummary } from './sweeps.js'

/** The name of a study that came with the package. */
export const storedKey = ({ study, run }: StoredStudy): string => `stored.${study}${run.quick ? '-quick' : ''}`

export function studyInShort(key: string, stored: StoredStudy, run: string | null): StudySummary {
  const { study, title, where, paper, claims } = stored
  const { quick, date } = stored.run
  const holds = claims.filter((one) => one.holds === true).length
  const fails = claims.filter((one) => one.holds === false).length
  return { key, study, title, where, paper, quick, date, holds, fails, claims: claims.length, run }
}
