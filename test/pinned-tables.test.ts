import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import '../src/audit/catalogue.js'
import { type Kind, tableOf } from '../src/registry.js'

/** An entry without what it does and how it is worded: its facts, and the ranges and defaults of its parameters. */
function factsOf(value: unknown): unknown {
  if (value instanceof Set) return [...value].map(factsOf)
  if (Array.isArray(value)) return value.map(factsOf)
  if (typeof value !== 'object' || value === null) return value
  const facts = Object.entries(value).filter(([key, one]) => {
    return (
      typeof one !== 'function' && one !== undefined && !(typeof one === 'string' && (key === 'doc' || / /.test(one)))
    )
  })
  return Object.fromEntries(facts.map(([key, one]) => [key, factsOf(one)]))
}

const kinds: readonly Kind[] = ['attack', 'oracle', 'dataset', 'partition', 'model', 'initialiser', 'local rule', 'sampling', 'misbehaviour', 'defence', 'observer', 'metric', 'setting'] // biome-ignore format: a list
const path = fileURLToPath(new URL('pinned/tables.json', import.meta.url))
const kept: Record<string, Record<string, unknown>> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const lines = (table: object): string =>
  Object.entries(table)
    .map(([id, entry]) => `  ${JSON.stringify(id)}: ${JSON.stringify(entry)}`)
    .join(',\n')

/** UPDATE_NUMBERS=1 keeps what the tables say now. */
test('what every entry of every table says of itself is what is kept', () => {
  const found = Object.fromEntries(kinds.map((kind) => [kind, factsOf(tableOf(kind)) as object]))
  if (process.env.UPDATE_NUMBERS === '1') {
    const tables = Object.entries(found).map(([kind, table]) => ` ${JSON.stringify(kind)}: {\n${lines(table)}\n }`)
    writeFileSync(path, `{\n${tables.join(',\n')}\n}\n`)
  } else expect(JSON.parse(JSON.stringify(found))).toEqual(kept)
})
