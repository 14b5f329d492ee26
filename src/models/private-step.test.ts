import { expect, test } from 'vitest'
import type { Engine } from '../numeric/engine/engine.js'
import { unaryOp } from '../numeric/engine/kernels.js'
import { addStepNoise, checkPrivacy, noisyMean, privatise } from './private-step.js'

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

test('a step without noise is given what its share and its noise come to', () => {
  const at = (more: object, rows = 5) => noisyMean({ maxNorm: 3, noiseMultiplier: 2, ...more }, { rows, records: 50 })
  expect(at({})).toEqual({ share: 1, std: 6 / 5 })
  expect(at({ sampleRate: 0.2 })).toEqual({ share: 0.5, std: 6 / 10 })
  expect(at({ sampleRate: 0.2, noiseMultiplier: 0 }, 0)).toEqual({ share: 0, std: 0 })
})

test('no stream is asked for where there is no noise', () => {
  const none = { engine: {} as Engine, precision: 'f64', address: 8, d: 3 } as const
  const batch = { rows: 5, records: 50, rng: undefined, learningRate: 1 }
  expect(() => addStepNoise({ maxNorm: 1, noiseMultiplier: 0 }, none, batch)).not.toThrow()
  expect(() => addStepNoise({ maxNorm: 1, noiseMultiplier: 1 }, none, batch)).toThrow()
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
