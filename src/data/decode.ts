/** The way back: what an encoded value means in the person's words, and which encoded values an attribute can take. */
import { lookup, OverhearError } from '../errors.js'
import { exp } from '../numeric/special/elementary-functions.js'
import type { Encoder, FittedRule } from './encoder.js'

/** A sensitive attribute as an adversary's knowledge holds it (knowledge.json, `sensitive`). */
export interface Sensitive {
  readonly name: string
  /** The encoded columns that carry it. */
  readonly columns: readonly string[]
  readonly kind: 'binary' | 'categorical' | 'continuous'
  /** One row of encoded values a level; for a continuous one the least and the largest seen. */
  readonly values: readonly (readonly number[])[]
  /** The levels in words; none for a continuous one. */
  readonly words: readonly string[]
}

function ruleOf(encoder: Encoder, column: string): FittedRule {
  return lookup(Object.fromEntries(encoder.rules.map((rule) => [rule.column, rule])), column, 'encoded column')
}

/** The encoded values of each level. */
function levelValues({ encode, drop, levels, outputs }: FittedRule): number[][] {
  return levels.map((_, level) =>
    outputs.map(({ shift, scale }, j) => {
      const raw = encode === 'codes' ? level : j + (drop === 'first' ? 1 : 0) === level ? 1 : 0
      return (raw - shift) / scale
    }),
  )
}

export function sensitiveOf(encoder: Encoder, column: string): Sensitive {
  const rule = ruleOf(encoder, column)
  const columns = rule.outputs.map(({ name }) => name)
  if (rule.levels.length === 0) {
    return { name: column, columns, kind: 'continuous', values: rule.range.map((x) => [x]), words: [] }
  }
  const kind = rule.levels.length === 2 ? 'binary' : 'categorical'
  return { name: column, columns, kind, values: levelValues(rule), words: rule.levels }
}

/** The level whose encoded values are nearest, or the number before encoding. */
export function decode(encoder: Encoder, column: string, encoded: ArrayLike<number>): string | number {
  const rule = ruleOf(encoder, column)
  if (encoded.length !== rule.outputs.length) {
    const needed = `its encoding has ${rule.outputs.length}`
    throw new OverhearError('E_SHAPE', `column "${column}" was given ${encoded.length} encoded values`, needed)
  }
  if (rule.levels.length === 0) {
    const { shift, scale } = rule.outputs[0]!
    const raw = encoded[0]! * scale + shift
    return rule.encode === 'log' ? exp(raw) : rule.encode === 'log1p' ? exp(raw) - 1 : raw
  }
  let best = 0
  let least = Number.POSITIVE_INFINITY
  levelValues(rule).forEach((values, level) => {
    const distanceSq = values.reduce((sum, x, j) => sum + (x - encoded[j]!) * (x - encoded[j]!), 0)
    if (distanceSq < least) {
      least = distanceSq
      best = level
    }
  })
  if (least === Number.POSITIVE_INFINITY) {
    throw new OverhearError('E_NON_FINITE', `column "${column}" was given encoded values that are not finite`)
  }
  return rule.levels[best]!
}

/** As a person would say it: "smoker: yes". */
export function inWords(encoder: Encoder, column: string, encoded: ArrayLike<number>): string {
  return `${column}: ${decode(encoder, column, encoded)}`
}
