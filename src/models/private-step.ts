/**
 * The private step of DP-SGD ([abadi2016] Alg. 1), for which `defences/dp-sgd.ts` asks: the clipping is traced and the
 * noise is drawn here.
 */
import { OverhearError } from '../errors.js'
import { addNoise } from '../numeric/engine/added-noise.js'
import type { Engine } from '../numeric/engine/engine.js'
import { clippedGradient } from '../numeric/engine/ghost-clipping.js'
import type { Node } from '../numeric/engine/graph.js'
import { type Precision, unaryOp } from '../numeric/engine/kernels.js'
import * as t from '../numeric/engine/trace.js'
import type { Rng } from '../numeric/random/rng.js'
import { drawn } from './step-draws.js'

/**
 * Each record's gradient clipped to maxNorm, noise of noiseMultiplier * maxNorm on their sum. With a `sampleRate` q the
 * sum is divided by q n, the expected batch, whatever the batch is; it may then be empty.
 */
export interface Privacy {
  readonly maxNorm: number
  readonly noiseMultiplier: number
  readonly sampleRate?: number
}

export function checkPrivacy({ maxNorm, noiseMultiplier, sampleRate }: Privacy): void {
  if (!(maxNorm > 0 && maxNorm < Number.POSITIVE_INFINITY))
    throw new OverhearError('E_VALUE', `maxNorm is ${maxNorm}`, 'a positive number is needed')
  if (!(noiseMultiplier >= 0 && noiseMultiplier < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `noiseMultiplier is ${noiseMultiplier}`, 'a number from 0 is needed')
  }
  if (sampleRate !== undefined && !(sampleRate > 0 && sampleRate <= 1)) {
    throw new OverhearError('E_VALUE', `sampleRate is ${sampleRate}`, 'a number above 0 and up to 1 is needed')
  }
}

/**
 * The mean over a batch of the records' gradients, each clipped to the input "maxNorm"; where places may be empty, times the
 * input "taken", which is 0 there.
 */
export function clippedMean(loss: Node, theta: Node, { records, roomy }: { records: number; roomy: boolean }): Node {
  const maxNorm = t.input('maxNorm', { rows: 1, cols: 1 })
  const weights = roomy ? t.input('taken', { rows: records, cols: 1 }) : undefined
  return clippedGradient(loss, theta, { maxNorm, records, weights }).grad
}

/** A gradient in kernel memory. */
export interface Written {
  readonly engine: Engine
  readonly precision: Precision
  readonly address: number
  readonly d: number
}

export interface BatchOf {
  readonly rows: number
  /** Of which the rows are a batch. */
  readonly records: number
  readonly rng: (() => Rng) | undefined
}

/** What the clipped mean over a batch is multiplied by, and the noise that it is given. */
export function noisyMean(privacy: Privacy, { rows, records }: Pick<BatchOf, 'rows' | 'records'>) {
  const { maxNorm, noiseMultiplier, sampleRate: q } = privacy
  const divisor = q === undefined ? rows : q * records
  return { share: q === undefined ? 1 : rows / divisor, std: (noiseMultiplier * maxNorm) / divisor }
}

/** Makes the clipped mean over a batch the noisy one. */
export function privatise(privacy: Privacy, { engine, precision, address, d }: Written, batch: BatchOf): void {
  const { share, std } = noisyMean(privacy, batch)
  if (privacy.sampleRate !== undefined) engine[precision].unary(unaryOp.scale, address, address, d, share)
  if (std > 0) addNoise(engine, { precision, address, d }, { stream: noiseStream(batch), std })
}

/** Takes the noise of a step that was made without it: theta -= learningRate * noise. */
export function addStepNoise(privacy: Privacy, theta: Written, batch: BatchOf & { readonly learningRate: number }) {
  const { std } = noisyMean(privacy, batch)
  if (std > 0) addNoise(theta.engine, theta, { stream: noiseStream(batch), std: -batch.learningRate * std })
}

const noiseStream = ({ rng }: BatchOf): Rng => drawn(rng).fork('noise')
