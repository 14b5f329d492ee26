// Finds what in an attack reaches past the view it is handed: the machine, other realms, the insides of the language.
import { importsOf } from './layers.mjs'
import { codeOf, lineAt } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

/** What an attack may know is what it is handed: these folders' files hold nothing that finds more. */
export const handedAll = ['attacks']

const shared = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z][a-z0-9]/.test(name) || name === 'JSON')
const SHARED = `\\b(?:${shared.join('|')})\\b`

/** Each with the words that a report shows; patterns see code without comments and strings. @type {readonly [RegExp, string?][]} */
const reaching = [
  [/\b(?:eval|Function|globalThis|process|require|fetch|Worker|Deno|Bun|Reflect|Proxy)\b/g],
  [
    /\b(?:BroadcastChannel|MessageChannel|WeakRef|FinalizationRegistry|SharedArrayBuffer|Atomics|WebAssembly|setTimeout|setInterval|setImmediate|queueMicrotask|structuredClone)\b/g,
  ],
  [/\bimport\s*\(/g, 'import()'],
  [/\bimport\s*\.\s*meta\b/g, 'import.meta'],
  [/\b(?:prototype|caller|callee|prepareStackTrace|__\w+__)\b/g],
  // The last match of anybody: names of clients among them.
  [/\bRegExp\s*(?:\??\.|\[)/g, 'members of RegExp'],
  [/\bconstructor\b(?!\s*\()|\.\s*constructor\b/g, 'constructor'],
  [/\b(?:get|set)PrototypeOf\b|\bdefinePropert(?:y|ies)\b|\bgetOwnPropertyDescriptors?\b/g],
  // What a plant is told must not wait for the next run.
  [/^(?:export\s+)?(?:let|var)\b/gm, 'a variable that outlives a run'],
  [
    /^(?:export\s+)?const\s+\w+[^=\n]*=\s*(?:new\s+(?:Weak)?(?:Map|Set)\b(?:<[^()]*>)?\(\s*\)|\[\s*\]|\{\s*\})/gm,
    'an empty store that outlives a run',
  ],
  // What all share must stay as it was.
  [new RegExp(`${SHARED}(?:\\s*\\??\\.\\s*[\\w$]+)+\\s*[-+*/&|?]*=(?![=>])`, 'g'), 'an assignment to what all share'],
  [new RegExp(`\\bassign\\s*\\(\\s*${SHARED}`, 'g'), 'an assignment to what all share'],
  [/(?<![\w$])void[ \t]+[\w$.]+\s*\(/g, 'work that is left behind'],
  [/\\u/g, 'an escaped name'],
]
/** A seed is easily guessed, and with it the noise that was to protect: draws come from the context alone. */
const streams = ['numeric/random/rng.ts', 'numeric/random/philox.ts', 'numeric/random/stream-address.ts']
const LITERAL = /(['"`])([^'"`]*)\1/dg
/** Insides of the language, and codes of errors that would end more than the attack. */
const INSIDES = /^(?:constructor|prototype|caller|callee|__\w+__|E_INTERRUPTED|E_INTERNAL)$/

/** Uses of what is forbidden, as "attacks/a.ts:3: eval". @param {Sources} sources by path in src */
export function reachingOut(sources) {
  /** @type {string[]} */
  const found = []
  for (const [path, text] of Object.entries(sources)) {
    if (!handedAll.some((folder) => path.startsWith(`${folder}/`))) continue
    for (const { to, typeOnly } of importsOf(path, text)) {
      if (to !== undefined && streams.includes(to) && !typeOnly) found.push(`${path} -> ${to} (types only)`)
    }
    const code = codeOf(text)
    for (const [pattern, name] of reaching) {
      for (const match of code.matchAll(pattern))
        found.push(`${path}:${lineAt(code, match.index)}: ${name ?? match[0]}`)
    }
    // Words that are put together count as one: by "+", or by a list that is joined.
    let [joined, end] = ['', -1]
    for (const match of code.matchAll(LITERAL)) {
      const word = unescaped(text.slice(...(match.indices?.[2] ?? [0, 0])))
      joined = end >= 0 && /^\s*[+,]\s*$/.test(code.slice(end, match.index)) ? joined + word : word
      end = match.index + match[0].length
      const inside = INSIDES.test(word) ? word : joined
      if (INSIDES.test(inside)) found.push(`${path}:${lineAt(code, match.index)}: "${inside}"`)
    }
  }
  return found
}

/** @param {string} text */
function unescaped(text) {
  return text.replace(/\\(?:x(\w{2})|u(\w{4})|u\{(\w+)\}|(.))/g, (_, x, u, long, other) => {
    const hex = x ?? u ?? long
    return hex === undefined ? other : String.fromCodePoint(Number.parseInt(hex, 16) || 0)
  })
}
