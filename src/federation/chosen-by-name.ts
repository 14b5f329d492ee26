/** What the tables of local rules, samplings, misbehaviours and generators have in common: an entry chosen by name. */
import { lookup } from '../errors.js'
import { type Params, readParams, type ValuesOf } from '../params.js'

export interface Entry<P extends Params = Params> {
  readonly id: string
  readonly title: string
  readonly params: P
}

/** The plain data that chooses an entry of a table: its name, and parameters that differ from their defaults. */
export type Named<T extends Readonly<Record<string, Entry>>> = {
  readonly [K in keyof T & string]: { readonly name: K } & Partial<ValuesOf<T[K]['params']>>
}[keyof T & string]

/** Finds the entry that is meant and reads its parameters; whatever is unknown or ill-typed is an error. */
export function chosen<E extends Entry>(
  table: Readonly<Record<string, E>>,
  { name, ...given }: { readonly name: string },
  what: string,
): { readonly entry: E; readonly values: ValuesOf<E['params']> } {
  const entry = lookup(table, name, what)
  return { entry, values: readParams(entry.params, given, `${what} ${name}`) as ValuesOf<E['params']> }
}
