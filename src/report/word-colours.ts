/** The words of a verdict and the rungs of ladders in colours, for a terminal: one for each, the same wherever they stand. */

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

/** The rungs in the hues that the report and the page give them, of the 256 that terminals know; p is a property's. */
const rungCodes: Readonly<Record<string, string>> = { g: '245', f: '68', e: '37', c: '98', r: '162', p: '162' }
const rungLetter = (letter: string): string => `\u001b[38;5;${rungCodes[letter]}m${letter}\u001b[0m`
const bars = /\|[.=gfecrp]{20,}\|/g
const legend = /(^ *|; )([gfecrp])(?=: | {2}(?:a|the|what) )/gm

/** The text with its words and its rungs coloured. What else is in it must be harmless already. */
export const coloured = (text: string): string =>
  text
    .replace(bars, (bar) => bar.replace(/[gfecrp]/g, rungLetter))
    .replace(legend, (_, before: string, letter: string) => `${before}${rungLetter(letter)}`)
    .replace(pattern, (_, before: string | undefined, word: string) => {
      return `${before ?? ''}\u001b[${shown.get(word)}m${word}\u001b[0m`
    })
    .replace(broken, (lines) => `\u001b[${codes['leaks-records']}m${lines}\u001b[0m`)
