import { expect, test } from 'vitest'
import type { Engine } from '../numeric/engine/engine.js'
import { unaryOp } from '../numeric/engine/kernels.js'
import { changesGradient, checkPrivacy, privatise } from './private-step.js'

/** What the mean over a batch is scaled by. */
function scaled(sampleRate: number | undefined, rows: number): unknown[] {
  const asked: unknown[] = []
  const engine = { f64: { unary: (...all: unknown[]) => asked.push(all) } } as unknown as Engine
  const privacy = { maxNorm: 2, noiseMultiplier: 0, ...(sampleRate !== undefined && { sampleRate }) }
  privatise(privacy, { engine, precision: 'f64', address: 8, d: 3 }, { rows, records: 50, rng: undefined })
  return asked
}

test('a batch that was sampled counts as the expected one, any other as it is', () => {
  expect(scaled(undefined, 5)).toEqual([])
  expect(scaled(0.2, 5)).toEqual([[unaryOp.scale, 8, 8, 3, 0.5]])
  expect(scaled(0.5, 0)).toEqual([[unaryOp.scale, 8, 8, 3, 0]])
})

test('only noise and a sample rate change a clipped gradient', () => {
  const at = (noiseMultiplier: number, more = {}) => changesGradient({ maxNorm: 1, noiseMultiplier, ...more })
  expect([at(0), at(1e-9), at(0, { sampleRate: 1 }), at(1, { sampleRate: 0.5 })]).toEqual([false, true, true, true])
})

test.each([
  [{ maxNorm: 0 }, 'maxNorm is 0'],
  [{ maxNorm: Number.POSITIVE_INFINITY }, 'maxNorm is Infinity'],
  [{ noiseMultiplier: -1e-9 }, 'noiseMultiplier is'],
  [{ noiseMultiplier: Number.POSITIVE_INFINITY }, 'noiseMultiplier is Infinity'],
  [{ sampleRate: 0 }, 'sampleRate is 0'],
  [{ sampleRate: 1.0001 }, 'sampleRate is 1.0001'],
  [{ maxNorm: 1e-9 }, undefined],
  [{ noiseMultiplier: 0, sampleRate: 1 }, undefined],
])('%j is checked', (change, message) => {
  const check = () => checkPrivacy({ maxNorm: 1, noiseMultiplier: 1, ...change })
  if (message === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(message)
})
