/** How a result stands, in words: the last step before they are shown. */
import { isJudged, type Level, type Standing } from '../audit/standing.js'

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
