/** The words of a verdict in colours, for a terminal: one for each, the same wherever a line begins with it. */

import type { Word } from '../audit/ladder/question.js'
import { wordText } from '../audit/ladder/question-words.js'

/** Codes of ECMA-48, in pairs that also differ in brightness: red and magenta alarm, yellow is open, green and blue are quiet. */
const codes: Readonly<Record<Word, string>> = {
  'leaks-records': '1;31',
  'leaks-client': '1;35',
  inconclusive: '33',
  'known-anyway': '34',
  'none-found': '32',
  'not-tested': '2',
}

const shown = new Map(Object.entries(wordText).map(([word, text]) => [text.toUpperCase(), codes[word as Word]]))
const pattern = new RegExp(`^(verdict: )?(${[...shown.keys()].join('|')})`, 'gm')

/** What is broken, to the end of its paragraph. */
const broken = /^BROKEN.*(?:\n {2}.*)*/gm

/** The text with its words coloured. What else is in it must be harmless already. */
export const coloured = (text: string): string =>
  text
    .replace(pattern, (_, before: string | undefined, word: string) => {
      return `${before ?? ''}\u001b[${shown.get(word)}m${word}\u001b[0m`
    })
    .replace(broken, (lines) => `\u001b[${codes['leaks-records']}m${lines}\u001b[0m`)
