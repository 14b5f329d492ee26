/** Mutations of bytes: what a file looks like that somebody broke by accident, or on purpose. */
import type { Rng } from '../../src/numeric/random/rng.js'

const words = [
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '""',
    '-0',
    '1e999',
    '-1',
    '9007199254740993',
    '0.1',
    'NaN',
    'Infinity',
    '"__proto__"',
  ],
  ...[
    '"constructor"',
    '\\u0000',
    '\u001b[31m',
    '\u202e',
    '../',
    '/etc/passwd',
    '%00',
    '&a',
    '*a',
    '<<: *a',
    '!!js/function',
    '|',
    '>',
  ],
  ...[
    '---',
    '\t',
    '\r',
    '\r\n',
    '\n\n',
    ',',
    ';',
    ':',
    '"',
    "'",
    '#',
    '[[[[[[[[[[',
    '{"a":{"a":{"a":',
    '<script>',
    '\ufeff',
    '😀',
  ],
]
const numbers = [0, 1, 0x7f, 0x80, 0xff]

/** One of the list. */
const one = <T>(list: readonly T[], draws: Rng): T => list[draws.integer(list.length)]!

function spliced(bytes: Uint8Array, at: number, remove: number, put: Uint8Array): Uint8Array {
  const all = new Uint8Array(bytes.length - remove + put.length)
  all.set(bytes.subarray(0, at))
  all.set(put, at)
  all.set(bytes.subarray(at + remove), at + put.length)
  return all
}

/** The bytes with one to eight things done to them; `others` lend pieces of theirs. */
export function mutated(bytes: Uint8Array, others: readonly Uint8Array[], draws: Rng): Uint8Array {
  let now: Uint8Array = bytes.slice()
  for (let k = 1 + draws.integer(8); k > 0; k--) {
    const at = draws.integer(now.length + 1)
    const length = Math.min(now.length - at, 1 + draws.integer(draws.integer(4) === 0 ? 200 : 8))
    const how = draws.integer(10)
    if (how === 0 && at < now.length) now[at]! ^= 1 << draws.integer(8)
    else if (how === 1 && at < now.length) now[at] = one(numbers, draws)
    else if (how === 2) now = spliced(now, at, length, new Uint8Array(0))
    else if (how === 3) now = spliced(now, at, 0, now.slice(at, at + length))
    else if (how === 4) now = spliced(now, at, draws.integer(2) * length, new TextEncoder().encode(one(words, draws)))
    else if (how === 5) now = now.slice(0, at)
    else if (how === 6 && others.length > 0) {
      const other = one(others, draws)
      const from = draws.integer(other.length + 1)
      now = spliced(now, at, length, other.slice(from, from + 1 + draws.integer(64)))
    } else if (how === 7) now = changedNumber(now, draws)
    else if (how === 8 && now.length >= 8) {
      // A length or an offset.
      const view = new DataView(now.buffer)
      view.setUint32(draws.integer(now.length - 3), one([0, 1, 8, 100_000_001, 0x7fffffff, 0xffffffff], draws), true)
    } else if (now.length < 20_000)
      now = spliced(now, at, 0, repeated(now.slice(at, at + length), 1 + draws.integer(40)))
    if (now.length > 200_000) now = now.slice(0, 200_000)
  }
  return now
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(bytes.length * times)
  for (let i = 0; i < times; i++) all.set(bytes, i * bytes.length)
  return all
}

/** Some digits replaced by another number. */
function changedNumber(bytes: Uint8Array, draws: Rng): Uint8Array {
  const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57
  const starts: number[] = []
  for (let i = 0; i < bytes.length && starts.length < 500; i++)
    if (isDigit(bytes[i]) && !isDigit(bytes[i - 1])) starts.push(i)
  if (starts.length === 0) return bytes
  const start = one(starts, draws)
  let end = start
  while (isDigit(bytes[end])) end++
  const number = one(['0', '-1', '1e9', '1e308', '4294967296', '18446744073709551616', '0.5', '00', '1000000'], draws)
  return spliced(bytes, start, end - start, new TextEncoder().encode(number))
}
