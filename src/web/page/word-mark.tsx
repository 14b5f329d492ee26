/** The word of a verdict, in its colour. */
import type { Word } from '../../audit/ladder/question.js'
import { wordText } from '../../audit/ladder/question-words.js'

const colours: Readonly<Record<Word, string>> = {
  'leaks-records': 'leak',
  'leaks-client': 'leak',
  inconclusive: 'weak',
  'not-tested': 'weak',
  'known-anyway': 'none',
  'none-found': 'none',
}

export const WordMark = ({ word }: { word: Word }) => (
  <span class={`word ${colours[word] ?? 'weak'}`}>{wordText[word] ?? 'unknown'}</span>
)
