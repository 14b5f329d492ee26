/** PROLIN's joint optimisation, solved: X exactly for given tau, tau by repetition and then by trying every flip. */
import { exp, sigmoid } from '../../../numeric/special/elementary-functions.js'
import { likeliestFeatures, type Pulls } from './prolin-features.js'
import { flipped, flipWork, nearbyOdds } from './prolin-flips.js'
import {
  type Likelihood,
  logDensity,
  logProducts,
  type ProlinLosses,
  type ProlinProblem,
  prolinLosses,
} from './prolin-losses.js'

export interface ProlinOptions {
  readonly likelihood: Likelihood
  /** gamma_2: weight of L_reg. */
  readonly gamma: number
  /** Where tau begins. */
  readonly tau: Float64Array
  /** Multiplications of a pass over all clients above which no flips are taken. */
  readonly mostWork?: number
  tick?(done: number, total: number): void
}

export interface ProlinFit {
  readonly tau: Float64Array
  /** For ranking: how much worse the best solution is with client i on the other side, as odds. */
  readonly probability: Float64Array
  readonly losses: ProlinLosses
  readonly turns: number
}

const usualWork = 2e10
const mostTurns = 200

/**
 * [prolin] Section 5.2.4, for t >= 1 features. For given shares of f+ and f- the likelihood is bounded by a square, so
 * that X is a least squares under the constraint that features add up; the shares follow from X.
 * departs: constraint 1 holds exactly instead of by L_lstsq, and MTAdam's 200,000 steps are not needed.
 */
export function fitProlin(problems: readonly ProlinProblem[], options: ProlinOptions): ProlinFit {
  const { likelihood, gamma, mostWork = usualWork } = options
  const tau = options.tau.map((t) => Math.min(Math.max(t, 1e-6), 1 - 1e-6))
  let pulls = problems.map((problem) => pullsOf(problem, tau))
  let Xs = problems.map((problem, f) => likeliestFeatures(problem, pulls[f]!, gamma))
  let turns = 0
  for (let moved = 1; moved > 1e-4 && turns < mostTurns; turns++) {
    options.tick?.(turns, mostTurns)
    const before = tau.slice()
    pulls = likelihood === 'paper' ? byProducts(problems, Xs, tau) : byEntries(problems, Xs, tau)
    Xs = problems.map((problem, f) => likeliestFeatures(problem, pulls[f]!, gamma))
    moved = tau.reduce((most, t, i) => Math.max(most, Math.abs(t - before[i]!)), 0)
  }
  const lossesAt = (): ProlinLosses =>
    total(problems.map((one, f) => prolinLosses(one, { X: Xs[f]!, tau }, { likelihood })))
  if (likelihood === 'code') return { tau, probability: tau.slice(), losses: lossesAt(), turns }
  if (flipWork(problems) > mostWork) {
    for (let i = 0; i < tau.length; i++) tau[i] = tau[i]! > 0.5 ? 1 : 0
    Xs = problems.map((problem) => likeliestFeatures(problem, pullsOf(problem, tau), gamma))
    return { tau, probability: nearbyOdds(problems, Xs, { tau, gamma }).map(sigmoid), losses: lossesAt(), turns }
  }
  const { tau: best, odds } = flipped(problems, tau, options)
  tau.set(best)
  Xs = problems.map((problem) => likeliestFeatures(problem, pullsOf(problem, tau), gamma))
  return { tau, probability: odds.map(sigmoid), losses: lossesAt(), turns }
}

/** Every entry of a client is pulled by f+ with tau_i, by f- with the rest. */
function pullsOf({ clients, start, round }: ProlinProblem, tau: Float64Array): Pulls {
  const plus = new Float64Array(round.length)
  for (let i = 0; i < clients; i++) plus.fill(tau[i]!, start[i]!, start[i + 1]!)
  return { plus, minus: plus.map((t) => 1 - t) }
}

/** tau_i <- tau_i prod f+ / (tau_i prod f+ + (1 - tau_i) prod f-), in place. */
function byProducts(problems: readonly ProlinProblem[], Xs: readonly Float64Array[], tau: Float64Array): Pulls[] {
  for (let i = 0; i < tau.length; i++) {
    let ratio = 0
    for (const [f, problem] of problems.entries()) {
      const [plus, minus] = logProducts(problem, Xs[f]!, i)
      ratio += plus - minus
    }
    const t = Math.min(Math.max(tau[i]!, 1e-12), 1 - 1e-12)
    tau[i] = t / (t + (1 - t) * exp(-ratio))
  }
  return problems.map((problem) => pullsOf(problem, tau))
}

/** The mixture of 1, tau f+ and (1 - tau) f-, entry by entry: what is explained by 1 is pulled by neither. */
function byEntries(problems: readonly ProlinProblem[], Xs: readonly Float64Array[], tau: Float64Array): Pulls[] {
  const pulls = problems.map(({ round }) => ({
    plus: new Float64Array(round.length),
    minus: new Float64Array(round.length),
  }))
  for (let i = 0; i < tau.length; i++) {
    let [for1, for0] = [1e-9, 1e-9]
    for (const [f, { start, plusMean, plusStd, minusMean, minusStd }] of problems.entries()) {
      for (let p = start[i]!; p < start[i + 1]!; p++) {
        const x = Xs[f]![p]!
        const a = tau[i]! * exp(logDensity(x, plusMean[p]!, plusStd[p]!))
        const b = (1 - tau[i]!) * exp(logDensity(x, minusMean[p]!, minusStd[p]!))
        for1 += a / (1 + a + b)
        for0 += b / (1 + a + b)
        // An entry that nobody pulls would make the system singular.
        pulls[f]!.plus[p] = a / (1 + a + b) + 1e-6 * tau[i]!
        pulls[f]!.minus[p] = b / (1 + a + b) + 1e-6 * (1 - tau[i]!)
      }
    }
    tau[i] = for1 / (for1 + for0)
  }
  return pulls
}

function total(losses: readonly ProlinLosses[]): ProlinLosses {
  const sum = (key: keyof ProlinLosses): number => losses.reduce((all, one) => all + one[key], 0)
  return { ml: sum('ml'), reg: sum('reg'), lstsq: sum('lstsq') }
}
