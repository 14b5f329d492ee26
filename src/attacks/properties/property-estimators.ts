/** From sums of features to who has the property: one function a method, for attacks and studies alike. */
import { sigmoid } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'
import { blup } from './best-linear-prediction.js'
import { inCommonUnits } from './detector/common-units.js'
import type { FeatureSums } from './detector/feature-sums.js'
import { steadyShapes } from './detector/steady-shapes.js'
import { expectedFeatures } from './expected-features.js'
import { bestForF1 } from './f1-decision.js'
import { fewInnocent } from './false-accusations.js'
import { fitProlin } from './joint-fit/prolin-fit.js'
import type { Likelihood, Printing } from './joint-fit/prolin-losses.js'
import { prolinProblem } from './joint-fit/prolin-losses.js'
import { fitByMtAdam } from './joint-fit/prolin-mtadam.js'
import { agreed, posterior } from './posterior/sampled-posterior.js'
import type { Estimate, EstimateTools } from './property-attack.js'
import { type RoundWeights, regressed } from './round-weights.js'

type Features = readonly FeatureSums[]

/** common: all rounds in one unit and level; own: each as its detector has it, as published. */
export type Units = 'common' | 'own'

const inUnits = (features: Features, units: Units): Features =>
  units === 'own' ? features : features.map((one) => inCommonUnits(steadyShapes(one)))

/** [prolin] Section 6.3.1, OLS: every round weighs the same, nothing is shrunk. */
export function byOls(features: Features, { units = 'common' }: { readonly units?: Units } = {}): Estimate {
  return bySign(inUnits(features, units).map((one) => expectedFeatures(one, { lambda: 0 })))
}

export interface ByRegOptions {
  readonly lambda: number
  readonly units?: Units
  readonly weights?: RoundWeights
}

/** [prolin] Section 6.3.1, REG: rounds weigh v_r, features are shrunk by lambda. */
export function byReg(features: Features, { units = 'common', ...options }: ByRegOptions): Estimate {
  return bySign(inUnits(features, units).map((one) => regressed(one, options)))
}

/** The mean of the t features, through h. */
function bySign(expected: readonly Float64Array[]): Estimate {
  const mean = expected[0]!.map((_, i) => meanOf(expected.map((x) => x[i]!)))
  return { score: mean, probability: null, positive: Array.from(mean, (x) => x > 0) }
}

export interface ByProlinOptions extends ByRegOptions {
  readonly likelihood: Likelihood
  /** What solver=mtadam minimises; corrected unless told. */
  readonly losses?: Printing
  readonly solver: 'exact' | 'mtadam'
  readonly gamma: number
  readonly steps: number
}

/** [prolin] Section 5.2.4; tau > 0.5 decides. departs: what is called a probability there ranks here, and no more. */
export function byProlin(
  features: Features,
  options: ByProlinOptions,
  { tick }: Pick<EstimateTools, 'tick'>,
): Estimate {
  const { units = 'common', likelihood, losses: printing = 'corrected', solver, gamma, steps } = options
  const given = inUnits(features, units)
  const problems = given.map((one) => prolinProblem(one, regressed(one, options)))
  const start = bySign(problems.map(({ expected }) => expected)).score.map(sigmoid)
  const common = { likelihood, gamma, tau: start, tick }
  const fit = solver === 'exact' ? fitProlin(problems, common) : fitByMtAdam(problems, { ...common, printing, steps })
  return {
    score: fit.probability,
    probability: null,
    positive: Array.from(fit.tau, (t) => t > 0.5),
    details: { losses: { ...fit.losses }, turns: fit.turns },
  }
}

export function byBlup([features]: Features, { share }: { readonly share: number }): Estimate {
  const { probability } = blup(steadyShapes(features!), share)
  return { score: probability, probability: null, positive: bestForF1(probability) }
}

export interface ByPosteriorOptions {
  /** Means that lean on those of neighbouring rounds; true unless told. */
  readonly steady?: boolean
  /** fdr: of those accused a twentieth may be expected to be innocent; f1: the best expected F1, which always accuses. */
  readonly decision?: 'fdr' | 'f1'
  readonly share: number
  readonly chains: number
  readonly sweeps: number
  readonly maxSweeps: number
}

/** Sweeps of a trial run, as a share of the first: chains that agree closely after it are done. */
const trialShare = 0.2

/** Errors of probabilities that chains may leave after a trial run, and after all: of a claim, and of a point of a curve. */
const errors = { claim: { closely: 0.002, within: 0.03 }, point: { closely: 0.01, within: 0.04 } } as const

export function byPosterior([measured]: Features, options: ByPosteriorOptions, tools: EstimateTools): Estimate {
  const features = options.steady === false ? measured! : steadyShapes(measured!)
  const trial = Math.ceil(trialShare * options.sweeps)
  const found = posterior(features, { ...options, ...tools, trial, ...errors[tools.rough ? 'point' : 'claim'] })
  const { probability, rHat, sweeps, share, rho, extra } = found
  const warnings: string[] = []
  if (!(rHat < agreed)) warnings.push(`the chains do not agree after ${sweeps} sweeps: R-hat ${rHat.toFixed(2)}`)
  if (extra > 3) {
    warnings.push(
      `real clients are unlike the made-up ones: their sums vary ${extra.toFixed(1)} times more than measured`,
    )
  }
  const positive = options.decision === 'f1' ? bestForF1(probability) : fewInnocent(probability)
  return { score: probability, probability, positive, warnings, details: { rHat, sweeps, share, rho, extra } }
}
