/** [prolin] Fig. 5: which clients climb their gradient, from sums of changing groups. */
import { detectedBy, noWorse, prolinCurves } from './prolin-curves.js'

export const prolinFigure5 = prolinCurves({
  id: 'prolin-figure-5',
  where: 'Fig. 5',
  what: 'Which clients climb their gradient',
  property: 'ascent',
  pairs: { quick: 16, full: 30 },
  seconds: { quick: 30, full: 1350 },
  departs: [
    'Detectors are trained on 30 pairs a round (the paper: 6,000; --quick: 16).',
    'The climb is clipped at a norm of 2 as in the published code: unclipped it destroys the model.',
  ],
  claims: [
    { text: 'PROLIN reaches an F1 of 0.8 by round 100', holds: detectedBy('PROLIN') },
    { text: 'REG reaches an F1 of 0.8 by round 100', holds: detectedBy('REG') },
    {
      text: 'PROLIN is no less accurate than REG over the rounds (within 0.02)',
      holds: noWorse(['PROLIN', 'REG'], 0.02),
    },
  ],
})
