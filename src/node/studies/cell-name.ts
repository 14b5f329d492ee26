/** The name that a cell has here: one of a study with other code has another, and is refused. */
import { find } from '../../registry.js'
import { type Cell, type CellsOptions, cellIdOf } from '../../studies/cells.js'
import { studies } from '../../studies/index.js'
import type { Study } from '../../studies/study.js'

export const cellNameOf = ({
  cell: { study, ...rest },
  versions,
}: Pick<CellsOptions, 'versions'> & {
  readonly cell: Pick<Cell, 'study' | 'at' | 'seed' | 'quick'>
}): Promise<string> => cellIdOf(find<Study>(studies, study), { ...rest, versions })
