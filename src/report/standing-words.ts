/** How a result stands, and what an audit comes to, in words: the last step before they are shown. */
import { isJudged, type Level, type Standing } from '../audit/standing.js'
import type { Verdict } from '../audit/verdict.js'

const words: Readonly<Record<Level, string>> = {
  leaks: 'leaks',
  weak: 'weak',
  'at-chance': 'at chance',
  'control-failed': 'control failed',
  'not-graded': 'not graded',
  'not-applicable': 'not applicable',
  'out-of-time': 'out of time',
  failed: 'failed',
}

export const standingWords = ({ level, oracle }: Standing): string =>
  oracle && isJudged(level) ? `${words[level]} (oracle)` : words[level]

/** What the whole audit comes to, for a terminal and for a page; null: nothing was graded. */
export const verdictWords = (level: Verdict['level'] | null): { readonly loud: string; readonly plain: string } =>
  level === null ? { loud: 'NOTHING WAS GRADED', plain: 'Nothing was graded' } : verdicts[level]

const verdicts = {
  leaks: { loud: 'LEAKS', plain: 'It leaks' },
  weak: { loud: 'LEAKS A LITTLE', plain: 'It leaks a little' },
  'none-found': { loud: 'NO LEAK FOUND', plain: 'No leak was found' },
} as const
