/** A value from a file against its schema: the first fault as one error with its key path, unknown keys as warnings. */
import type { z } from 'zod'
import { harmless, nearest, OverhearError } from '../errors.js'

export interface Checked<T> {
  readonly value: T
  readonly warnings: readonly string[]
}

/** What `schema` makes of a value; `where` names the file in errors and warnings. */
export function check<S extends z.ZodType>(schema: S, value: unknown, where: string): Checked<z.output<S>> {
  const result = schema.safeParse(value, { reportInput: true })
  if (!result.success) throw faultOf(result.error.issues[0]!, where)
  const warnings: string[] = []
  findUnknown(schema, value, { path: [], where, warnings })
  return { value: result.data, warnings }
}

type Issue = z.core.$ZodIssue

/** `rounds[0].participants[2]` */
function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key).slice(0, 80)}`)).join('')
  return harmless(text.replace(/^\./, '')) || 'the whole'
}

/** A value as it may stand in an error. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return harmless(text.length > 100 ? `${text.slice(0, 100)}...` : text)
}

function faultOf(issue: Issue, where: string, before: readonly PropertyKey[] = []): OverhearError {
  const path = [...before, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The branch that got furthest is the one that was meant.
    const firsts = issue.errors.flatMap((branch) => (branch[0] === undefined ? [] : [branch[0]]))
    const best = firsts.reduce((a, b) => (b.path.length > a.path.length ? b : a), firsts[0]!)
    if (best.path.length > 0) return faultOf(best, where, path)
    const allowed = firsts.map(allowedBy).join(', or ')
    return new OverhearError('E_INPUT', `${where}: ${pathText(path)} is ${shown(issue.input)}`, `allowed: ${allowed}`)
  }
  const input = issue.code === 'invalid_union' ? memberOf(issue.input, issue.path) : issue.input
  return new OverhearError('E_INPUT', `${where}: ${pathText(path)} is ${shown(input)}`, `allowed: ${allowedBy(issue)}`)
}

/** A union without its discriminator reports the whole object; the member is what was wrong. */
function memberOf(input: unknown, path: readonly PropertyKey[]): unknown {
  const key = path[path.length - 1]
  return typeof input === 'object' && input !== null && key !== undefined
    ? (input as Record<PropertyKey, unknown>)[key]
    : input
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a finite number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  record: 'an object',
  null: 'null',
  tuple: 'a list',
}

function allowedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.map((v) => (typeof v === 'string' ? `"${v}"` : String(v))).join(', ')
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? `at least ${issue.minimum} long`
        : `a number ${issue.inclusive === false ? 'above' : 'from'} ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'array' || issue.origin === 'string'
        ? `at most ${issue.maximum} long`
        : `a number ${issue.inclusive === false ? 'below' : 'up to'} ${issue.maximum}`
    case 'invalid_format':
      return issue.pattern === undefined ? issue.format : `a string that matches ${issue.pattern}`
    case 'invalid_union': {
      const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : []
      return options.map((v) => `"${String(v)}"`).join(', ')
    }
    case 'invalid_key':
      return issue.issues.map(allowedBy).join(', ')
    default:
      return issue.message
  }
}

interface Walk {
  readonly path: readonly PropertyKey[]
  readonly where: string
  readonly warnings: string[]
}

/** A few of many names, as they may stand in an error. */
export function some(names: readonly string[]): string {
  return harmless(
    names
      .slice(0, 20)
      .map((name) => (name.length > 40 ? `${name.slice(0, 40)}...` : name))
      .join(', '),
  )
}

const warningLimit = 20

/** Walks a valid value along its schema and warns of keys that the schema does not know. */
function findUnknown(schema: z.core.$ZodType, value: unknown, walk: Walk): void {
  if (value === null || typeof value !== 'object' || walk.warnings.length > warningLimit) return
  // By what a schema says it is, not by its class: this file must not load the library.
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
      findUnknown(def.innerType, value, walk)
      break
    case 'array':
      // What lies under a key that the library skips was not checked.
      if (!Array.isArray(value)) return
      for (const [i, item] of value.entries()) findUnknown(def.element, item, { ...walk, path: [...walk.path, i] })
      break
    case 'union': {
      const meant = def.options.find((option) => (option as z.ZodType).safeParse(value).success)
      if (meant !== undefined) findUnknown(meant, value, walk)
      break
    }
    case 'record':
      for (const [key, item] of Object.entries(value)) {
        findUnknown(def.valueType, item, { ...walk, path: [...walk.path, key] })
      }
      break
    case 'object':
      // Keys that may hold anything are somebody else's to check.
      if (def.catchall?._zod.def.type === 'any') return
      for (const [key, item] of Object.entries(value)) {
        const path = [...walk.path, key]
        if (Object.hasOwn(def.shape, key)) findUnknown(def.shape[key]!, item, { ...walk, path })
        else warnUnknown(key, Object.keys(def.shape), { ...walk, path })
      }
  }
}

function warnUnknown(key: string, known: readonly string[], { path, where, warnings }: Walk): void {
  if (warnings.length === warningLimit) warnings.push(`${where}: more unknown keys follow`)
  if (warnings.length >= warningLimit) return
  const near = nearest(key.slice(0, 64), known)
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`
  warnings.push(`${where}: unknown key ${pathText(path)} is kept and ignored${meant}`)
}

/** Refuses a list that holds a name twice. */
export function distinct(names: readonly string[], { key, where }: { key: string; where: string }): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new OverhearError('E_INPUT', `${where}: ${key} holds ${shown(name)} twice`, 'keep one')
    seen.add(name)
  }
}
