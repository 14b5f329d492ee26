/** PROLIN's joint optimisation, solved: X exactly for given tau, tau by repetition and then by trying every flip. */
import { exp, sigmoid } from '../../numeric/scalar.js'
import { likeliestFeatures, type Pulls } from './prolin-features.js'
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
  tick?(done: number, total: number): void
}

export interface ProlinFit {
  readonly tau: Float64Array
  /** For ranking: how much worse the best solution is with client i on the other side, as odds. */
  readonly probability: Float64Array
  readonly losses: ProlinLosses
  readonly turns: number
}

/** Multiplications above which flips are not tried one by one: each costs a factorisation of as many rows as rounds. */
const mostWork = 5e9
const mostTurns = 200
const mostRounds = 10

/**
 * [prolin] Section 5.2.4, for t >= 1 features. For given shares of f+ and f- the likelihood is bounded by a square, so
 * that X is a least squares under the constraint that features add up; the shares follow from X.
 * departs: constraint 1 holds exactly instead of by L_lstsq, and MTAdam's 200,000 steps are not needed.
 */
export function fitProlin(problems: readonly ProlinProblem[], options: ProlinOptions): ProlinFit {
  const { likelihood, gamma } = options
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
  const n = problems[0]!.rounds
  if (likelihood === 'code' || (tau.length * problems.length * n * n * n) / 3 > mostWork) {
    return { tau, probability: tau.slice(), losses: lossesAt(), turns }
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

/** From the nearest corner, takes flips that lower the objective until none does; `odds` are what each flip would cost. */
function flipped(problems: readonly ProlinProblem[], from: Float64Array, { gamma, tick }: ProlinOptions) {
  const N = from.length
  const tau = from.map((t) => (t > 0.5 ? 1 : 0))
  const objectiveAt = (): number => {
    const all = problems.map((problem) => {
      const X = likeliestFeatures(problem, pullsOf(problem, tau), gamma)
      return prolinLosses(problem, { X, tau })
    })
    const { ml, reg } = total(all)
    return ml + gamma * reg
  }
  const odds = new Float64Array(N)
  let value = objectiveAt()
  for (let round = 0, lower = true; lower && round < mostRounds; round++) {
    lower = false
    for (let i = 0; i < N; i++) {
      tick?.(round * N + i, mostRounds * N)
      tau[i] = 1 - tau[i]!
      const other = objectiveAt()
      const kept = other < value
      if (!kept) tau[i] = 1 - tau[i]!
      const gain = Math.abs(other - value)
      odds[i] = tau[i] === 1 ? gain : -gain
      if (kept) [value, lower] = [other, true]
    }
  }
  return { tau, odds }
}

function total(losses: readonly ProlinLosses[]): ProlinLosses {
  const sum = (key: keyof ProlinLosses): number => losses.reduce((all, one) => all + one[key], 0)
  return { ml: sum('ml'), reg: sum('reg'), lstsq: sum('lstsq') }
}
