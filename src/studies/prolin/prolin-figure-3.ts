/** [prolin] Fig. 3: which clients hold a record, from sums of changing groups. */
import { noWorse, prolinCurves } from './prolin-curves.js'

export const prolinFigure3 = prolinCurves({
  id: 'prolin-figure-3',
  where: 'Fig. 3',
  what: 'Which clients hold a record',
  property: 'membership',
  pairs: { quick: 40, full: 300 },
  seconds: { quick: 45, full: 7100 },
  departs: [
    'Detectors are trained on 300 pairs a round (the paper: 6,000; --quick: 40, which is too few to find members).',
  ],
  claims: [
    { text: 'PROLIN is more accurate than OLS over the rounds', holds: noWorse(['PROLIN', 'OLS']) },
    { text: 'PROLIN is more accurate than BASELINE over the rounds', holds: noWorse(['PROLIN', 'BASELINE']) },
    {
      text: 'PROLIN is no less accurate than REG over the rounds (within 0.02)',
      holds: noWorse(['PROLIN', 'REG'], 0.02),
    },
  ],
})
