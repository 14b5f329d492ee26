/** A command's arguments: flags by table, wrong ones as errors that say so. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { OverhearError } from '../errors.js'

type Flags = NonNullable<ParseArgsConfig['options']>
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ options: F; strict: true }>>['values']

export function parseFlags<F extends Flags>(args: readonly string[], flags: F): Values<F> {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new OverhearError('E_INPUT', (error as Error).message.split('. ')[0]!.toLowerCase(), 'see "overhear --help"')
  }
}

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 1) {
    throw new OverhearError('E_VALUE', `--${name} is "${text}"`, 'a whole number from 1 is needed')
  }
  return value
}
