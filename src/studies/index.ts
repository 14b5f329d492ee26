/** The table of studies. */
import { table } from '../registry.js'
import { aiaTable1 } from './aia-table-1.js'
import { aiaTable2 } from './aia-table-2.js'
import { aiaTable3 } from './aia-table-3.js'
import { labelsFigure61 } from './labels-figure-6-1.js'
import { labelsFigure64 } from './labels-figure-6-4.js'
import { labelsFigure66 } from './labels-figure-6-6.js'
import { lmraFigure1a } from './lmra-figure-1a.js'
import { lmraTable1 } from './lmra-table-1.js'
import { prolinFigure3 } from './prolin-figure-3.js'
import { prolinFigure4 } from './prolin-figure-4.js'
import { prolinFigure5 } from './prolin-figure-5.js'

export const studies = table('study', [
  ...[lmraTable1, lmraFigure1a, aiaTable1, aiaTable2, aiaTable3],
  ...[labelsFigure61, labelsFigure64, labelsFigure66],
  ...[prolinFigure3, prolinFigure4, prolinFigure5],
])
