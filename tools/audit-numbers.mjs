// The numbers of an audit's document as rows, taken by what they mean and not by where they stand: its shape may change.
import { createHash } from 'node:crypto'

/**
 * @typedef {Readonly<Record<string, unknown>>} Json
 * @typedef {Record<string, unknown>} Fields what is compared, by name: numbers, short lists of them, words, digests
 * @typedef {Map<string, Fields>} Rows by "observer | attack | target | model | kind of claim | its name"
 */

/** Between the parts of a row's key. */
export const separator = ' | '

/** Numbers and truth values at any depth, keys in alphabetical order; null in a list stands for NaN.
 * @param {unknown} value @returns {(number | boolean | null)[]} */
function leaves(value) {
  if (typeof value === 'number' || typeof value === 'boolean') return [value]
  if (Array.isArray(value)) return value.flatMap((item) => (item === null ? [null] : leaves(item)))
  if (typeof value !== 'object' || value === null) return []
  const json = /** @type {Json} */ (value)
  return Object.keys(json)
    .sort()
    .flatMap((key) => leaves(json[key]))
}

/** "how many:digest", at full precision. @param {unknown} value */
function digest(value) {
  const all = leaves(value)
  return `${all.length}:${createHash('sha256').update(all.join(',')).digest('hex').slice(0, 16)}`
}

/** Each figure of an object under its own name; those of `also` stand among the others, lists but short ones as digests.
 * What is null is the same as what is absent.
 * @param {string} prefix @param {unknown} value @returns {Fields} */
function figures(prefix, value) {
  /** @type {Fields} */
  const found = {}
  for (const [key, item] of Object.entries(/** @type {Json} */ (value ?? {}))) {
    const all = leaves(item)
    if (key === 'also') Object.assign(found, figures(prefix, item))
    else if (typeof item !== 'object' && all.length > 0) found[prefix + key] = item
    else if (Array.isArray(item) && all.length <= 2 && all.length === item.length && all.length > 0) {
      found[prefix + key] = item
    } else if (all.length > 0) found[prefix + key] = digest(item)
  }
  return found
}

/** Claims with their scores: `findings`, or `claim` with `score`, or `claims` with `scores`.
 * @param {Json} result @returns {{ claim?: Json, score?: Json | null, lacks?: string[], rebuilt?: Json }[]} */
function findingsOf({ findings, claim, claims, score, scores }) {
  if (Array.isArray(findings)) return findings
  if (Array.isArray(claims))
    return claims.map((one, i) => ({ claim: one, score: Array.isArray(scores) ? scores[i] : null }))
  return claim === undefined ? [] : [{ claim: /** @type {Json} */ (claim), score: /** @type {Json | null} */ (score) }]
}

/** The curves of exposure of a claim stood among the details once, and did not say above what they count.
 * @param {Json | undefined} told @param {unknown} details */
function withoutCurves(told, details) {
  if (told === undefined) return { claim: undefined, details }
  const { exposure, ...claim } = told
  const { exposedAt, ...curves } = /** @type {Json} */ (exposure ?? {})
  const all = { ...(exposure !== undefined && { exposure: curves, exposedAt }), .../** @type {Json} */ (details ?? {}) }
  return { claim, details: JSON.parse(JSON.stringify(all, (key, value) => (key === 'above' ? undefined : value))) }
}

/** @param {Json} result @returns {Fields} */
function controlsOf({ controls }) {
  return Object.fromEntries(
    Object.entries(/** @type {Record<string, Json>} */ (controls ?? {})).flatMap(([world, { status, score }]) => {
      const { also, ...own } = /** @type {Json} */ (score ?? {})
      const flat = /** @type {Json} */ ({ ...own, .../** @type {Json} */ (also ?? {}) })
      const { value, lift } = flat
      const all = { status, ...(score != null && { value, lift, all: digest(flat) }) }
      return Object.entries(all).map(([key, item]) => [`${world}.${key}`, item])
    }),
  )
}

/** All numbers of an audit, sorted by key. @param {Json} document @returns {Rows} */
export function rowsOf(document) {
  /** @type {Rows} */
  const rows = new Map()
  /** @param {readonly unknown[]} parts @param {Fields} fields */
  const add = (parts, fields) => {
    const key = parts.map((part) => part ?? '-').join(separator)
    let own = key
    for (let n = 2; rows.has(own); n++) own = `${key} #${n}`
    const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
    rows.set(own, Object.fromEntries(present))
  }
  for (const { observer, attacks } of /** @type {{ observer: string, attacks: Json[] }[]} */ (document.observers)) {
    for (const result of attacks) {
      const { from } = /** @type {Json} */ (result.params ?? {})
      const attack = from === undefined ? result.attack : `${result.attack} from=${from}`
      const found = findingsOf(result)
      for (const { claim: told, score, lacks: own, rebuilt } of found.length > 0 ? found : [{}]) {
        const lacks = [result.missing ?? [], result.scoreLacks ?? own ?? []].flat()
        const { claim, details } = withoutCurves(told, result.details)
        add([observer, attack, result.target, result.model, claim?.kind, claim?.name ?? claim?.property], {
          status: result.status,
          error: /** @type {Json | undefined} */ (result.error)?.code,
          ...(lacks.length > 0 && { missing: lacks.sort() }),
          ...(claim !== undefined && { claim: digest(claim) }),
          ...figures('score.', score),
          ...figures('', { rebuilt: result.rebuilt ?? rebuilt }),
          ...figures('details.', details),
          ...controlsOf(result),
        })
      }
    }
  }
  for (const [name, utility] of Object.entries(/** @type {Json} */ (document.utility ?? {}))) {
    add(['-', 'utility', null, name, null, null], figures('', utility))
  }
  return new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** How many numbers rows hold, those in digests with them. @param {Rows} rows */
export function numberCount(rows) {
  const all = [...rows.values()].flatMap((fields) => Object.values(fields))
  const one = (/** @type {unknown} */ value) =>
    typeof value === 'string' ? Number(/^(\d+):[0-9a-f]{16}$/.exec(value)?.[1] ?? 0) : leaves(value).length
  return all.reduce((/** @type {number} */ sum, value) => sum + one(value), 0)
}
