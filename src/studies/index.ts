/** The table of studies. */
import { table } from '../registry.js'
import { aiaDatasetSize } from './aia/aia-dataset-size.js'
import { aiaFigure1 } from './aia/aia-figure-1.js'
import { aiaFigure2 } from './aia/aia-figure-2.js'
import { aiaFigure3 } from './aia/aia-figure-3.js'
import { aiaFigure4 } from './aia/aia-figure-4.js'
import { aiaTable1 } from './aia/aia-table-1.js'
import { aiaTable2 } from './aia/aia-table-2.js'
import { aiaTable3 } from './aia/aia-table-3.js'
import { oursAiaLinear } from './beyond/ours-aia-linear.js'
import { oursBlup } from './beyond/ours-blup.js'
import { oursClosedForm } from './beyond/ours-closed-form.js'
import { oursLadder } from './beyond/ours-ladder.js'
import { oursPropertyPosterior } from './beyond/ours-property-posterior.js'
import { labelsFigure34 } from './labels/labels-figure-3-4.js'
import { labelsFigure41 } from './labels/labels-figure-4-1.js'
import { labelsFigure51 } from './labels/labels-figure-5-1.js'
import { labelsFigure61 } from './labels/labels-figure-6-1.js'
import { labelsFigure62 } from './labels/labels-figure-6-2.js'
import { labelsFigure63 } from './labels/labels-figure-6-3.js'
import { labelsFigure64 } from './labels/labels-figure-6-4.js'
import { labelsFigure65 } from './labels/labels-figure-6-5.js'
import { labelsFigure66 } from './labels/labels-figure-6-6.js'
import { labelsFigure67 } from './labels/labels-figure-6-7.js'
import { labelsFigure68 } from './labels/labels-figure-6-8.js'
import { labelsFigure69 } from './labels/labels-figure-6-9.js'
import { labelsFigure610 } from './labels/labels-figure-6-10.js'
import { labelsSection62 } from './labels/labels-section-6-2.js'
import { labelsTable31 } from './labels/labels-table-3-1.js'
import { labelsTable32 } from './labels/labels-table-3-2.js'
import { lmraFigure1a } from './lmra/lmra-figure-1a.js'
import { lmraFigure1b } from './lmra/lmra-figure-1b.js'
import { lmraObservations } from './lmra/lmra-observations.js'
import { lmraTable1 } from './lmra/lmra-table-1.js'
import { prolinAppendixB } from './prolin/prolin-appendix-b.js'
import { prolinEvasion } from './prolin/prolin-evasion.js'
import { prolinFigure2 } from './prolin/prolin-figure-2.js'
import { prolinFigure3 } from './prolin/prolin-figure-3.js'
import { prolinFigure4 } from './prolin/prolin-figure-4.js'
import { prolinFigure5 } from './prolin/prolin-figure-5.js'
import { prolinFigure6 } from './prolin/prolin-figure-6.js'
import { prolinFigure8 } from './prolin/prolin-figure-8.js'

export const studies = table('study', [
  ...[lmraTable1, lmraFigure1a, lmraFigure1b, lmraObservations],
  ...[aiaFigure1, aiaFigure2, aiaTable1, aiaFigure3, aiaDatasetSize, aiaTable2, aiaFigure4, aiaTable3],
  ...[labelsTable31, labelsTable32, labelsFigure34, labelsFigure41, labelsFigure51, labelsSection62],
  ...[labelsFigure61, labelsFigure62, labelsFigure63, labelsFigure64, labelsFigure65, labelsFigure66],
  ...[labelsFigure67, labelsFigure68, labelsFigure69, labelsFigure610],
  ...[prolinFigure2, prolinFigure3, prolinFigure4, prolinFigure5],
  ...[prolinFigure6, prolinFigure8, prolinAppendixB, prolinEvasion],
  ...[oursAiaLinear, oursBlup, oursPropertyPosterior, oursClosedForm, oursLadder],
])
