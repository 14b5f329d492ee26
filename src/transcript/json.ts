/** JSON from strangers: parsed, searched for the repeated keys that JSON.parse hides, and put into one form to compare. */
import { OverhearError } from '../errors.js'

/** The value of a JSON text; `where` names the text in errors. */
export function parseJson(text: string, where: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable'
    throw new OverhearError('E_INPUT', `${where} is not JSON: ${why.slice(0, 200)}`)
  }
  const repeated = repeatedKey(text)
  if (repeated !== undefined) {
    throw new OverhearError('E_INPUT', `${where}: the key ${JSON.stringify(repeated)} stands there twice`, 'keep one')
  }
  return value
}

/** The first key that an object of a well-formed JSON text holds twice, at any depth. */
export function repeatedKey(text: string): string | undefined {
  // One entry per open bracket: the keys so far of an object, undefined for an array. No recursion: nesting is theirs.
  const open: (Set<string> | undefined)[] = []
  let atKey = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '"') {
      const end = stringEnd(text, i)
      if (atKey) {
        const raw = text.slice(i + 1, end)
        // Escapes: "\\u0061" and "a" are the same key.
        const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
        const keys = open[open.length - 1]!
        if (keys.has(key)) return key
        keys.add(key)
        atKey = false
      }
      i = end
    } else if (c === '{') {
      open.push(new Set())
      atKey = true
    } else if (c === '[') {
      open.push(undefined)
      atKey = false
    } else if (c === '}' || c === ']') {
      open.pop()
      atKey = false
    } else if (c === ',') {
      atKey = open[open.length - 1] !== undefined
    }
  }
  return undefined
}

/** Index of the quote that closes the string opened at `start`. */
function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}

/** JSON with sorted keys, to compare by. */
export function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, v: unknown) =>
    typeof v === 'object' && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  )
  return text ?? 'undefined'
}
