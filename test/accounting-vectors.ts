/** The accounting vectors as they are in the shared folder, in this project's words. */
import type { Mechanism } from '../src/accounting/mechanism.js'

export interface Result {
  readonly epsilon: number
}
export interface Prv {
  readonly epsilon: readonly [number, number, number]
}
export interface Step {
  readonly sampleRate: number
  readonly noiseMultiplier: number
  readonly steps: number
}
export interface Configuration extends Step {
  readonly delta: number
  readonly results: Readonly<Record<string, Result>> & { readonly prv: Prv }
}
export interface VectorO {
  readonly configurations: readonly Configuration[]
  readonly heterogeneous: readonly (Pick<Configuration, 'delta' | 'results'> & { name: string; parts: Step[] })[]
  readonly laplace: readonly (Pick<Configuration, 'delta' | 'results'> & { scale: number; steps: number })[]
  readonly fixedSize: readonly (Pick<Configuration, 'delta' | 'results' | 'noiseMultiplier' | 'steps'> & {
    n: number
    m: number
  })[]
  readonly tree: readonly {
    noiseMultiplier: number
    stepCounts: number
    selfComposed: number
    delta: number
    results: Readonly<Record<string, Result>>
  }[]
  readonly calibration: readonly {
    epsilon: number
    delta: number
    sampleRate: number
    steps: number
    results: Readonly<Record<string, { noiseMultiplier: number }>>
  }[]
  readonly oneRun: readonly {
    canaries: number
    guesses: number
    correct: number
    delta: number
    significance: number
    pAtEps1: number
    epsilonLower: number
  }[]
}

export const gaussian = ({ sampleRate, noiseMultiplier, steps }: Step): Mechanism => {
  return { kind: 'gaussian', sampleRate, noiseMultiplier, steps }
}

/** opacus's orders. */
export const opacusOrders = [
  ...Array.from({ length: 99 }, (_, i) => 1 + (i + 1) / 10),
  ...Array.from({ length: 52 }, (_, i) => 12 + i),
]
