/** [prolin] Fig. 4: which clients send the opposite of what they learned, from sums of changing groups. */
import { detectedBy, noWorse, prolinCurves } from './prolin-curves.js'

export const prolinFigure4 = prolinCurves({
  id: 'prolin-figure-4',
  where: 'Fig. 4',
  what: 'Which clients send the opposite of what they learned',
  property: 'inversion',
  pairs: { quick: 16, full: 30 },
  seconds: { quick: 30, full: 1350 },
  departs: ['Detectors are trained on 30 pairs a round (the paper: 6,000; --quick: 16).'],
  claims: [
    { text: 'PROLIN reaches an F1 of 0.8 by round 100', holds: detectedBy('PROLIN') },
    { text: 'REG reaches an F1 of 0.8 by round 100', holds: detectedBy('REG') },
    {
      text: 'PROLIN is no less accurate than REG over the rounds (within 0.02)',
      holds: noWorse(['PROLIN', 'REG'], 0.02),
    },
    {
      text: 'features converge faster than BASELINE: REG is above it over the rounds',
      holds: noWorse(['REG', 'BASELINE']),
    },
  ],
})
