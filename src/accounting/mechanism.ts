/** What is accounted for: mechanisms that add noise, as plain data, and which datasets count as neighbours. */
import { OverhearError } from '../errors.js'

/**
 * Which two datasets must look alike: one has a record (or client) more than the other, or one record is replaced. What is
 * promised under one relation is not promised under the other: under replacement a clipped sum moves twice as far.
 */
export type Neighbours = 'add-remove' | 'replace'

/** Each record takes part with probability `sampleRate`, by itself (Poisson); Gaussian noise on the clipped sum. */
export interface SampledGaussian {
  readonly kind: 'gaussian'
  /** Deviation of the noise over the clipping norm C. */
  readonly noiseMultiplier: number
  /** 1: all records in every step. */
  readonly sampleRate: number
  readonly steps: number
}

/** Batches of a fixed number of records, drawn anew without replacement; `sampleRate` is batch over records. */
export interface FixedSizeGaussian {
  readonly kind: 'fixed-size'
  /** Deviation of the noise over the clipping norm C; a replaced record moves the sum by up to 2 C. */
  readonly noiseMultiplier: number
  readonly sampleRate: number
  readonly steps: number
}

/** Laplace noise, `scale` over the sensitivity (in the 1-norm, under the relation that is asked about). */
export interface Laplace {
  readonly kind: 'laplace'
  readonly scale: number
  readonly steps: number
}

/** Running sums by trees (DP-FTRL): each record takes part in one step of each tree. */
export interface TreeGaussian {
  readonly kind: 'tree'
  /** Deviation of the noise at a node over the clipping norm C. */
  readonly noiseMultiplier: number
  /** Leaves of one tree. */
  readonly leaves: number
  /** How many such trees, one after the other. */
  readonly trees: number
}

export type Mechanism = SampledGaussian | FixedSizeGaussian | Laplace | TreeGaussian

const wrong = (what: string, allowed: string): OverhearError => new OverhearError('E_VALUE', what, allowed)

function positive(value: number, name: string): void {
  if (!(value > 0 && Number.isFinite(value))) throw wrong(`${name} is ${value}`, 'a finite number above 0 is needed')
}

function count(value: number, name: string): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > 1e9) {
    throw wrong(`${name} is ${value}`, 'a whole number from 0 to 1e9 is needed')
  }
}

/** Refuses numbers that no mechanism can have. */
export function checkMechanism(one: Mechanism, neighbours: Neighbours): void {
  if (one.kind === 'laplace') {
    positive(one.scale, 'scale')
    count(one.steps, 'steps')
    return
  }
  positive(one.noiseMultiplier, 'noiseMultiplier')
  if (one.noiseMultiplier < 0.05 || one.noiseMultiplier > 1e6) {
    throw wrong(
      `noiseMultiplier is ${one.noiseMultiplier}`,
      'it is accounted for from 0.05 to 1e6: below, nothing is hidden',
    )
  }
  if (one.kind === 'tree') {
    count(one.leaves, 'leaves')
    count(one.trees, 'trees')
    return
  }
  count(one.steps, 'steps')
  if (!(one.sampleRate > 0 && one.sampleRate <= 1)) {
    throw wrong(`sampleRate is ${one.sampleRate}`, 'it must lie above 0 and at most at 1')
  }
  if (one.kind === 'fixed-size' && neighbours !== 'replace') {
    throw wrong(
      'batches of fixed size under the relation add-remove',
      'datasets of one size are compared there: ask for the relation replace',
    )
  }
}

export function checkDelta(delta: number): void {
  if (!(delta > 0 && delta < 1))
    throw wrong(`delta is ${delta}`, 'it must lie between 0 and 1, below one over the records')
}

/** How far a record moves the clipped sum, in clipping norms. */
export const reachOf = (neighbours: Neighbours): number => (neighbours === 'replace' ? 2 : 1)

/** Nodes of a tree over `leaves` leaves that one leaf is in: levels of the tree. */
function treeLevels(leaves: number): number {
  return leaves === 0 ? 0 : 32 - Math.clz32(leaves)
}

/** Whether it is Gaussian noise on all records, and then the squared distance over the deviation, over all steps. */
export function gaussianMuSquared(one: Mechanism, neighbours: Neighbours): number | undefined {
  if (one.kind === 'laplace') return undefined
  const z = one.noiseMultiplier / reachOf(neighbours)
  if (one.kind === 'tree') return (one.trees * treeLevels(one.leaves)) / (z * z)
  return one.sampleRate === 1 ? one.steps / (z * z) : undefined
}
