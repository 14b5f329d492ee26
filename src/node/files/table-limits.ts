/** How large a table may be: a small file can hold a huge one, and a machine that is out of memory says nothing. */
import { OverhearError } from '../../errors.js'
import { stopIfAsked } from '../interrupt.js'

const usual = { bytes: 512 * 1024 * 1024, rows: 10_000_000, columns: 10_000, cells: 50_000_000 }

/** What a limit is called where somebody sets another. */
const variable = (key: keyof typeof usual): string => `OVERHEAR_MAX_${key.toUpperCase()}`

function limitOf(key: keyof typeof usual): number {
  const name = variable(key)
  const given = process.env[name]
  if (given === undefined || given === '') return usual[key]
  const value = Number(given)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new OverhearError('E_VALUE', `${name} is "${given}"`, 'a whole number from 1 is needed')
}

export interface TableLimits {
  /** So much more text was read. */
  take(bytes: number): void
  /** So many rows of so many columns are there by now. */
  rows(count: number, columns: number): void
}

/** Counts what is read of a file, and refuses what is over a limit; a stop that was asked for is heeded on the way. */
export function tableLimits(path: string): TableLimits {
  const most = { bytes: limitOf('bytes'), rows: limitOf('rows'), columns: limitOf('columns'), cells: limitOf('cells') }
  let bytes = 0
  const refuse = (key: keyof typeof usual, what: string): never => {
    const hint = `at most ${most[key]} are read; set ${variable(key)} where the machine has room for more`
    throw new OverhearError('E_VALUE', `${path} holds more than ${most[key]} ${what}`, hint)
  }
  return {
    take(more) {
      stopIfAsked()
      bytes += more
      if (bytes > most.bytes) refuse('bytes', 'bytes of text')
    },
    rows(count, columns) {
      if (columns > most.columns) refuse('columns', 'columns')
      if (count > most.rows) refuse('rows', 'rows')
      if (count * columns > most.cells) refuse('cells', 'cells')
    },
  }
}

/** The most that a compressed file may become. */
export const mostBytes = (): number => limitOf('bytes')
