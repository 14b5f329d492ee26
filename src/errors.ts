/** The one error type of the package: a code to branch on, what was found and where, and what to do about it. */

/** What kind of error, to branch on. */
export type ErrorCode =
  | 'E_UNKNOWN_NAME' // a name that no table holds
  | 'E_SHAPE' // sizes that do not fit together
  | 'E_VALUE' // a number outside what is allowed, or not a number
  | 'E_NON_FINITE' // NaN or infinity where a finite number is needed
  | 'E_INPUT' // any other wrong input
  | 'E_TIME' // the time that was allowed is over
  | 'E_WORK' // the work that was allowed is used up
  | 'E_INTERRUPTED' // somebody asked to stop
  | 'E_INTERNAL' // a bug of ours

/** Every error that is not a bug of ours, and those that are, with a code and a hint. */
export class OverhearError extends Error {
  override readonly name = 'OverhearError'
  readonly code: ErrorCode
  readonly hint: string | undefined

  /** `message`: what was found, where; `hint`: what is allowed or what to do. Lower case, no full stop. */
  constructor(code: ErrorCode, message: string, hint?: string) {
    super(harmless(hint === undefined ? message : `${message}; ${hint}`, '\n'))
    this.code = code
    this.hint = hint === undefined ? undefined : harmless(hint, '\n')
  }
}

/**
 * The text with control characters spelt out, those that turn the direction of writing among them, but for those in `kept`: a
 * stranger's words must not steer a terminal.
 */
export function harmless(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (c) =>
    kept.includes(c) ? c : `\\u${c.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}

export function internal(message: string): OverhearError {
  return new OverhearError('E_INTERNAL', `internal: ${message}`)
}

/** Looks a name up in a table of plain keys; an unknown one is an error that lists the known and the nearest. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string, what: string): T {
  if (Object.hasOwn(table, name)) return table[name]!
  const known = Object.keys(table).sort()
  const near = nearest(name, known)
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`
  throw new OverhearError('E_UNKNOWN_NAME', `unknown ${what}: "${name}"${meant}`, `known: ${known.join(', ')}`)
}

/** The candidate with the fewest edits, when that is close enough to be a slip of the keyboard. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = edits(name.toLowerCase(), candidate.toLowerCase())
    if (distance < fewest) {
      fewest = distance
      best = candidate
    }
  }
  return best
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
