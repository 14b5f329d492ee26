/** How much a generator may make: what no memory holds is refused before it is made. */
import { OverhearError } from '../errors.js'

/** Numbers of 8 bytes: what a machine has room for, several times. */
const most = 50_000_000

/** Refuses a table of made-up records that is too large; `id` is the dataset. */
export function checkSize(id: string, rows: number, columns: number): void {
  if (rows * columns <= most) return
  const found = `dataset ${id}: ${rows} records of ${columns} numbers were asked for`
  throw new OverhearError('E_VALUE', found, `at most ${most} numbers are made: ask for fewer records or columns`)
}
