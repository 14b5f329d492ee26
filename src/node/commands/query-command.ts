/** `overhear query`: results of sweeps by SQL. */

import { figure } from '../../audit/figures.js'
import { OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { print, printJson } from '../print.js'
import { querySweeps, sweepFolders } from '../sweep/sweep-query.js'
import { commonFlags, parsePlaced } from './arguments.js'

const flags = { ...commonFlags, runs: { type: 'string' } } as const

export async function runQuery(args: readonly string[]): Promise<number> {
  const { values, places } = parsePlaced(args, flags, ['a query, such as "select * from trials"'])
  const { out, runs = 'runs' } = values
  if (out !== undefined && !/\.(csv|parquet)$/.test(out)) {
    throw new OverhearError('E_INPUT', `--out is "${out}"`, 'a file that ends in .csv or .parquet is needed')
  }
  const { columns, rows } = await querySweeps(sweepFolders(runs), places[0]!, out)
  if (values.json) await printJson(out === undefined ? { columns, rows } : { out })
  else if (out !== undefined) await print(`written: ${out}`)
  else
    await print(
      rows.length === 0
        ? 'no rows'
        : textTable(
            columns,
            rows.map((row) => row.map(cell)),
          ),
    )
  return 0
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : figure(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
