import { expect, test } from 'vitest'
import { calibrationError } from './calibration.js'

test.each([
  ['sure and right', [1, 1], [1, 1], 0],
  ['sure and wrong', [1, 1], [0, 0], 1],
  ['half sure, half right, in one bin', [0.55, 0.55], [1, 0], 0.05],
  // Bins [0.6, 0.7) with 0.62 and 0.68 (mean 0.65, accuracy 0.5) and [0.9, 1] with 0.9 and 1 (0.95, 1).
  ['two bins of two', [0.62, 1, 0.68, 0.9], [1, 1, 0, 1], (0.15 * 2 + 0.05 * 2) / 4],
  ['never sure', [0, 0], [0, 1], 0.5],
])('%s', (_, confidence, right, expected) => {
  expect(calibrationError(confidence, right)).toBeCloseTo(expected, 12)
})
