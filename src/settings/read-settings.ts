/** Values given by a program, against the settings that they belong to. */
import { lookup, OverhearError } from '../errors.js'
import { readParam } from '../params.js'
import { chosen, find, tableOf } from '../registry.js'
import type { Chosen, Setting, SettingValue } from './setting.js'

/** Fills in defaults and checks what was given; an unknown name is an error that lists the known. */
export function readSettings(
  known: Readonly<Record<string, Setting>>,
  given: Readonly<Record<string, unknown>>,
  owner: string,
): Record<string, unknown> {
  for (const key of Object.keys(given)) lookup(known, key, `setting of ${owner}`)
  return Object.fromEntries(
    Object.entries(known).map(([key, { value }]) => {
      const own = given[key]
      return [key, own === undefined ? value.default : readSetting(value, own, `${owner}: ${key}`)]
    }),
  )
}

/** One value; what has a shape of its own is left to whoever knows it. */
export function readSetting(declared: SettingValue, value: unknown, where: string): unknown {
  switch (declared.kind) {
    case 'name':
      return find(tableOf(declared.table), String(value)).id
    case 'entry':
      return checkedEntry(value, { declared, where })
    case 'entries':
      if (!Array.isArray(value)) throw wrong(where, value, 'a list is needed')
      return value.map((one, i) => checkedEntry(one, { declared, where: `${where}[${i}]` }))
    case 'by client':
      if (typeof value !== 'object' || value === null) throw wrong(where, value, 'an object is needed')
      return Object.fromEntries(
        Object.entries(value).map(([id, one]) => [id, checkedEntry(one, { declared, where: `${where}.${id}` })]),
      )
    case 'texts':
      if (declared.words.includes(String(value))) return value
      if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
      throw wrong(
        where,
        value,
        `${[...declared.words.map((word) => `"${word}"`), 'a list of texts'].join(' or ')} is needed`,
      )
    case 'params':
    case 'other':
      return value
    default:
      return readParam(declared, value, where)
  }
}

/** An entry that exists, with parameters that it has; as it was given, so that nothing is read twice. */
function checkedEntry(
  value: unknown,
  { declared, where }: { readonly declared: SettingValue & { readonly table?: unknown }; readonly where: string },
): Chosen {
  if (typeof value !== 'object' || value === null || typeof (value as Chosen).name !== 'string') {
    throw wrong(where, value, 'name, and params where they differ from their defaults, are needed')
  }
  const { name, params = {} } = value as Chosen
  if (declared.kind === 'entry' || declared.kind === 'entries' || declared.kind === 'by client') {
    chosen(tableOf(declared.table), { name, ...params })
  }
  return { name, params }
}

function wrong(where: string, value: unknown, needed: string): OverhearError {
  return new OverhearError('E_VALUE', `${where} is ${JSON.stringify(value) ?? String(value)}`, needed)
}
