/** A command's arguments: flags by table, wrong ones as errors that say so. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OverhearError } from '../../errors.js'

type Flags = NonNullable<ParseArgsConfig['options']>
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ options: F; strict: true }>>['values']

/** What every command takes. */
export const commonFlags = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  seed: { type: 'string' },
  out: { type: 'string' },
  'data-dir': { type: 'string' },
  plugin: { type: 'string', multiple: true },
  'trust-plugins': { type: 'boolean' },
} as const satisfies Flags

const usage = (error: unknown): OverhearError =>
  new OverhearError('E_INPUT', (error as Error).message.split('. ')[0]!.toLowerCase(), 'see "overhear --help"')

function parsedWith<F extends Flags>(args: readonly string[], flags: F) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: true })
  } catch (error) {
    throw usage(error)
  }
}

/** Flags, and at most one argument besides. */
export function parseNamed<F extends Flags>(
  args: readonly string[],
  flags: F,
): { readonly values: Values<F>; readonly name: string | undefined } {
  const parsed = parsedWith(args, flags)
  const [name, extra] = parsed.positionals
  if (extra !== undefined) throw new OverhearError('E_INPUT', `unexpected argument "${extra}"`, 'one name at a time')
  return { values: parsed.values, name }
}

/** Flags, and as many arguments as are named here. */
export function parsePlaced<F extends Flags>(
  args: readonly string[],
  flags: F,
  wanted: readonly string[],
): { readonly values: Values<F>; readonly places: readonly string[] } {
  const parsed = parsedWith(args, flags)
  const missing = wanted[parsed.positionals.length]
  if (missing !== undefined) throw new OverhearError('E_INPUT', `missing: ${missing}`, 'see "overhear --help"')
  const extra = parsed.positionals[wanted.length]
  if (extra !== undefined) throw new OverhearError('E_INPUT', `unexpected argument "${extra}"`)
  return { values: parsed.values, places: parsed.positionals }
}

export function parseFlags<F extends Flags>(args: readonly string[], flags: F): Values<F> {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw usage(error)
  }
}

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  const least = name === 'seed' ? 0 : 1
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
    throw new OverhearError('E_VALUE', `--${name} is "${text}"`, `a whole number from ${least} is needed`)
  }
  return value
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Only what was given: an option that is undefined has no key. */
export function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** `--set name=value`, as often as given. */
export function settings(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
      throw new OverhearError('E_INPUT', `--set is "${text}"`, 'name=value is needed')
    }),
  )
}
