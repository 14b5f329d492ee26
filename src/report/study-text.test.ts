import { expect, test } from 'vitest'
import { claimText } from './study-text.js'

test('a claim that does not hold says what was tried and what we believe', () => {
  expect(claimText({ text: 'it grows', holds: true })).toBe('holds: it grows')
  expect(claimText({ text: 'it grows', holds: null })).toBe('not decided: it grows')
  const believed = 'Tried twice. We believe the other.'
  expect(claimText({ text: 'it grows', holds: false, believed })).toBe(`does NOT hold: it grows. ${believed}`)
})
